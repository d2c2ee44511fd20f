//! Results of files, for a person: each change with its line, the obstacles, and the comparison.

use std::fmt::Write as _;

use kvrules::migrate::MigrationChange;
use kvrules::render::{RenderFormat, RenderOptions, one_line};
use kvrules::{Operation, SourceFile};

use super::run::{FileStanding, MigratedFile, MigrationRun, WriteError};
use crate::sentences::count_noun;
use crate::terminal::{ColorPainter, render_findings};

/// Lists the changes in a file, done or pending, one line each.
pub(super) fn render_file(source: &SourceFile, file: &MigratedFile, paint: ColorPainter) -> String {
    let name = one_line(source.name());
    if !is_reported(&file.standing) {
        return String::new();
    }
    let is_written = matches!(file.standing, FileStanding::Written { .. });
    let what = |change: &MigrationChange| {
        if is_written { change.what.clone() } else { change.conditional_message() }
    };
    let changes =
        file.migration.changes.iter().map(|change| format!("{name}:{}: {}\n", change.line, what(change)));
    let mut text: String = changes.collect();
    for note in manual_steps(source, file) {
        _ = writeln!(text, "{}: {note}", paint.blue("note"));
    }
    if matches!(file.standing, FileStanding::VerdictsChange) {
        // The reason why the file is not changed already names the departures.
        return text;
    }
    text + &render_departures(source, file, paint) + &proof_summary(source, file, paint)
}

fn is_reported(standing: &FileStanding) -> bool {
    matches!(standing, FileStanding::Pending | FileStanding::Written { .. } | FileStanding::VerdictsChange)
}

/// The name of a file that would change.
pub(super) fn file_name(source: &SourceFile, file: &MigratedFile) -> String {
    if matches!(file.standing, FileStanding::Pending | FileStanding::VerdictsChange) {
        format!("{}: {}\n", one_line(source.name()), count_noun(file.migration.changes.len(), "change"))
    } else {
        String::new()
    }
}

/// Returns the steps to take by hand.
pub(super) fn manual_steps(source: &SourceFile, file: &MigratedFile) -> Vec<String> {
    let name = one_line(source.name());
    let mut notes: Vec<_> = Vec::new();
    if is_reported(&file.standing) {
        let written = file.migration.notes.iter();
        notes.extend(written.map(|note| format!("{name}:{}: {}", note.line, note.what)));
    }
    if let FileStanding::Written { other_names: number @ 1.. } = file.standing {
        let others = if number == 1 {
            "another hard link, which still refers".to_owned()
        } else {
            format!("{number} other hard links, which still refer")
        };
        notes.push(format!("{name}: the file had {others} to the old text"));
    }
    notes
}

/// Reports that rules mean the same as before.
fn proof_summary(source: &SourceFile, file: &MigratedFile, paint: ColorPainter) -> String {
    let proof = &file.migration.proof;
    if !proof.departures.is_empty() || proof.rules == 0 {
        return String::new();
    }
    let rules = count_noun(proof.rules, "rule");
    let means = match (&file.standing, proof.rules) {
        (FileStanding::Written { .. }, 1) => "means the same as before",
        (FileStanding::Written { .. }, _) => "mean the same as before",
        _ => "would mean the same as before",
    };
    let (name, objects) = (one_line(source.name()), count_noun(proof.objects, "object"));
    format!("{name}: {}\n", paint.green(&format!("{rules} {means}, compared on {objects}")))
}

/// The rules whose verdicts change.
pub(super) fn render_departures(source: &SourceFile, file: &MigratedFile, paint: ColorPainter) -> String {
    let name = one_line(source.name());
    let lines = file.migration.proof.departures.iter().map(|departure| {
        let rule = one_line(&departure.rule);
        match &departure.object {
            Some(object) => format!(
                "{name}: {}: `{rule}` was {} and would be {} on\n  {object}\n",
                paint.yellow("another verdict"),
                departure.before,
                departure.after
            ),
            None => format!(
                "{name}: {}: `{rule}` means something else, but no object was found that shows it\n",
                paint.yellow("another verdict")
            ),
        }
    });
    lines.collect()
}

/// Reports the reason why a file is not changed.
pub(super) fn in_the_way(
    run: &MigrationRun,
    source: &SourceFile,
    file: &MigratedFile,
    paint: ColorPainter,
) -> String {
    let options = RenderOptions { color: paint.0, ..RenderOptions::default() };
    let refusals = render_findings(RenderFormat::Human, &file.migration.refusals, &run.sources, &options);
    let name = one_line(source.name());
    match &file.standing {
        FileStanding::WriteFailed(WriteError { message, help }) => {
            let help =
                help.as_ref().map(|help| format!("  {}: {help}\n", paint.blue("help"))).unwrap_or_default();
            format!("{}: {name}: not written: {message}\n{help}", paint.red("error"))
        }
        FileStanding::Refused => format!("{refusals}\n"),
        FileStanding::VerdictsChange => {
            let what = "left unchanged, because verdicts would change";
            let help = format!("  {}: `--allow-changes` migrates it anyway\n", paint.blue("help"));
            format!("{}: {name}: {what}\n{help}", paint.red("error"))
        }
        FileStanding::Current | FileStanding::Pending | FileStanding::Written { .. } => refusals,
    }
}

/// Summarises the run, in one line.
pub(super) fn migration_summary(run: &MigrationRun, is_done: bool) -> String {
    let of = |fits: &dyn Fn(&FileStanding) -> bool| run.count(fits);
    let pending = of(&FileStanding::would_change);
    let written = of(&|standing| matches!(standing, FileStanding::Written { .. }));
    let current = |fits: &dyn Fn(&MigratedFile) -> bool| {
        run.files.iter().filter(|file| file.standing == FileStanding::Current && fits(file)).count()
    };
    let has_rules = |file: &MigratedFile| {
        let mut kinds = file.contents.units.iter().map(|unit| unit.kind);
        kinds.any(|kind| kind.has_parts() && kind.operations.contains(&Operation::Migrate))
    };
    let mut parts = Vec::new();
    if is_done {
        let done = if run.interrupted { written } else { written + pending };
        parts.push(format!("migrated {}", count_noun(done, "file")));
        if run.interrupted {
            parts.push(format!("interrupted before {pending} more"));
        }
    } else if pending > 0 {
        parts.push(format!("{} would be migrated", count_noun(pending, "file")));
    }
    let counts = [
        (current(&|file| has_rules(file)), "already in the new form"),
        (current(&|file| !has_rules(file) && file.contents.is_known()), "without rules"),
        (current(&|file| !file.contents.is_known()), "of no known kind"),
        (
            of(&|standing| *standing == FileStanding::VerdictsChange),
            "left unchanged because verdicts would change",
        ),
        (of(&|standing| *standing == FileStanding::Refused), "cannot be migrated"),
        (of(&|standing| matches!(standing, FileStanding::WriteFailed(_))), "could not be written"),
        (run.unread.len(), "could not be read"),
    ];
    parts.extend(
        counts.into_iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")),
    );
    let text = if parts.is_empty() { "nothing to migrate".to_owned() } else { parts.join(", ") };
    if pending > 0 && !is_done { text + "; nothing was written, use `--write`" } else { text }
}
