//! Classifies findings: those that count, those that are ignored, and those that were accepted before.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kvrules::select::{Baseline, LintSelection, SelectedFindings};
use kvrules::{Diagnostic, FileReading, Level, SourceFile, Sources};

use super::Check;
use super::select::SelectArgs;
use super::targets::Targets;
use crate::failure::Failure;
use crate::inputs::LoadedFiles;
use crate::outputs::replace_file;
use crate::paths::{self, absolute_path, seen_from};
use crate::sentences::count_noun;
use crate::settings::{Settings, to_failure};
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};

/// Criteria for findings.
#[derive(Debug)]
pub(super) struct FindingClassifier {
    selection: LintSelection,
    /// The directory that patterns of files start from.
    base: PathBuf,
    /// The targets that the rules are for, if any are named.
    targets: Option<Targets>,
    baseline: Option<LoadedBaseline>,
}

/// The baseline and where it is.
#[derive(Debug)]
struct LoadedBaseline {
    path: PathBuf,
    /// The directory that its paths start from.
    base: PathBuf,
    /// Its accepted findings; `None` if the file does not exist yet.
    accepts: Option<Baseline>,
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

impl FindingClassifier {
    pub(super) fn new(check: &Check, settings: &Settings, terminal: &Terminal) -> Result<Self, Failure> {
        let args = &check.selection;
        let targets = check.targets.targets(&check.subject, settings)?;
        let selection = settings.selection(args.choice());
        let baseline = LoadedBaseline::new(args, settings, terminal)?;
        Ok(Self { selection, base: absolute_path(settings.base()), targets, baseline })
    }

    /// Selects the findings in a file, without the baseline.
    pub(super) fn select(&self, reading: &FileReading, source: &SourceFile) -> SelectedFindings {
        let path = absolute_path(Path::new(source.name()));
        let reading = self.targets.as_ref().map_or(Cow::Borrowed(reading), |targets| targets.heeded(reading));
        self.selection.select_findings(&reading, source, path.strip_prefix(&self.base).ok())
    }

    /// Classifies all findings.
    pub(super) fn classify_findings(&self, loaded: &LoadedFiles) -> ClassifiedFindings {
        let mut classified = ClassifiedFindings::default();
        for (reading, source) in loaded.readings.iter().zip(loaded.sources.files()) {
            let selected = self.select(reading, source);
            classified.ignored += selected.ignored.len();
            let Some((baseline, accepts)) =
                self.baseline.as_ref().and_then(|baseline| Some((baseline, baseline.accepts.as_ref()?)))
            else {
                classified.findings.extend(selected.shown);
                continue;
            };
            let accepted = accepts.split_findings(&baseline.name(source.name()), reading, selected.shown);
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
        let Some(baseline) = &self.baseline else {
            let help = "name it with `--baseline`, or as `baseline` under `[lint]` of the configuration";
            return Err(Failure::new("missing baseline file for `--write-baseline`").help(help));
        };
        let mut made = Baseline::default();
        let mut checked = BTreeSet::new();
        let (mut accepted, mut with_findings) = (Vec::new(), 0);
        for (reading, source) in loaded.readings.iter().zip(loaded.sources.files()) {
            let name = baseline.name(source.name());
            let mut findings = self.select(reading, source).shown;
            findings.retain(&wanted);
            made.add_findings(&name, reading, &findings);
            with_findings += usize::from(!findings.is_empty());
            accepted.extend(findings.iter().map(|finding| finding.level));
            checked.insert(name);
        }
        let found = made.len();
        let levels = count_levels(&accepted);
        if let Some(old) = &baseline.accepts {
            made.copy_files_from(old, |file| !checked.contains(file) && baseline.base.join(file).exists());
        }
        replace_file(&baseline.path, &made.to_text())?;
        let kept = match made.len() - found {
            0 => String::new(),
            kept => format!(", and keeps {} of files that were not checked", count_noun(kept, "finding")),
        };
        let before = match baseline.accepts.as_ref().map(Baseline::len) {
            Some(before) if before != made.len() => format!(", {before} before"),
            _ => String::new(),
        };
        let path = paths::display_path(&baseline.path);
        terminal.print_status(&format!(
            "`{path}` now accepts {}{levels} in {with_findings} of {}{before}{kept}",
            count_noun(found, "finding"),
            count_noun(checked.len(), "file")
        ));
        Ok(())
    }
}

impl LoadedBaseline {
    fn new(args: &SelectArgs, settings: &Settings, terminal: &Terminal) -> Result<Option<Self>, Failure> {
        let configured = settings.config.lint.baseline.as_ref();
        let Some(path) = args.baseline.clone().or_else(|| Some(settings.path(configured?.get_ref()))) else {
            return Ok(None);
        };
        let origin = if args.baseline.is_some() { PathOrigin::Argument } else { PathOrigin::File };
        let accepts = match read_text(&path, origin) {
            Ok(text) => Some(parse(&path, text, terminal)?),
            Err(_) if args.write_baseline && !path.exists() => None,
            Err(unread) => {
                let (message, help) =
                    (format!("cannot read the baseline {unread}"), "`--write-baseline` creates it");
                return Err(match configured.filter(|_| args.baseline.is_none()) {
                    Some(entry) => settings.fault(entry, message, Some(help)),
                    None => Failure::new(message).help(help),
                });
            }
        };
        let base = absolute_path(path.parent().unwrap_or(Path::new("")));
        Ok(Some(Self { path, base, accepts }))
    }

    /// Returns the name of a file in the baseline.
    fn name(&self, file: &str) -> String {
        seen_from(&self.base, &absolute_path(Path::new(file)))
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
