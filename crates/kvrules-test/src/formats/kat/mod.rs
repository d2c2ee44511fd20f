//! kat: the name of a file has the policy, the test, and the expected answer.
//!
//! The behaviour follows `internal/loader` of that repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kvrules_diagnostics::Span;
use serde_json::Value;

use crate::document::{field, list_items, metadata_text, text_field};
use crate::files::{ParsedFile, SuiteLibrary, suite_error};
use crate::format::{SuiteFormat, is_kind, load_suite_file};
use crate::model::{
    AuthorizerDecision, CaseInput, Expectation, ExpectedText, ExpectedVerdict, TestCase, TestSuite,
};
use crate::policies::{POLICY, bindings_of, documents_of_kind, is_binding_of};
use crate::subject::{PolicySubject, RuleOrigin, Subject};

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "kat",
    title: "files named `POLICY.TEST.VERDICT.object.yaml` in `tests/`, of kat",
    is_within_rules: false,
    recognize,
    read,
};

/// Last parts of the names of files that belong to a test.
const PARTS: [&str; 6] = ["request", "object", "oldObject", "params", "annotations", "authorizer"];
/// Parts that make a test.
const REQUESTS: [&str; 3] = ["request", "object", "oldObject"];

/// Returns the name of a test and the part that a file is.
fn split_name(path: &Path) -> Option<(String, String)> {
    let stem = path.file_stem()?.to_str()?;
    let (name, part) = stem.rsplit_once('.')?;
    PARTS.contains(&part).then(|| (name.to_owned(), part.to_owned()))
}

/// The suite is the folder of policies around `tests/`.
fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    if folder.file_name()? != "tests" {
        let tests = folder.join("tests");
        let has_tests = library.is_folder(&tests) && !test_files(library, &tests).is_empty();
        let is_policy = |file: Arc<ParsedFile>| file.documents.iter().any(|it| is_kind(&it.value, POLICY));
        return (has_tests && library.load_file(path).is_ok_and(is_policy)).then(|| folder.to_owned());
    }
    split_name(path)?;
    let folder = folder.parent()?;
    let has_policy = !read_policies(library, folder).0.is_empty();
    has_policy.then(|| folder.to_owned())
}

/// Returns the files of tests in a folder, by test and part.
fn test_files(library: &mut SuiteLibrary<'_>, tests: &Path) -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let mut found: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for path in library.list_documents(tests) {
        if let Some((name, part)) = split_name(&path) {
            found.entry(name).or_default().insert(part, path);
        }
    }
    found.retain(|_, parts| REQUESTS.iter().any(|part| parts.contains_key(*part)));
    found
}

/// Returns the policies and bindings in a folder.
fn read_policies(library: &mut SuiteLibrary<'_>, folder: &Path) -> (Vec<(RuleOrigin, Value)>, Vec<Value>) {
    let (mut policies, mut bindings) = (Vec::new(), Vec::new());
    for path in library.list_documents(folder) {
        let Ok(file) = library.load_file(&path) else { continue };
        policies.extend(documents_of_kind(&path, &file, POLICY));
        bindings.extend(bindings_of(&file));
    }
    (policies, bindings)
}

fn read(library: &mut SuiteLibrary<'_>, folder: &Path) -> TestSuite {
    // A file that is named with the format stands for its folder.
    let folder = if library.is_folder(folder) {
        folder.to_owned()
    } else {
        let parent = folder.parent().unwrap_or(Path::new(""));
        if parent.ends_with("tests") {
            parent.parent().unwrap_or(parent).to_owned()
        } else {
            parent.to_owned()
        }
    };
    let mut suite = TestSuite::new(FORMAT.name, &folder);
    let (policies, bindings) = read_policies(library, &folder);
    let tests = folder.join("tests");
    for (name, parts) in test_files(library, &tests) {
        let mut values = BTreeMap::new();
        let mut span = Span::default();
        for (part, path) in &parts {
            let Some(file) = load_suite_file(library, path, &mut suite) else { continue };
            if let Some(document) = file.documents.first() {
                if REQUESTS.contains(&part.as_str()) {
                    span = document.span;
                }
                values.insert(part.clone(), document.value.clone());
            }
        }
        let Some(policy) = find_policy(&policies, &name) else {
            let message = format!("the name `{name}` begins with no name of a policy");
            suite.findings.push(suite_error(span, message));
            continue;
        };
        let text = |ending: &str| library.load_text(&tests.join(format!("{name}.{ending}")));
        let reported = (text("message.txt"), text("warnings.txt"));
        suite.cases.push(read_case(&name, &values, policy, &bindings, reported, span));
    }
    suite
}

/// Returns the policy whose name a test's begins with, or the only one.
// suite.go, matchPolicyName
fn find_policy<'p>(policies: &'p [(RuleOrigin, Value)], name: &str) -> Option<&'p (RuleOrigin, Value)> {
    let is_it = |(_, policy): &&(RuleOrigin, Value)| {
        name.strip_prefix(metadata_text(policy, "name")).is_some_and(|rest| rest.starts_with('.'))
    };
    let only = || policies.first().filter(|_| policies.len() == 1);
    policies.iter().find(is_it).or_else(only)
}

fn read_case(
    name: &str,
    parts: &BTreeMap<String, Value>,
    policy: &(RuleOrigin, Value),
    bindings: &[Value],
    (message, warnings): (Option<String>, Option<String>),
    span: Span,
) -> TestCase {
    let mut bindings: Vec<Value> =
        bindings.iter().filter(|it| is_binding_of(it, &policy.1)).cloned().collect();
    if bindings.is_empty() {
        bindings.push(crate::subject::deny_binding(metadata_text(&policy.1, "name")));
    }
    let param = bindings.iter().find_map(|it| it.pointer("/spec/paramRef/name")?.as_str()).map(str::to_owned);
    let params = parts.get("params").cloned();
    if params.is_some() && param.is_none() {
        // The parameters of a test apply even if the binding names none.
        for spec in bindings.iter_mut().filter_map(|it| it.get_mut("spec")?.as_object_mut()) {
            spec.insert("paramRef".to_owned(), serde_json::json!({"name": "params"}));
        }
    }
    let mut input = read_request(parts);
    input.params =
        params.map(|value| (param.unwrap_or_else(|| "params".to_owned()), value)).into_iter().collect();
    let lines = |text: Option<String>| {
        let text = text.unwrap_or_default();
        text.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(|line| ExpectedText::exact(line, span))
            .collect::<Vec<_>>()
    };
    let warnings = lines(warnings);
    let audit = parts.get("annotations").and_then(Value::as_object).into_iter().flatten();
    let expected = Expectation {
        verdict: expected_verdict(name),
        messages: message
            .filter(|it| !it.is_empty())
            .map(|it| ExpectedText::exact(&it, span))
            .into_iter()
            .collect(),
        warning_count: Some(warnings.len()).filter(|count| *count > 0),
        warnings,
        audit: audit.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect(),
        ..Expectation::default()
    };
    let subject = Subject::of_policies(PolicySubject::new(vec![policy.clone()], bindings).without_review());
    TestCase { name: name.to_owned(), span, subject: Arc::new(subject), input, expected, skipped: None }
}

/// The verdict in a name; what only the audit log has is accepted.
// suite.go, expectedAllowed
fn expected_verdict(name: &str) -> ExpectedVerdict {
    let has = |word: &str| name.split('.').any(|part| part == word);
    match () {
        () if has("deny") => ExpectedVerdict::Reject,
        () if has("warn") => ExpectedVerdict::Warn,
        () => ExpectedVerdict::Accept,
    }
}

/// Returns the request of a test. Objects have no namespace of their own unless they name it.
// request.go, buildAdmissionRequestFromSimplified and buildCreateRequestFromObject
fn read_request(parts: &BTreeMap<String, Value>) -> CaseInput {
    let part = |name: &str| parts.get(name).cloned().unwrap_or_default();
    let request = part("request");
    let first = |own: &Value, other: Value| if own.is_null() { other } else { own.clone() };
    let text = |name: &str| field(&request, name).as_str().filter(|it| !it.is_empty()).map(str::to_owned);
    let object = first(field(&request, "object"), part("object"));
    let old_object = first(field(&request, "oldObject"), part("oldObject"));
    let namespace_object = field(&request, "namespaceObject").clone();
    let of = if object.is_null() { &old_object } else { &object };
    let own_namespace = Some(metadata_text(of, "namespace")).filter(|it| !it.is_empty()).map(str::to_owned);
    let namespace_name = Some(metadata_text(&namespace_object, "name")).filter(|it| !it.is_empty());
    let namespace = text("namespace").or(namespace_name.map(str::to_owned)).or(own_namespace);
    CaseInput {
        operation: text("operation").unwrap_or_default(),
        subresource: text("subResource").unwrap_or_default(),
        resource: field(field(&request, "resource"), "resource").as_str().map(str::to_owned),
        name: text("name"),
        namespace: Some(namespace.unwrap_or_default()),
        user: field(&request, "userInfo").clone(),
        options: field(&request, "options").clone(),
        namespace_object,
        object,
        old_object,
        decisions: parts.get("authorizer").map(read_decisions),
        ..CaseInput::default()
    }
}

fn read_decisions(value: &Value) -> Vec<AuthorizerDecision> {
    let read = |it: &Value| {
        let text = |name: &str| text_field(it, name).to_owned();
        AuthorizerDecision {
            group: text("group"),
            resource: text("resource"),
            subresource: text("subresource"),
            namespace: text("namespace"),
            verb: text("verb"),
            is_allowed: text_field(it, "decision") == "allow",
        }
    };
    list_items(value).map(read).collect()
}
