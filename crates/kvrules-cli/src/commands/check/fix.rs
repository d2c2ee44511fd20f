//! `kvrules check --fix`: repairs what findings offer, and reports what is left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::{
    AttemptedRepair, Catalog, FileReading, FixOptions, FixedFile, SourceFile, Sources, is_offered,
    largest_first,
};

use super::unchecked_files::report_unchecked;
use super::{Check, classify::FindingClassifier};
use crate::failure::{Failure, Status};
use crate::inputs::{LoadedFiles, thread_pool};
use crate::outputs::{ReplaceError, replace_if_unchanged, sweep_beside, unified_diff};
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::{Terminal, print_error, render_findings};

/// Options of fixes.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("repairing").args(["fix", "diff"]).multiple(true)))]
pub(super) struct FixArgs {
    /// Apply fixes that preserve the meaning of rules, and report remaining findings; standard input is fixed to standard output
    #[arg(long, conflicts_with_all = ["watch", "write_baseline"])]
    fix: bool,
    /// With `--fix` or `--diff`: also apply fixes that may change the meaning of rules
    #[arg(long, requires = "repairing")]
    unsafe_fixes: bool,
    /// Write nothing; show the changes of `--fix` as a diff, and fail if there are any
    #[arg(long, conflicts_with_all = ["watch", "write_baseline", "output_file", "statistics"])]
    diff: bool,
}

impl FixArgs {
    /// True if repairs are requested, or at least a diff of them.
    pub(super) fn is_requested(&self) -> bool {
        self.fix || self.diff
    }
}

/// Repairs what was read.
pub(super) fn run_fixes(
    check: &Check,
    settings: &Settings,
    catalog: &Catalog,
    loaded: LoadedFiles,
    terminal: &mut Terminal,
) -> Result<Status, Failure> {
    let classifier = FindingClassifier::new(check, settings, terminal)?;
    let repaired = repair_files(check, &classifier, catalog, &loaded)?;
    report_unrepaired(&repaired, terminal);
    let status = if check.fix.diff {
        show_difference(check, &loaded, &repaired, terminal)?
    } else {
        let is_stdin = check.inputs.paths.iter().any(|path| path == Path::new("-"));
        let unwritten = if is_stdin { BTreeMap::new() } else { write_changes(&loaded, &repaired) };
        let done = AppliedFixes { unwritten, repaired };
        let (mut after, counts) = done.after(loaded);
        after.apply_definitions(catalog);
        let summary = fix_summary(check, &classifier, &after, counts);
        if is_stdin {
            print_repaired(check, &classifier, &after, &summary, terminal)?
        } else {
            for (index, why) in &done.unwritten {
                let name = after.sources.files().get(*index).map(SourceFile::name);
                terminal.failure(&why.failure(name.unwrap_or_default()));
            }
            terminal.print_status(&summary);
            let status = check.report(settings, &after, terminal)?;
            if done.unwritten.is_empty() { status } else { Status::RunError }
        }
    };
    Ok(status)
}

/// The repairs, and the files that could not be written, by their numbers.
struct AppliedFixes {
    unwritten: BTreeMap<usize, ReplaceError>,
    repaired: Vec<FixedFile>,
}

fn repair_files(
    check: &Check,
    classifier: &FindingClassifier,
    catalog: &Catalog,
    loaded: &LoadedFiles,
) -> Result<Vec<FixedFile>, Failure> {
    // Only findings that would be shown are fixed.
    let lowest = check.levels.lowest();
    let accept = |source: &SourceFile, reading: &FileReading| {
        let mut shown = classifier.select(reading, source).shown;
        shown.retain(|found| found.level >= lowest);
        shown
    };
    let options = FixOptions { unsafe_fixes: check.fix.unsafe_fixes, accept: &accept };
    let repaired = |file: &SourceFile| loaded.fix_file(file, catalog, &options);
    let files = loaded.sources.files();
    Ok(thread_pool(&check.inputs)?.install(|| largest_first(files, |file| file.text().len(), repaired)))
}

/// Says which repairs were not carried out.
fn report_unrepaired(repaired: &[FixedFile], terminal: &Terminal) {
    for fixed in repaired {
        let name = fixed.source.name();
        for AttemptedRepair { code, title, .. } in &fixed.refused {
            terminal.note(&format!("{name}: not fixed: to {title} ({code}) would break something else"));
        }
        if !fixed.circle.is_empty() {
            let mut codes: Vec<_> = fixed.circle.iter().map(|repair| repair.code).collect();
            codes.dedup();
            let codes = codes.join(" and ");
            terminal.note(&format!("{name}: not fixed: conflicting fixes of {codes}"));
        }
    }
}

/// Shows what would change.
fn show_difference(
    check: &Check,
    loaded: &LoadedFiles,
    repaired: &[FixedFile],
    terminal: &mut Terminal,
) -> Result<Status, Failure> {
    let changed = changed_files(loaded, repaired);
    for (old, fixed) in &changed {
        let difference = unified_diff(Path::new(old.name()), Some(old.text()), fixed.source.text());
        terminal.print(&difference)?;
    }
    loaded.tell_unread(terminal);
    let repairs: usize = repaired.iter().map(FixedFile::repaired_count).sum();
    let with = if check.fix.unsafe_fixes { "--fix --unsafe-fixes" } else { "--fix" };
    terminal.print_status(&match repairs {
        0 => "nothing would change".to_owned(),
        _ => {
            format!(
                "`{with}` would fix {} in {}",
                count_noun(repairs, "finding"),
                count_noun(changed.len(), "file")
            )
        }
    });
    let is_unchecked = report_unchecked(loaded, terminal) && !loaded.allow_empty;
    Ok(match (loaded.is_whole() && !is_unchecked, changed.is_empty()) {
        (false, _) => Status::RunError,
        (true, false) => Status::Findings,
        (true, true) => Status::Clean,
    })
}

/// The files that change, as they were and as they are.
fn changed_files<'a>(
    loaded: &'a LoadedFiles,
    repaired: &'a [FixedFile],
) -> Vec<(&'a SourceFile, &'a FixedFile)> {
    let pairs = loaded.sources.files().iter().zip(repaired);
    pairs.filter(|(old, fixed)| old.text() != fixed.source.text()).collect()
}

/// Writes the files that change, each whole or not at all. The answer is why some are left as they are.
fn write_changes(loaded: &LoadedFiles, repaired: &[FixedFile]) -> BTreeMap<usize, ReplaceError> {
    sweep_beside(loaded.paths.iter().flatten().map(PathBuf::as_path));
    let files = loaded.sources.files().iter().zip(&loaded.paths).zip(repaired).enumerate();
    let changed = files.filter(|(_, ((old, _), fixed))| old.text() != fixed.source.text());
    let written = changed.filter_map(|(index, ((old, path), fixed))| {
        let why = replace_if_unchanged(path.as_deref()?, old.text(), fixed.source.text()).err()?;
        Some((index, why))
    });
    written.collect()
}

/// `fixed 3 findings in 2 files, 1 remaining; 1 more with --unsafe-fixes`.
fn fix_summary(
    check: &Check,
    classifier: &FindingClassifier,
    after: &LoadedFiles,
    (repairs, files): (usize, usize),
) -> String {
    let read = after.readings.iter().zip(after.sources.files());
    let mut left: Vec<_> =
        read.flat_map(|(reading, source)| classifier.select(reading, source).shown).collect();
    left.retain(|found| found.level >= check.levels.lowest());
    let more = left.iter().filter(|found| is_offered(found, true)).count();
    let more = match more {
        0 => String::new(),
        _ if check.fix.unsafe_fixes => String::new(),
        number => format!("; {number} more with `--unsafe-fixes`"),
    };
    format!(
        "fixed {} in {}, {} remaining{more}",
        count_noun(repairs, "finding"),
        count_noun(files, "file"),
        left.len()
    )
}

impl AppliedFixes {
    /// Returns the state after the repairs, and the number of repaired findings and of their files.
    fn after(&self, loaded: LoadedFiles) -> (LoadedFiles, (usize, usize)) {
        let (mut sources, mut readings, mut counts) = (Sources::default(), Vec::new(), (0, 0));
        let before = loaded.sources.files().iter().zip(loaded.readings);
        for (index, ((old, reading), fixed)) in before.zip(&self.repaired).enumerate() {
            if self.unwritten.contains_key(&index) {
                sources.add_file(old.name(), old.text());
                readings.push(reading);
            } else {
                sources.add_file(fixed.source.name(), fixed.source.text());
                readings.push(fixed.reading.clone());
                counts.0 += fixed.repaired_count();
                counts.1 += usize::from(fixed.repaired_count() > 0);
            }
        }
        (LoadedFiles { sources, readings, prepared: Vec::new(), ..loaded }, counts)
    }
}

/// The repaired text on standard output, and what is left next to it.
fn print_repaired(
    check: &Check,
    classifier: &FindingClassifier,
    after: &LoadedFiles,
    summary: &str,
    terminal: &mut Terminal,
) -> Result<Status, Failure> {
    for source in after.sources.files() {
        terminal.print_file(source.text())?;
    }
    let findings = classifier.classify_findings(after).findings;
    let lowest = check.levels.lowest();
    let shown: Vec<_> = findings.iter().filter(|found| found.level >= lowest).cloned().collect();
    let options = RenderOptions { color: terminal.paint_error().0, ..RenderOptions::default() };
    print_error(&render_findings(RenderFormat::Human, &shown, &after.sources, &options));
    after.tell_unread(terminal);
    let is_unchecked = report_unchecked(after, terminal) && !after.allow_empty;
    terminal.print_status(summary);
    Ok(if is_unchecked { Status::RunError } else { check.status(after, &findings) })
}
