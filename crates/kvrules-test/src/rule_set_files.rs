//! RuleSets in files, with the definitions of their subjects.

use std::path::Path;

use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_elaborate::catalog::Catalog;
use kvrules_sources::crd::RunResources;
use kvrules_sources::{ReadContext, SubjectFiles, read_file};

use crate::document::text_field;
use crate::files::{ParsedFile, SuiteLibrary};
use crate::model::TestSuite;
use crate::subject::{RuleOrigin, RuleSetSubject};

/// True for a document of kind RuleSet.
pub(crate) fn is_rule_set(value: &serde_json::Value) -> bool {
    text_field(value, "kind") == "RuleSet" && text_field(value, "apiVersion").starts_with("kvrules.dev/")
}

/// Reads the RuleSets in a file; `others` are the files whose definitions their subjects may be of. What `check` reports as an error
/// becomes a finding of the suite, except wrong examples: these are cases.
pub(crate) fn read_rule_sets(
    library: &mut SuiteLibrary<'_>,
    path: &Path,
    file: &ParsedFile,
    others: &[SourceFile],
    suite: &mut TestSuite,
) -> Vec<RuleSetSubject> {
    let Some(source) = library.copy_source(file.id) else { return Vec::new() };
    let subjects = load_subjects(library, path, &source);
    let others: Vec<&SourceFile> = others.iter().chain(std::iter::once(&source)).collect();
    let resources = RunResources::of_files(&others);
    let context =
        ReadContext::new(Catalog::kubevirt_vm()).with_subjects(&subjects).with_resources(&resources);
    let reading = read_file(&source, &context);
    let is_error = |found: &&Diagnostic| {
        let is_example = found.code == kvrules_rule_set::lints::EXAMPLE_VERDICT.code;
        found.level == Level::Error && found.code.starts_with("KR") && !is_example
    };
    let is_whole = !reading.diagnostics.iter().any(|found| is_error(&found));
    for error in reading.diagnostics.iter().filter(is_error) {
        if !suite.findings.contains(error) {
            suite.findings.push(error.clone());
        }
    }
    let to_subject = |set: kvrules_rule_set::RuleSet| {
        let at = file.documents.iter().position(|it| {
            let span = it.span;
            is_rule_set(&it.value) && span.start <= set.span.start && set.span.start <= span.end
        })?;
        let document = file.documents.get(at)?;
        let origin =
            RuleOrigin { path: path.to_owned(), document: at, file: Some(file.id), span: document.span };
        Some(RuleSetSubject { origin, document: document.value.clone(), set, is_whole })
    };
    reading.rule_sets.into_iter().filter_map(to_subject).collect()
}

/// Loads the files that the RuleSets of a file name, from the folder of that.
fn load_subjects(library: &mut SuiteLibrary<'_>, path: &Path, source: &SourceFile) -> SubjectFiles {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut subjects = SubjectFiles::default();
    subjects.read_named_files(source, &mut |named| {
        let file = library.load_file(&folder.join(named))?;
        let text = library.sources().get(file.id).map(|source| source.text().to_owned());
        text.ok_or_else(|| "it was not kept".to_owned())
    });
    subjects
}
