//! Checking files as the command `check` and the language server do: with everything that findings depend on outside of a file.
//!
//! Files of a run are read with the definitions and policies that they refer to ([`RunContext`]). Of the findings those count
//! that a [`FindingSelection`] selects. [`CheckSettings`] has both for single files, whose texts need not be on a disk.
//!
//! ```
//! use std::path::Path;
//!
//! use kvrules::check::CheckSettings;
//! use kvrules::{FileId, SourceFile};
//!
//! let text = "# kvrules: ignore[KV111]\nvalidations: '[]'\n";
//! let source = SourceFile::new(FileId(0), "/rules/a.yaml", text);
//! let mut no_files = |_: &str| Err("there are no files".to_owned());
//! let checked = CheckSettings::default().check_file(&source, Path::new("/rules/a.yaml"), &mut no_files)?;
//! assert!(checked.findings.is_empty() && checked.reading.diagnostics.len() == 1);
//! # Ok::<(), String>(())
//! ```

mod facts;
mod offers;
mod selection;
mod sentences;

use std::borrow::Cow;
use std::path::Path;

use kvrules_diagnostics::{Diagnostic, Level, SourceFile, Sources};
use kvrules_docs::largest_first;
use kvrules_elaborate::catalog::Catalog;
use kvrules_sources::crd::{KubernetesVersions, RunResources};
use kvrules_sources::extra_specs::Definition;
use kvrules_sources::{FileReading, ParsedFile, ReadContext, SubjectFiles, read_file, read_file_and};
use kvrules_triage::{FixOptions, FixedFile, fix_file_in};
use rayon::prelude::*;

pub use facts::{PlaceFacts, RuleFacts};
pub use selection::{AcceptedFindings, CheckedTargets, FindingSelection, path_between};

/// Facts that the files of a run share when they are read.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'a> {
    /// The fields of the objects that rules apply to.
    pub catalog: &'a Catalog,
    /// The definitions and policies of the files and of the schemas.
    pub resources: &'a RunResources,
    /// The files that RuleSets name.
    pub subjects: &'a SubjectFiles,
}

impl<'a> RunContext<'a> {
    /// Reads all files, the largest first, and has something else read the same documents.
    pub fn read_files<T: Send>(
        &self,
        files: &[SourceFile],
        also: impl Fn(&ParsedFile<'_>, &FileReading) -> T + Sync,
    ) -> Vec<(FileReading, T)> {
        let context = self.to_read_context();
        let read = |file: &SourceFile| read_file_and(file, &context, &also);
        largest_first(files, |file| file.text().len(), read)
    }

    /// Reads the files again whose findings depend on other files: with the definitions of extra specs that are `configured`, and
    /// with those of the files.
    pub fn read_dependents(
        &self,
        files: &[SourceFile],
        readings: &mut [FileReading],
        configured: &[Vec<Definition>],
        depends: impl Fn(&FileReading) -> bool,
    ) {
        let of_files = readings.iter().map(|reading| reading.definitions.clone());
        let own = configured.iter().cloned().chain(of_files.filter(|own| !own.is_empty()));
        let context = self.to_read_context().with_definitions(own.collect());
        let dependents: Vec<_> = files.iter().zip(readings).filter(|(_, reading)| depends(reading)).collect();
        dependents.into_par_iter().for_each(|(file, reading)| *reading = read_file(file, &context));
    }

    fn to_read_context(self) -> ReadContext<'a> {
        ReadContext::new(self.catalog).with_resources(self.resources).with_subjects(self.subjects)
    }
}

/// Everything that findings about a file depend on, except for the file and those that it names.
#[derive(Debug)]
pub struct CheckSettings {
    /// The fields of the objects that rules apply to.
    pub catalog: Cow<'static, Catalog>,
    /// The reason why the fields of objects are not known, for files with rules about them.
    pub unknown_subject: Option<String>,
    /// Files with definitions that policies refer to.
    pub schemas: Sources,
    /// The Kubernetes versions that definitions are for.
    pub versions: KubernetesVersions,
    /// The definitions of extra specs of the configuration.
    pub definitions: Vec<Vec<Definition>>,
    /// Selection of the findings.
    pub selection: FindingSelection,
    /// The lowest level of findings that are shown.
    pub lowest: Level,
    /// Address of the pages of lints, as the configuration has it.
    pub page_url: Option<String>,
}

/// A file that was checked.
#[derive(Debug)]
pub struct CheckedFile {
    /// Result of reading it.
    pub reading: FileReading,
    /// The findings that are shown, in the order of the text.
    pub findings: Vec<Diagnostic>,
}

impl Default for CheckSettings {
    /// The settings without a configuration.
    fn default() -> Self {
        Self {
            catalog: Cow::Borrowed(Catalog::kubevirt_vm()),
            unknown_subject: None,
            schemas: Sources::default(),
            versions: KubernetesVersions::default(),
            definitions: Vec::new(),
            selection: FindingSelection::default(),
            lowest: Level::Warning,
            page_url: None,
        }
    }
}

impl CheckSettings {
    /// Checks one file, as `kvrules check FILE` does. `path` is its absolute path; `read` returns the text of a file that a
    /// RuleSet in it names, by its path from the folder of the file.
    ///
    /// # Errors
    ///
    /// The reason why its rules cannot be checked: the schema of their objects is ambiguous.
    pub fn check_file(
        &self,
        source: &SourceFile,
        path: &Path,
        read: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<CheckedFile, String> {
        let mut subjects = SubjectFiles::default();
        subjects.read_named_files(source, read);
        let all: Vec<_> = std::iter::once(source).chain(self.schemas.files()).collect();
        let resources = RunResources::of_files(&all).with_versions(self.versions);
        let run = RunContext { catalog: &self.catalog, resources: &resources, subjects: &subjects };
        let files = std::slice::from_ref(source);
        let mut readings: Vec<_> =
            run.read_files(files, |_, _| ()).into_iter().map(|(reading, ())| reading).collect();
        run.read_dependents(files, &mut readings, &self.definitions, |reading| reading.uses_definitions);
        let reading = readings.pop().unwrap_or_default();
        match &self.unknown_subject {
            Some(reason) if !reading.sets.is_empty() => return Err(reason.clone()),
            _ => {}
        }
        let findings = self.select_shown(&reading, source, path);
        Ok(CheckedFile { reading, findings })
    }

    /// Repairs a file as `kvrules fix FILE` does: every finding that is shown or accepted and has a safe fix. The parameters are those
    /// of [`check_file`](Self::check_file).
    pub fn fix_file(
        &self,
        source: &SourceFile,
        path: &Path,
        read: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> FixedFile {
        let mut subjects = SubjectFiles::default();
        subjects.read_named_files(source, read);
        let resources = RunResources::default().with_versions(self.versions);
        let run = RunContext { catalog: &self.catalog, resources: &resources, subjects: &subjects };
        let accept = |source: &SourceFile, reading: &FileReading| {
            let mut found = self.selection.select_findings(reading, source, path).shown;
            found.retain(|found| found.level >= self.lowest);
            found
        };
        let options = FixOptions { unsafe_fixes: false, accept: &accept };
        fix_file_in(source, &run.to_read_context(), &options)
    }

    /// Returns the findings of a reading that are shown.
    fn select_shown(&self, reading: &FileReading, source: &SourceFile, path: &Path) -> Vec<Diagnostic> {
        let selected = self.selection.select_findings(reading, source, path).shown;
        let mut shown = self.selection.split_accepted(reading, path, selected).new;
        shown.retain(|found| found.level >= self.lowest);
        shown
    }
}
