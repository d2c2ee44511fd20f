//! Suites of openshift/api and openshift/hypershift: creations and updates of objects of generated definitions.
//!
//! The behaviour follows `tests/generator.go` and `tests/crd_filter.go` of that repository.

mod gates;
mod patch;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kvrules_diagnostics::{FileId, Span};
use serde_json::{Map, Value};

use crate::document::{
    SuiteDocument, field, is_present, list_items, metadata_text, parse_documents, text_field,
};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{SuiteFormat, is_kind, load_suite_file, recognize_document};
use crate::model::{CaseInput, CaseWrites, Expectation, ExpectedText, ExpectedVerdict, TestCase, TestSuite};
use crate::subject::{DefinitionSubject, RuleOrigin, Subject};

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "openshift-api",
    title: "suites of openshift/api",
    is_within_rules: false,
    recognize,
    read,
};

/// Folder of the generated definitions, next to the folder of the suites.
const DEFINITIONS: &str = "zz_generated.crd-manifests";
/// Folder of the feature gates, at the root of the repository.
const GATES: &str = "payload-manifests/featuregates";

fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    let is_suite =
        |value: &Value| !text_field(value, "crdName").is_empty() && field(value, "tests").is_object();
    recognize_document(library, path, is_suite)
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    for document in &file.documents {
        let subjects = find_subjects(library, path, document, &mut suite);
        for (label, subject) in &subjects {
            let reader = SuiteReader { file: file.id, document, label, subject };
            for list in ["onCreate", "onUpdate"] {
                let tests = field(field(&document.value, "tests"), list);
                for (index, test) in list_items(tests).enumerate() {
                    reader.read_test(list, index, test, &mut suite);
                }
            }
        }
    }
    suite
}

/// Returns the definitions that a suite is about, each with the name of its file if they are several.
// crd_filter.go, perTestRuntimeInfo
fn find_subjects(
    library: &mut SuiteLibrary<'_>,
    path: &Path,
    document: &SuiteDocument,
    suite: &mut TestSuite,
) -> Vec<(String, Arc<Subject>)> {
    let name = document.text_at("/crdName");
    let above: Vec<&Path> = path.ancestors().skip(1).take(4).collect();
    let folder = above.iter().find(|folder| library.has_entry(folder, DEFINITIONS));
    let Some(folder) = folder.map(|folder| folder.join(DEFINITIONS)) else {
        let message = format!("no folder `{DEFINITIONS}` with the definition `{name}` near the suite");
        suite.findings.push(suite_error(document.span_at("/crdName"), message));
        return Vec::new();
    };
    let payloads = find_payloads(library, path);
    let mut found: Vec<(String, DefinitionSubject)> = Vec::new();
    for path in library.list_documents(&folder) {
        let Ok(file) = library.load_file(&path) else { continue };
        for (index, candidate) in file.documents.iter().enumerate() {
            let is_its = is_kind(&candidate.value, "CustomResourceDefinition")
                && metadata_text(&candidate.value, "name") == name;
            if !is_its {
                continue;
            }
            match gates::is_for_definition(&document.value, &candidate.value, &payloads) {
                Ok(false) => {}
                Ok(true) => {
                    let origin = RuleOrigin {
                        path: path.clone(),
                        document: index,
                        file: Some(file.id),
                        span: candidate.span,
                    };
                    let label = path.file_stem().map(|it| it.to_string_lossy().into_owned());
                    found.push((
                        label.unwrap_or_default(),
                        DefinitionSubject::new(candidate.value.clone(), origin),
                    ));
                }
                Err(message) => suite.findings.push(suite_error(document.span_at("/featureGates"), message)),
            }
        }
    }
    if found.is_empty() {
        let message = format!("no definition `{name}` in `{DEFINITIONS}` has the feature gates of the suite");
        suite.findings.push(suite_error(document.span_at("/crdName"), message));
    }
    let is_several = found.len() > 1;
    let version = document.text_at("/version");
    let to_subject = |(label, definition): (String, DefinitionSubject)| {
        let subject = Subject::of_definition(definition.with_only_version(version));
        (if is_several { format!(" [{label}]") } else { String::new() }, Arc::new(subject))
    };
    found.into_iter().map(to_subject).collect()
}

/// Returns the files of feature gates.
fn find_payloads(library: &mut SuiteLibrary<'_>, path: &Path) -> Vec<Value> {
    let Some(folder) = library.find_above(path, GATES) else { return Vec::new() };
    library.list_documents(&folder).iter().map(|path| library.first_value(path)).collect()
}

/// Reader of the tests about one definition.
struct SuiteReader<'a> {
    file: FileId,
    document: &'a SuiteDocument,
    label: &'a str,
    subject: &'a Arc<Subject>,
}

impl SuiteReader<'_> {
    fn read_test(&self, list: &str, index: usize, test: &Value, suite: &mut TestSuite) {
        let pointer = format!("/tests/{list}/{index}");
        let span = |name: &str| self.document.span_at(&format!("{pointer}/{name}"));
        let mut object = |name: &str| match self.read_object(test, name) {
            Ok(object) => Some(object),
            Err(message) => {
                suite.findings.push(suite_error(span(name), message));
                None
            }
        };
        let mut input = CaseInput::default();
        let written = if list == "onCreate" { "initial" } else { "updated" };
        let Some(new) = object(written) else { return };
        input.object = new;
        if list == "onUpdate" {
            let Some(old) = object("initial") else { return };
            input.old_object = old;
            input.writes = CaseWrites::ObjectThenStatus;
        }
        let expected = match self.read_expectation(test, written, &span) {
            Ok(expected) => expected,
            Err(message) => {
                suite.findings.push(suite_error(span("expected"), message));
                return;
            }
        };
        if field(test, "initialCRDPatches").is_array() {
            match self.patched_subject(field(test, "initialCRDPatches")) {
                Ok(subject) => input.initial_subject = Some(Arc::new(subject)),
                Err(message) => {
                    suite.findings.push(suite_error(span("initialCRDPatches"), message));
                    return;
                }
            }
        }
        suite.cases.push(TestCase {
            name: format!("{list}: {}{}", text_field(test, "name"), self.label),
            span: span("name"),
            subject: Arc::clone(self.subject),
            input,
            expected,
            skipped: None,
        });
    }

    /// Returns an object as the runner sends it.
    // generator.go, newUnstructuredFrom
    fn read_object(&self, test: &Value, name: &str) -> Result<Value, String> {
        let yaml = field(test, name).as_str().ok_or_else(|| format!("missing `{name}`"))?;
        let (documents, unread) = parse_documents(self.file, yaml);
        if let Some(part) = unread.first() {
            return Err(format!("`{name}` cannot be read: {}", part.message));
        }
        let mut object = documents.into_iter().next().map(|it| it.value).unwrap_or_default();
        let Some(fields) = object.as_object_mut() else { return Err(format!("`{name}` is not an object")) };
        let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if !metadata.is_object() {
            *metadata = Value::Object(Map::new());
        }
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.insert("generateName".to_owned(), "test-".into());
            metadata.insert("namespace".to_owned(), "default".into());
            // apiserver storage/names/generate.go: five random characters follow the base.
            metadata.entry("name").or_insert_with(|| "test-abcde".into());
        }
        Ok(object)
    }

    /// Returns the expected answer: an error, or what is stored, which is compared only if it is given.
    // generator.go, generateOnCreateTable and generateOnUpdateTable
    fn read_expectation(
        &self,
        test: &Value,
        written: &str,
        span: &dyn Fn(&str) -> Span,
    ) -> Result<Expectation, String> {
        let given = |name: &str| field(test, name).as_str().filter(is_present);
        let has_status = self.read_object(test, written)?.get("status").is_some_and(|it| !it.is_null());
        let rejected = |name: &str, text: &str, is_about_status| Expectation {
            verdict: ExpectedVerdict::Reject,
            is_about_status,
            messages: vec![ExpectedText::part(text, span(name))],
            ..Expectation::default()
        };
        if let Some(error) = given("expectedError") {
            return Ok(rejected("expectedError", error, false));
        }
        let status = given("expectedStatusError").filter(|_| has_status && written == "updated");
        if let Some(error) = status {
            return Ok(rejected("expectedStatusError", error, true));
        }
        let stored = given("expected").map(|_| self.read_object(test, "expected")).transpose()?;
        Ok(Expectation { stored, ..Expectation::default() })
    }

    /// Returns the subject with the patches of the first write.
    // generator.go, getPatchedCRD: the whole patched file takes the place of the definition, with all its versions.
    fn patched_subject(&self, patches: &Value) -> Result<Subject, String> {
        let Some(definition) = self.subject.definitions.first() else {
            return Err("no definition".to_owned());
        };
        let mut document = definition.document.clone();
        for operation in list_items(patches) {
            patch::apply_operation(&mut document, operation)?;
        }
        Ok(Subject::of_definition(DefinitionSubject::new(document, definition.origin.clone())))
    }
}
