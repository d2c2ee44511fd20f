//! `tests.json` of kubescape's library: edits of a template, and the result of applying it.
//!
//! The behaviour follows `scripts/run-control-tests.py` and `scripts/change-yaml-field.py` of that repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::document::{SuiteDocument, field, list_items, metadata_text, text_field};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{FileReference, SuiteFormat, load_suite_file};
use crate::model::{CaseInput, Expectation, ExpectedVerdict, TestCase, TestSuite};
use crate::policies::{POLICY, documents_of_kind, in_default_namespace};
use crate::subject::{PolicySubject, RuleOrigin, Subject};
use crate::unknown_keys::unknown_keys;

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "kubescape",
    title: "`tests.json` of kubescape's library",
    is_within_rules: false,
    recognize,
    read,
};

/// Folder of templates, bindings and parameters, from a folder around the controls.
const RESOURCES: &str = "test-resources";
/// File of the parameters in it.
const PARAMETERS: &str = "default-control-configuration.yaml";

/// Keys of a case.
const KEYS: [&str; 5] = ["name", "template", "expected", "field_change_list", "binding_template"];

fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    if path.extension().is_none_or(|it| it != "json") {
        return None;
    }
    let file = library.load_file(path).ok()?;
    let tests = file.documents.first()?;
    let is_test =
        |test: &Value| !text_field(test, "template").is_empty() && !text_field(test, "expected").is_empty();
    let mut items = list_items(&tests.value).peekable();
    (items.peek().is_some() && items.all(is_test)).then(|| path.to_owned())
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    let Some(document) = file.documents.first() else { return suite };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let reference = FileReference { folder: &folder, path: "policy.yaml", span: document.span };
    let Some(policies) = reference.load(library, &mut suite) else { return suite };
    let documents = documents_of_kind(&folder.join("policy.yaml"), &policies, POLICY);
    let Some(resources) = library.find_above(path, RESOURCES) else {
        suite.findings.push(suite_error(document.span, format!("no folder `{RESOURCES}` around the suite")));
        return suite;
    };
    if documents.is_empty() {
        suite.findings.push(suite_error(document.span, format!("`policy.yaml` has no {POLICY}")));
        return suite;
    }
    let context = Context { document, resources: &resources, policies: &documents };
    for (index, test) in list_items(&document.value).enumerate() {
        if let Some(case) = context.read_test(index, test, library, &mut suite) {
            suite.cases.push(case);
        }
    }
    suite
}

struct Context<'a> {
    document: &'a SuiteDocument,
    resources: &'a Path,
    policies: &'a [(RuleOrigin, Value)],
}

impl Context<'_> {
    fn read_test(
        &self,
        index: usize,
        test: &Value,
        library: &mut SuiteLibrary<'_>,
        suite: &mut TestSuite,
    ) -> Option<TestCase> {
        let span = self.document.span_at(&format!("/{index}"));
        let unknown = unknown_keys(self.document, &format!("/{index}"), |key| KEYS.contains(&key));
        if !unknown.is_empty() {
            suite.findings.extend(unknown);
            return None;
        }
        let span_at = |name: &str| self.document.span_at(&format!("/{index}/{name}"));
        let mut load = |path: &str, span| {
            let file = FileReference { folder: self.resources, path, span }.load(library, suite)?;
            file.documents.first().map(|document| document.value.clone())
        };
        let mut object = load(text_field(test, "template"), span_at("template"))?;
        let template = field(test, "binding_template").as_str().unwrap_or("policy-binding.yaml");
        let binding = load(template, span_at("binding_template"))?;
        let configuration = library.first_value(&self.resources.join(PARAMETERS));
        for change in list_items(field(test, "field_change_list")).filter_map(Value::as_str) {
            if let Err(message) = change_field(&mut object, change) {
                suite.findings.push(suite_error(span_at("field_change_list"), message));
                return None;
            }
        }
        let verdict = match text_field(test, "expected") {
            "pass" => ExpectedVerdict::Accept,
            "warn" => ExpectedVerdict::Warn,
            "fail" => ExpectedVerdict::Reject,
            other => {
                suite.findings.push(suite_error(span_at("expected"), format!("unknown result `{other}`")));
                return None;
            }
        };
        let param =
            binding.pointer("/spec/paramRef/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let subject =
            Subject::of_policies(PolicySubject::new(self.policies.to_vec(), self.bindings(&binding)));
        let input = CaseInput {
            object: in_default_namespace(&object),
            params: vec![(param, configuration)],
            ..CaseInput::default()
        };
        Some(TestCase {
            name: text_field(test, "name").to_owned(),
            span,
            subject: Arc::new(subject),
            input,
            expected: Expectation { verdict, ..Expectation::default() },
            skipped: None,
        })
    }

    /// The template of the binding, for each policy.
    fn bindings(&self, template: &Value) -> Vec<Value> {
        let of_policy = |(_, policy): &(RuleOrigin, Value)| {
            let mut binding = template.clone();
            let name = metadata_text(policy, "name");
            if let Some(spec) = binding.get_mut("spec").and_then(Value::as_object_mut) {
                spec.insert("policyName".to_owned(), name.into());
            }
            if let Some(metadata) = binding.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("name".to_owned(), format!("{name}-binding").into());
            }
            binding
        };
        self.policies.iter().map(of_policy).collect()
    }
}

/// Applies a change such as `spec.containers.[0].image=nginx`. The value is JSON if it can be read as such.
// change-yaml-field.py, apply_field
fn change_field(object: &mut Value, change: &str) -> Result<(), String> {
    let invalid = || format!("the change `{change}` is not of the form `path=value`");
    let (path, value) = change.split_once('=').ok_or_else(invalid)?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    let steps: Vec<&str> = path.split('.').collect();
    set_value(object, &steps, value)
        .ok_or_else(|| format!("the change `{change}` names no field of the template"))
}

fn set_value(object: &mut Value, steps: &[&str], value: Value) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        *object = value;
        return Some(());
    };
    let index = step.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let place = if let Some(index) = index {
        let index: usize = index.parse().ok()?;
        if !object.is_array() {
            *object = Value::Array(Vec::new());
        }
        let items = object.as_array_mut()?;
        while items.len() <= index {
            items.push(Value::Null);
        }
        items.get_mut(index)?
    } else {
        if object.is_null() {
            *object = Value::Object(Map::new());
        }
        object.as_object_mut()?.entry((*step).to_owned()).or_insert(Value::Null)
    };
    set_value(place, rest, value)
}
