//! Selection of the findings that count: by the configuration, the targets that rules are for, and a baseline.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::targets::{lint_targets, loss::LossPolicy};
use kvrules_emit::{Emitter, Options, Request};
use kvrules_sources::FileReading;
use kvrules_sources::crd::KubernetesVersions;
use kvrules_triage::select::{Baseline, BaselineSplit, LintSelection, SelectedFindings};

use crate::merge_rule_sets;

/// Criteria for findings.
#[derive(Debug, Default)]
pub struct FindingSelection {
    /// The lints that count.
    pub lints: LintSelection,
    /// The directory that patterns of files start from, as an absolute path.
    pub base: PathBuf,
    /// The targets that the rules are for, if any are named.
    pub targets: Option<CheckedTargets>,
    /// Findings that are accepted, if a baseline is named.
    pub accepted: Option<AcceptedFindings>,
}

/// A baseline, and the place that its paths start from.
#[derive(Debug)]
pub struct AcceptedFindings {
    /// The directory of its file, as an absolute path.
    pub base: PathBuf,
    /// The findings that it accepts.
    pub baseline: Baseline,
}

/// The targets that rules are checked for, and what they need to be made.
#[derive(Debug)]
pub struct CheckedTargets {
    /// The targets.
    pub targets: Vec<&'static Emitter>,
    /// Their options.
    pub options: Options,
    /// Levels of inexact rules.
    pub policy: LossPolicy,
    /// The fields of the objects that rules apply to.
    pub catalog: Cow<'static, Catalog>,
    /// The file with the schema of the objects, if it is not built in.
    pub schema: Option<SourceFile>,
    /// The chosen schema of that file.
    pub schema_choice: Option<String>,
    /// The Kubernetes versions that targets are for.
    pub servers: KubernetesVersions,
}

impl FindingSelection {
    /// Selects the findings about a file with this absolute path, without the baseline.
    pub fn select_findings(
        &self,
        reading: &FileReading,
        source: &SourceFile,
        path: &Path,
    ) -> SelectedFindings {
        let reading =
            self.targets.as_ref().map_or(Cow::Borrowed(reading), |targets| targets.add_losses(reading));
        self.lints.select_findings(&reading, source, path.strip_prefix(&self.base).ok())
    }

    /// Takes out the findings that the baseline accepts; without a baseline all are new.
    pub fn split_accepted(
        &self,
        reading: &FileReading,
        path: &Path,
        found: Vec<Diagnostic>,
    ) -> BaselineSplit {
        match &self.accepted {
            Some(accepted) => {
                accepted.baseline.split_findings(&path_between(&accepted.base, path), reading, found)
            }
            None => BaselineSplit { new: found, ..BaselineSplit::default() },
        }
    }
}

impl CheckedTargets {
    /// Returns the reading of a file, with the losses of the targets among its findings.
    fn add_losses<'r>(&self, reading: &'r FileReading) -> Cow<'r, FileReading> {
        let sets = merge_rule_sets(reading.sets.clone());
        let request = Request {
            subject: self.catalog.subject(),
            schema: self.schema.as_ref(),
            schema_choice: self.schema_choice.as_deref(),
            options: &self.options,
            servers: self.servers,
            ..Request::for_virtual_machines(&sets)
        };
        let found = lint_targets(&self.targets, &request, &self.policy);
        if found.is_empty() {
            return Cow::Borrowed(reading);
        }
        let mut with_losses = reading.clone();
        with_losses.diagnostics.extend(found);
        with_losses.diagnostics.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        Cow::Owned(with_losses)
    }
}

/// Returns a path as one writes it in a directory, with `/` between its parts on every system. Both are absolute and without
/// `.` and `..`.
///
/// ```
/// use std::path::Path;
///
/// use kvrules::check::path_between;
///
/// assert_eq!(path_between(Path::new("/a"), Path::new("/a/b/c.yaml")), "b/c.yaml");
/// ```
pub fn path_between(directory: &Path, path: &Path) -> String {
    let shared =
        directory.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".into(), directory.components().count() - shared);
    let down = path.components().skip(shared).map(|part| part.as_os_str().to_string_lossy());
    up.chain(down).collect::<Vec<_>>().join("/")
}
