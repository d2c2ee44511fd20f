//! Test data of istio/api: one object a document, with the expected error in `_err`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kvrules_diagnostics::Span;
use serde_json::Value;

use crate::document::{SuiteDocument, field, metadata_text, text_field};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{SuiteFormat, is_kind, load_suite_file};
use crate::model::{CaseInput, Expectation, ExpectedText, ExpectedVerdict, TestCase, TestSuite};
use crate::subject::{DefinitionSubject, RuleOrigin, Subject};

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "istio",
    title: "objects with `_err`, of istio/api",
    is_within_rules: false,
    recognize,
    read,
};

/// The file of definitions, from a folder around the objects.
const DEFINITIONS: &str = "kubernetes/customresourcedefinitions.gen.yaml";
/// The field with the expected error.
const ERROR: &str = "_err";

/// A file belongs to such a suite if it or one next to it has `_err`.
fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    let is_object =
        |it: &SuiteDocument| !it.text_at("/kind").is_empty() && !it.text_at("/apiVersion").is_empty();
    if !library.load_file(path).ok()?.documents.iter().all(is_object) {
        return None;
    }
    library.find_above(path, DEFINITIONS)?;
    let siblings = library.list_documents(path.parent()?);
    let mut has_error = |path: &PathBuf| {
        library
            .load_file(path)
            .is_ok_and(|file| file.documents.iter().any(|it| it.value.get(ERROR).is_some()))
    };
    siblings.iter().any(&mut has_error).then(|| path.to_owned())
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    let subject = match read_definitions(library, path) {
        Ok(subject) => Arc::new(subject),
        Err(message) => {
            suite.findings.push(suite_error(Span::new(file.id, 0, 0), message));
            return suite;
        }
    };
    for document in &file.documents {
        suite.cases.push(read_case(document, &subject));
    }
    suite
}

fn read_definitions(library: &mut SuiteLibrary<'_>, path: &Path) -> Result<Subject, String> {
    let found = library.find_above(path, DEFINITIONS);
    let path = found.ok_or_else(|| format!("no file `{DEFINITIONS}` in a folder around the objects"))?;
    let file = library.load_file(&path)?;
    let definitions =
        file.documents.iter().enumerate().filter(|(_, it)| is_kind(&it.value, "CustomResourceDefinition"));
    let to_subject = |(index, document): (usize, &SuiteDocument)| {
        let origin =
            RuleOrigin { path: path.clone(), document: index, file: Some(file.id), span: document.span };
        Arc::new(DefinitionSubject::new(document.value.clone(), origin))
    };
    Ok(Subject { definitions: definitions.map(to_subject).collect(), ..Subject::default() })
}

fn read_case(document: &SuiteDocument, subject: &Arc<Subject>) -> TestCase {
    let mut object = document.value.clone();
    let error = object.as_object_mut().and_then(|fields| fields.shift_remove(ERROR));
    let error = error.as_ref().and_then(Value::as_str).unwrap_or_default();
    let expected = if error.is_empty() {
        Expectation::default()
    } else {
        Expectation {
            verdict: ExpectedVerdict::Reject,
            messages: vec![ExpectedText::part(error, document.span_at("/_err"))],
            ..Expectation::default()
        }
    };
    let definition = subject.find_definition(text_field(&object, "apiVersion"), text_field(&object, "kind"));
    let name = format!("{} {}", text_field(&object, "kind"), metadata_text(&object, "name"));
    let is_in_namespace = definition
        .and_then(|it| field(field(&it.document, "spec"), "scope").as_str())
        .is_some_and(|scope| scope == "Namespaced");
    if let Some(metadata) =
        object.get_mut("metadata").and_then(Value::as_object_mut).filter(|_| is_in_namespace)
    {
        metadata.entry("namespace").or_insert_with(|| "default".into());
    }
    let input = CaseInput { object, ..CaseInput::default() };
    TestCase { name, span: document.span, subject: Arc::clone(subject), input, expected, skipped: None }
}
