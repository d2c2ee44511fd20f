//! Classifies findings: those that count, those that are ignored, and those that were accepted before.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kvrules::check::{AcceptedFindings, FindingSelection, path_between};
use kvrules::select::{Baseline, SelectedFindings};
use kvrules::{Diagnostic, FileReading, Level, SourceFile, Sources};

use super::Check;
use super::select::SelectArgs;
use super::targets::TargetsArgs;
use crate::failure::Failure;
use crate::inputs::LoadedFiles;
use crate::options::SubjectArgs;
use crate::outputs::replace_file;
use crate::paths::{self, absolute_path};
use crate::sentences::count_noun;
use crate::settings::{Settings, to_failure};
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};

/// Criteria for findings, and the baseline that may be written.
#[derive(Debug)]
pub(super) struct FindingClassifier {
    selection: FindingSelection,
    /// The file of the baseline, if one is named.
    baseline: Option<PathBuf>,
}

/// Classified findings of a run.
#[derive(Debug, Default)]
pub(super) struct ClassifiedFindings {
    /// Those that count.
    pub(super) findings: Vec<Diagnostic>,
    /// Number of findings that ignores in the files cover.
    pub(super) ignored: usize,
    /// Number of findings that the baseline accepts.
    pub(super) known: usize,
    /// Number of findings that the baseline accepts and that no longer exist.
    pub(super) outdated: usize,
}

/// Returns the selection of findings of the configuration alone.
pub(crate) fn configured_selection(
    settings: &Settings,
    terminal: &Terminal,
) -> Result<FindingSelection, Failure> {
    let (select, targets, subject) = (SelectArgs::default(), TargetsArgs::default(), SubjectArgs::default());
    let baseline = find_baseline(&select, settings);
    select_by(&select, &targets, &subject, baseline.as_deref(), (settings, terminal))
}

fn select_by(
    select: &SelectArgs,
    targets: &TargetsArgs,
    subject: &SubjectArgs,
    baseline: Option<&Path>,
    (settings, terminal): (&Settings, &Terminal),
) -> Result<FindingSelection, Failure> {
    let targets = targets.targets(subject, settings)?;
    let accepted = match baseline {
        Some(path) => load_baseline(path, select, settings, terminal)?,
        None => None,
    };
    let lints = settings.selection(select.choice());
    Ok(FindingSelection { lints, base: absolute_path(settings.base()), targets, accepted })
}

impl FindingClassifier {
    pub(super) fn new(check: &Check, settings: &Settings, terminal: &Terminal) -> Result<Self, Failure> {
        let (select, targets) = (&check.selection, &check.targets);
        let baseline = find_baseline(select, settings);
        let selection =
            select_by(select, targets, &check.subject, baseline.as_deref(), (settings, terminal))?;
        Ok(Self { selection, baseline })
    }

    /// Selects the findings in a file, without the baseline.
    pub(super) fn select(&self, reading: &FileReading, source: &SourceFile) -> SelectedFindings {
        self.selection.select_findings(reading, source, &absolute_path(Path::new(source.name())))
    }

    /// Classifies all findings.
    pub(super) fn classify_findings(&self, loaded: &LoadedFiles) -> ClassifiedFindings {
        let mut classified = ClassifiedFindings::default();
        for (reading, source) in loaded.readings.iter().zip(loaded.sources.files()) {
            let selected = self.select(reading, source);
            classified.ignored += selected.ignored.len();
            let path = absolute_path(Path::new(source.name()));
            let accepted = self.selection.split_accepted(reading, &path, selected.shown);
            classified.known += accepted.known.len();
            classified.outdated += accepted.outdated as usize;
            classified.findings.extend(accepted.new);
        }
        classified
    }

    /// Writes a baseline that accepts what `wanted` lets through. Of files that were not examined it keeps what the old one
    /// has, as long as they are there.
    pub(super) fn accept(
        &self,
        loaded: &LoadedFiles,
        wanted: impl Fn(&Diagnostic) -> bool,
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        let Some(path) = &self.baseline else {
            let help = "name it with `--baseline`, or as `baseline` under `[lint]` of the configuration";
            return Err(Failure::new("missing baseline file for `--write-baseline`").help(help));
        };
        let base = baseline_folder(path);
        let before = self.selection.accepted.as_ref().map(|accepted| &accepted.baseline);
        let mut made = Baseline::default();
        let mut checked = BTreeSet::new();
        let (mut accepted, mut with_findings) = (Vec::new(), 0);
        for (reading, source) in loaded.readings.iter().zip(loaded.sources.files()) {
            let name = path_between(&base, &absolute_path(Path::new(source.name())));
            let mut findings = self.select(reading, source).shown;
            findings.retain(&wanted);
            made.add_findings(&name, reading, &findings);
            with_findings += usize::from(!findings.is_empty());
            accepted.extend(findings.iter().map(|finding| finding.level));
            checked.insert(name);
        }
        let found = made.len();
        let levels = count_levels(&accepted);
        if let Some(old) = before {
            made.copy_files_from(old, |file| !checked.contains(file) && base.join(file).exists());
        }
        replace_file(path, &made.to_text())?;
        let kept = match made.len() - found {
            0 => String::new(),
            kept => format!(", and keeps {} of files that were not checked", count_noun(kept, "finding")),
        };
        let before = match before.map(Baseline::len) {
            Some(before) if before != made.len() => format!(", {before} before"),
            _ => String::new(),
        };
        let path = paths::display_path(path);
        terminal.print_status(&format!(
            "`{path}` now accepts {}{levels} in {with_findings} of {}{before}{kept}",
            count_noun(found, "finding"),
            count_noun(checked.len(), "file")
        ));
        Ok(())
    }
}

/// The file of the baseline: that of the options, or else of the configuration.
fn find_baseline(args: &SelectArgs, settings: &Settings) -> Option<PathBuf> {
    let configured = || Some(settings.path(settings.config.lint.baseline.as_ref()?.get_ref()));
    args.baseline.clone().or_else(configured)
}

/// The directory that paths in a baseline start from.
fn baseline_folder(path: &Path) -> PathBuf {
    absolute_path(path.parent().unwrap_or(Path::new("")))
}

/// Reads a baseline; `None` if it is to be written and does not exist yet.
fn load_baseline(
    path: &Path,
    args: &SelectArgs,
    settings: &Settings,
    terminal: &Terminal,
) -> Result<Option<AcceptedFindings>, Failure> {
    let origin = if args.baseline.is_some() { PathOrigin::Argument } else { PathOrigin::File };
    match read_text(path, origin) {
        Ok(text) => {
            let baseline = parse(path, text, terminal)?;
            Ok(Some(AcceptedFindings { base: baseline_folder(path), baseline }))
        }
        Err(_) if args.write_baseline && !path.exists() => Ok(None),
        Err(unread) => {
            let (message, help) =
                (format!("cannot read the baseline {unread}"), "`--write-baseline` creates it");
            let configured = settings.config.lint.baseline.as_ref().filter(|_| args.baseline.is_none());
            Err(match configured {
                Some(entry) => settings.fault(entry, message, Some(help)),
                None => Failure::new(message).help(help),
            })
        }
    }
}

/// ` (2 errors, 1 warning)`, or nothing.
fn count_levels(levels: &[Level]) -> String {
    let nouns = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Info, "note")];
    let number = |wanted: Level| levels.iter().filter(|level| **level == wanted).count();
    let counts: Vec<_> = nouns
        .into_iter()
        .filter(|(level, _)| number(*level) > 0)
        .map(|(level, noun)| count_noun(number(level), noun))
        .collect();
    if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

fn parse(path: &Path, text: String, terminal: &Terminal) -> Result<Baseline, Failure> {
    let mut sources = Sources::default();
    let id = sources.add_file(path.to_string_lossy(), text);
    let Some(file) = sources.get(id) else { return Ok(Baseline::default()) };
    Baseline::parse(file).map_err(|faults| to_failure(&faults, &sources, terminal.paint_error().0))
}
