//! Files that RuleSets name as their subjects: definitions and schemas.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_rule_set::{SubjectFile, included_name, is_rule_set, subject_file};
use kvrules_syntax::value::ValueReader;

use crate::input::{ParsedFile, with_documents};

/// The files that RuleSets of one file may include.
const MOST_FILES: usize = 1_000;

/// The files that the RuleSets of a run name, by the file of the RuleSet and the name that it writes.
#[derive(Clone, Debug, Default)]
pub struct SubjectFiles {
    files: BTreeMap<(String, String), Result<SubjectFile, String>>,
    /// The texts of included files, by the file of the RuleSet and their names from its folder.
    included: BTreeMap<(String, String), Result<String, String>>,
    /// Values of parameters at compile time.
    parameters: BTreeMap<String, String>,
}

/// Returns the files that the RuleSets in a file name for their subjects, as they are written.
///
/// ```
/// use kvrules::{FileId, SourceFile, subject_files};
///
/// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nspec: {subject: {schema: pond.yaml}}\n";
/// assert_eq!(subject_files(&SourceFile::new(FileId(0), "rules.yaml", text)), ["pond.yaml"]);
/// ```
pub fn subject_files(source: &SourceFile) -> Vec<String> {
    if !source.mentions_word("RuleSet") {
        return Vec::new();
    }
    with_documents(source, |file| {
        let sets = file.documents.iter().filter(|document| is_rule_set(document));
        sets.filter_map(|document| subject_file(document)).collect()
    })
}

/// Returns the files that the RuleSets in a file include, as they are written.
///
/// ```
/// use kvrules::{FileId, SourceFile, included_files};
///
/// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nspec: {include: [{file: pod.yaml}]}\n";
/// assert_eq!(included_files(&SourceFile::new(FileId(0), "rules.yaml", text)), ["pod.yaml"]);
/// ```
pub fn included_files(source: &SourceFile) -> Vec<String> {
    if !source.mentions_word("RuleSet") {
        return Vec::new();
    }
    with_documents(source, |file| {
        let sets = file.documents.iter().filter(|document| is_rule_set(document));
        sets.flat_map(|document| kvrules_rule_set::included_files(document)).collect()
    })
}

impl SubjectFiles {
    /// Reads the files that the RuleSets in a file name: definitions, and further rules with what these include. `read` returns the
    /// text of a file by its path from the folder of the RuleSet, or the reason why it cannot be read.
    pub fn read_named_files(
        &mut self,
        source: &SourceFile,
        read: &mut dyn FnMut(&str) -> Result<String, String>,
    ) {
        let mut read = |named: &str| read(named).map_err(|reason| format!("cannot read `{named}`: {reason}"));
        for named in subject_files(source) {
            let found = read(&named).map(|text| SourceFile::new(FileId(0), named.clone(), text));
            self.add_file(source.name(), &named, found.as_ref().map_err(Clone::clone));
        }
        let mut wanted: Vec<String> =
            included_files(source).iter().map(|file| included_name("", file)).collect();
        let mut known = HashSet::new();
        while let Some(name) = wanted.pop() {
            if !known.insert(name.clone()) {
                continue;
            }
            let text = if known.len() > MOST_FILES {
                Err(format!("`{name}` was not read: more than {MOST_FILES} files are included"))
            } else {
                read(&name)
            };
            if let Ok(text) = &text {
                let file = SourceFile::new(FileId(0), name.clone(), text.clone());
                wanted.extend(included_files(&file).iter().map(|file| included_name(&name, file)));
            }
            self.add_included(source.name(), &name, text);
        }
    }

    /// Adds a file that a RuleSet in the file `of` names, or the reason why it cannot be read.
    pub fn add_file(&mut self, of: &str, named: &str, file: Result<&SourceFile, String>) {
        let found = file.and_then(|file| with_documents(file, |parsed| read_subject_file(parsed, named)));
        self.files.insert((of.to_owned(), named.to_owned()), found);
    }

    /// Adds the values of parameters at compile time.
    #[must_use]
    pub fn with_parameters(self, parameters: BTreeMap<String, String>) -> Self {
        Self { parameters, ..self }
    }

    /// Adds the text of a file that a RuleSet in the file `of` includes, by its name from the folder of that, or the reason why it
    /// cannot be read.
    pub fn add_included(&mut self, of: &str, name: &str, text: Result<String, String>) {
        self.included.insert((of.to_owned(), name.to_owned()), text);
    }

    /// Returns the texts that the RuleSets in a file include, by their names.
    pub(crate) fn included_in(&self, file: &str) -> BTreeMap<String, Result<String, String>> {
        let included = self.included.iter().filter(|((of, _), _)| of == file);
        included.map(|((_, name), text)| (name.clone(), text.clone())).collect()
    }

    pub(crate) fn parameters(&self) -> &BTreeMap<String, String> {
        &self.parameters
    }

    /// Returns the files that the RuleSets in a file name, by the names that it writes.
    pub(crate) fn named_in(&self, file: &str) -> BTreeMap<String, Result<SubjectFile, String>> {
        let named = self.files.iter().filter(|((of, _), _)| of == file);
        named.map(|((_, named), found)| (named.clone(), found.clone())).collect()
    }
}

/// The definitions in a file, else the value of its only document.
fn read_subject_file(parsed: &ParsedFile<'_>, named: &str) -> Result<SubjectFile, String> {
    let definitions = kvrules_crd::read_definition_values(&parsed.documents);
    if !definitions.is_empty() {
        return Ok(SubjectFile::Definitions(definitions));
    }
    let roots: Vec<_> = parsed.documents.iter().filter_map(|document| document.root()).collect();
    let [root] = roots.as_slice() else {
        let what = if roots.is_empty() {
            "is empty"
        } else {
            "has several documents and no CustomResourceDefinition"
        };
        return Err(format!("`{named}` {what}"));
    };
    if parsed.documents.iter().any(|document| document.has_unread_parts()) {
        return Err(format!("`{named}` cannot be read; `kvrules check {named}` reports why"));
    }
    let value = ValueReader::for_yaml12().with_lenient_reading().read_value(*root);
    let value = value.map_err(|error| format!("`{named}` cannot be read: {}", error.message))?;
    Ok(SubjectFile::Schemas(Arc::new(value)))
}
