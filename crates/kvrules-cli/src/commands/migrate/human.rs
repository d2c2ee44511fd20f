//! Results of files, for a person: each change with its line, the obstacles, and the comparison.

use std::fmt::Write as _;

use kvrules::SourceFile;
use kvrules::migrate::MigrationChange;
use kvrules::render::{RenderFormat, RenderOptions, one_line};

use super::run::{File, Run, Standing, Unwritten};
use crate::sentences::count;
use crate::terminal::{Paint, render};

/// Lists the changes in a file, done or pending, one line each.
pub(super) fn file(source: &SourceFile, file: &File, paint: Paint) -> String {
    let name = one_line(source.name());
    if !is_told(&file.standing) {
        return String::new();
    }
    let is_written = matches!(file.standing, Standing::Written { .. });
    let what = |change: &MigrationChange| {
        if is_written { change.what.clone() } else { change.conditional_message() }
    };
    let changes =
        file.migration.changes.iter().map(|change| format!("{name}:{}: {}\n", change.line, what(change)));
    let mut text: String = changes.collect();
    for note in notes(source, file) {
        _ = writeln!(text, "{}: {note}", paint.blue("note"));
    }
    if matches!(file.standing, Standing::VerdictsChange) {
        // These are told where the reason stands that the file is left alone.
        return text;
    }
    text + &departures(source, file, paint) + &compared(source, file, paint)
}

fn is_told(standing: &Standing) -> bool {
    matches!(standing, Standing::Pending | Standing::Written { .. } | Standing::VerdictsChange)
}

/// The name of a file that would change.
pub(super) fn file_name(source: &SourceFile, file: &File) -> String {
    if matches!(file.standing, Standing::Pending | Standing::VerdictsChange) {
        format!("{}: {}\n", one_line(source.name()), count(file.migration.changes.len(), "change"))
    } else {
        String::new()
    }
}

/// Returns the steps to take by hand.
pub(super) fn notes(source: &SourceFile, file: &File) -> Vec<String> {
    let name = one_line(source.name());
    let mut notes: Vec<_> = Vec::new();
    if is_told(&file.standing) {
        let written = file.migration.notes.iter();
        notes.extend(written.map(|note| format!("{name}:{}: {}", note.line, note.what)));
    }
    if let Standing::Written { other_names: number @ 1.. } = file.standing {
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
fn compared(source: &SourceFile, file: &File, paint: Paint) -> String {
    let proof = &file.migration.proof;
    if !proof.departures.is_empty() || proof.rules == 0 {
        return String::new();
    }
    let rules = count(proof.rules, "rule");
    let means = match (&file.standing, proof.rules) {
        (Standing::Written { .. }, 1) => "means the same as before",
        (Standing::Written { .. }, _) => "mean the same as before",
        _ => "would mean the same as before",
    };
    let (name, objects) = (one_line(source.name()), count(proof.objects, "object"));
    format!("{name}: {}\n", paint.green(&format!("{rules} {means}, compared on {objects}")))
}

/// The rules whose verdicts change.
pub(super) fn departures(source: &SourceFile, file: &File, paint: Paint) -> String {
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
pub(super) fn in_the_way(run: &Run, source: &SourceFile, file: &File, paint: Paint) -> String {
    let options = RenderOptions { color: paint.0, ..RenderOptions::default() };
    let refusals = render(RenderFormat::Human, &file.migration.refusals, &run.sources, &options);
    let name = one_line(source.name());
    match &file.standing {
        Standing::WriteFailed(Unwritten { message, help }) => {
            let help =
                help.as_ref().map(|help| format!("  {}: {help}\n", paint.blue("help"))).unwrap_or_default();
            format!("{}: {name}: not written: {message}\n{help}", paint.red("error"))
        }
        Standing::Refused => format!("{refusals}\n"),
        Standing::VerdictsChange => {
            let what = "left unchanged, because verdicts would change";
            let help = format!("  {}: `--allow-changes` migrates it anyway\n", paint.blue("help"));
            format!("{}: {name}: {what}\n{help}", paint.red("error"))
        }
        Standing::Current | Standing::Pending | Standing::Written { .. } => refusals,
    }
}

/// Summarises the run, in one line.
pub(super) fn summary(run: &Run, is_done: bool) -> String {
    let of = |fits: &dyn Fn(&Standing) -> bool| run.count(fits);
    let pending = of(&Standing::would_change);
    let written = of(&|standing| matches!(standing, Standing::Written { .. }));
    let current = |fits: &dyn Fn(&File) -> bool| {
        run.files.iter().filter(|file| file.standing == Standing::Current && fits(file)).count()
    };
    let mut parts = Vec::new();
    if is_done {
        let done = if run.interrupted { written } else { written + pending };
        parts.push(format!("migrated {}", count(done, "file")));
        if run.interrupted {
            parts.push(format!("interrupted before {pending} more"));
        }
    } else if pending > 0 {
        parts.push(format!("{} would be migrated", count(pending, "file")));
    }
    let told = [
        (current(&|file| file.contents.annotations > 0), "already in the new form"),
        (current(&|file| file.contents.annotations == 0 && file.contents.is_known()), "without rules"),
        (current(&|file| !file.contents.is_known()), "of no known kind"),
        (
            of(&|standing| *standing == Standing::VerdictsChange),
            "left unchanged because verdicts would change",
        ),
        (of(&|standing| *standing == Standing::Refused), "cannot be migrated"),
        (of(&|standing| matches!(standing, Standing::WriteFailed(_))), "could not be written"),
        (run.unread.len(), "could not be read"),
    ];
    parts.extend(
        told.into_iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")),
    );
    let text = if parts.is_empty() { "nothing to migrate".to_owned() } else { parts.join(", ") };
    if pending > 0 && !is_done { text + "; nothing was written, use `--write`" } else { text }
}
