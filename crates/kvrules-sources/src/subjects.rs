//! Definitions that RuleSets name as their subjects.

use std::collections::BTreeMap;

use kvrules_diagnostics::SourceFile;
use kvrules_rule_set::{is_rule_set, subject_file};
use serde_json::Value;

use crate::input::{ParsedFile, with_documents};

/// The definitions in the files that the RuleSets of a run name, by the file of the RuleSet and the name that it writes.
#[derive(Clone, Debug, Default)]
pub struct SubjectFiles(BTreeMap<(String, String), Result<Vec<Value>, String>>);

/// Returns the files that the RuleSets in a file name as the definitions of their subjects, as they are written.
///
/// ```
/// use kvrules::{FileId, SourceFile, subject_files};
///
/// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nspec: {subject: {schema: pond.yaml}}\n";
/// assert_eq!(subject_files(&SourceFile::new(FileId(0), "rules.yaml", text)), ["pond.yaml"]);
/// ```
pub fn subject_files(source: &SourceFile) -> Vec<String> {
    if !source.text().contains("RuleSet") {
        return Vec::new();
    }
    with_documents(source, |file| {
        let sets = file.documents.iter().filter(|document| is_rule_set(document));
        sets.filter_map(|document| subject_file(document)).collect()
    })
}

impl SubjectFiles {
    /// Adds a file that a RuleSet in the file `of` names, or the reason why it cannot be read.
    pub fn add_file(&mut self, of: &str, named: &str, file: Result<&SourceFile, String>) {
        let definitions = file.and_then(|file| {
            let read = |parsed: &ParsedFile<'_>| kvrules_crd::read_definition_values(&parsed.documents);
            let definitions = with_documents(file, read);
            if definitions.is_empty() {
                return Err(format!("`{named}` has no CustomResourceDefinition"));
            }
            Ok(definitions)
        });
        self.0.insert((of.to_owned(), named.to_owned()), definitions);
    }

    /// Returns the definitions that the RuleSets in a file name, by the names that it writes.
    pub(crate) fn named_in(&self, file: &str) -> BTreeMap<String, Result<Vec<Value>, String>> {
        let named = self.0.iter().filter(|((of, _), _)| of == file);
        named.map(|((_, named), found)| (named.clone(), found.clone())).collect()
    }
}
