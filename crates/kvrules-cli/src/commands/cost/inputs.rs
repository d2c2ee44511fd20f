//! The files of `kvrules cost`, with the RuleSets in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kvrules::crd::RunResources;
use kvrules::rule_set::RuleSet;
use kvrules::{Catalog, FileId, Level, ReadContext, SourceFile, has_compiled_units};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::inputs::{InputSource, read_subjects};
use crate::text::UnreadFile;

/// The files of a run.
pub(super) struct CostInputs {
    pub(super) files: Vec<CostInput>,
    pub(super) unread: Vec<UnreadFile>,
    /// The definitions that RuleSets may be about.
    pub(super) resources: RunResources,
}

/// A file that was read.
pub(super) struct CostInput {
    pub(super) source: SourceFile,
    /// Path of the file, if it is one.
    pub(super) path: Option<PathBuf>,
}

impl CostInput {
    pub(super) fn copy_source(&self) -> SourceFile {
        SourceFile::new(FileId(0), self.source.name(), self.source.text())
    }
}

/// The RuleSets of a file.
#[derive(Default)]
pub(super) struct FileRuleSets {
    pub(super) sets: Vec<RuleSet>,
    /// True if there are errors, so that rules may be missing.
    pub(super) is_broken: bool,
    /// RuleSets about documents, whose rules no server evaluates.
    pub(super) unpriced: Vec<RuleSet>,
}

/// The error if all RuleSets have rules that no server evaluates.
pub(super) fn refuse_unpriced<'s>(mut unpriced: impl Iterator<Item = &'s RuleSet>) -> Result<(), Failure> {
    let Some(set) = unpriced.next() else { return Ok(()) };
    let message =
        format!("no server evaluates the rules of `{}`, which are about documents of a schema", set.name);
    Err(Failure::new(message).help("costs are estimated for rules about objects of Kubernetes"))
}

/// Reads the files.
pub(super) fn read_inputs(found: &[InputSource]) -> CostInputs {
    let read = |input: &InputSource| -> Result<CostInput, UnreadFile> {
        let source = SourceFile::new(FileId(0), input.name(), input.read()?);
        Ok(CostInput { source, path: input.path().map(Path::to_owned) })
    };
    let results: Vec<_> = found.par_iter().map(read).collect();
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(file) => files.push(file),
            Err(file) => unread.push(file),
        }
    }
    let sources: Vec<_> = files.iter().map(|file| &file.source).collect();
    let resources = RunResources::of_files(&sources);
    CostInputs { files, unread, resources }
}

/// Reads the RuleSets of a file.
pub(super) fn read_rule_sets(
    source: &SourceFile,
    path: Option<&Path>,
    resources: &RunResources,
) -> FileRuleSets {
    if !has_compiled_units(source) {
        return FileRuleSets::default();
    }
    let subjects = read_subjects(std::slice::from_ref(source), &[path.map(Path::to_owned)], &BTreeMap::new());
    let context = ReadContext::new(Catalog::kubevirt_vm()).with_resources(resources).with_subjects(&subjects);
    let reading = kvrules::read_file(source, &context);
    // A contradictory rule, or one with another verdict than an example expects, is a rule all the same.
    let keeps_rules = |code: &str| code == "KR105" || code == "KR108" || code.starts_with("KC");
    let is_broken = reading.diagnostics.iter().any(|it| it.level == Level::Error && !keeps_rules(it.code));
    let (unpriced, sets) = reading.rule_sets.into_iter().partition(|set| set.subject.is_of_documents());
    FileRuleSets { sets, is_broken, unpriced }
}
