//! kaptest: a manifest of tests, each about a policy and objects by name.
//!
//! The behaviour follows `internal/tester` of that repository. Its runner evaluates a policy whatever its constraints match.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::document::{SuiteDocument, field, is_present, list_items, metadata_text, text_field};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{FileReference, SuiteFormat, is_kind, load_suite_file, objects_of, recognize_document};
use crate::model::{CaseInput, Expectation, ExpectedText, ExpectedVerdict, TestCase, TestSuite};
use crate::policies::{POLICY, documents_of_kind};
use crate::subject::{PolicySubject, RuleOrigin, Subject};
use crate::unknown_keys::unknown_keys;

pub(crate) static FORMAT: SuiteFormat =
    SuiteFormat { name: "kaptest", title: "manifests of kaptest", is_within_rules: false, recognize, read };

/// Names of the list of policies, by version of the format.
const POLICIES: [&str; 2] = ["policies", "validatingAdmissionPolicies"];
/// Names of the list of suites, by version of the format.
const SUITES: [&str; 3] = ["testSuites", "vapTestSuites", "mapTestSuites"];

/// Keys of a test.
const TEST_KEYS: [&str; 6] = ["object", "oldObject", "param", "userInfo", "expect", "deniedMessage"];

fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    let has = |value: &Value, names: &[&str]| names.iter().any(|name| field(value, name).is_array());
    recognize_document(library, path, |value| {
        has(value, &POLICIES) && has(value, &SUITES) && value.get("kind").is_none()
    })
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    let Some(document) = file.documents.first() else { return suite };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let (mut policies, mut resources) = (Vec::new(), Vec::new());
    for (list, name, span) in references(document) {
        let reference = FileReference { folder: &folder, path: &name, span };
        let Some(file) = reference.load(library, &mut suite) else { continue };
        if list == "resources" {
            resources.extend(objects_of(&file));
        } else {
            policies.extend(documents_of_kind(&folder.join(&name), &file, POLICY));
        }
    }
    let manifest = Manifest { document, policies, resources };
    for list in SUITES {
        for (index, tests) in list_items(field(&document.value, list)).enumerate() {
            manifest.read_tests(&format!("/{list}/{index}"), tests, list == "mapTestSuites", &mut suite);
        }
    }
    suite
}

/// Returns the files that a manifest names: the list, the path and its location.
fn references(document: &SuiteDocument) -> Vec<(&'static str, String, kvrules_diagnostics::Span)> {
    let lists = POLICIES.into_iter().chain(["resources"]);
    let of_list = |list: &'static str| {
        list_items(field(&document.value, list)).enumerate().map(move |(index, path)| {
            let path = path.as_str().unwrap_or_default().to_owned();
            (list, path, document.span_at(&format!("/{list}/{index}")))
        })
    };
    lists.flat_map(of_list).collect()
}

struct Manifest<'a> {
    document: &'a SuiteDocument,
    policies: Vec<(RuleOrigin, Value)>,
    resources: Vec<Value>,
}

impl Manifest<'_> {
    fn read_tests(&self, pointer: &str, tests: &Value, is_mutation: bool, suite: &mut TestSuite) {
        let name = text_field(tests, "policy");
        let policy = self.policies.iter().find(|(_, policy)| metadata_text(policy, "name") == name);
        if policy.is_none() && !is_mutation {
            let message = format!("no policy `{name}` in the files of the suite");
            suite.findings.push(suite_error(self.document.span_at(&format!("{pointer}/policy")), message));
            return;
        }
        for (index, test) in list_items(field(tests, "tests")).enumerate() {
            let at = format!("{pointer}/tests/{index}");
            let span = self.document.span_at(&at);
            let unknown = unknown_keys(self.document, &at, |key| is_mutation || TEST_KEYS.contains(&key));
            if !unknown.is_empty() {
                suite.findings.extend(unknown);
                continue;
            }
            let mut case = match policy {
                Some(policy) => self.read_test(policy, test, &at),
                None => Ok(TestCase {
                    name: String::new(),
                    span,
                    subject: Arc::default(),
                    input: CaseInput::default(),
                    expected: Expectation::default(),
                    skipped: None,
                }),
            };
            match &mut case {
                Ok(case) => {
                    case.name = format!("{name}: {}", describe_test(test));
                    if is_mutation {
                        case.skipped = Some("mutating policies are not evaluated".to_owned());
                    }
                    suite.cases.push(case.clone());
                }
                Err(message) => suite.findings.push(suite_error(span, message.clone())),
            }
        }
    }

    fn read_test(&self, policy: &(RuleOrigin, Value), test: &Value, at: &str) -> Result<TestCase, String> {
        let (object, mut old) = (self.find(field(test, "object"))?, self.find(field(test, "oldObject"))?);
        if object.is_null() && old.is_null() {
            return Err("the test names neither `object` nor `oldObject`".to_owned());
        }
        if !object.is_null()
            && metadata_text(&object, "name") != metadata_text(&old, "name")
            && let Some(metadata) = old.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("name".to_owned(), metadata_text(&object, "name").into());
        }
        let param = self.find_param(&policy.1, field(test, "param"))?;
        let of = if object.is_null() { &old } else { &object };
        let namespace = metadata_text(of, "namespace").to_owned();
        let namespace_object = self.find_namespace(&namespace);
        let user = field(test, "userInfo");
        let input = CaseInput {
            user: json!({"username": text_field(user, "name"), "groups": field(user, "groups"), "extra": field(user, "extra")}),
            namespace: Some(namespace),
            namespace_object,
            params: param
                .iter()
                .map(|param| (metadata_text(param, "name").to_owned(), param.clone()))
                .collect(),
            object,
            old_object: old,
            ..CaseInput::default()
        };
        let subject = subject_of(policy, param.as_ref());
        let span = self.document.span_at(at);
        let message = Some(text_field(test, "deniedMessage")).filter(is_present);
        let message_span = self.document.span_at(&format!("{at}/deniedMessage"));
        let expected = Expectation {
            verdict: expected_verdict(text_field(test, "expect"))?,
            messages: message.map(|text| ExpectedText::part(text, message_span)).into_iter().collect(),
            ..Expectation::default()
        };
        Ok(TestCase { name: String::new(), span, subject: Arc::new(subject), input, expected, skipped: None })
    }

    /// Returns the object that a test names; null if it names none.
    // manifest.go, NameWithGVK.Match
    fn find(&self, wanted: &Value) -> Result<Value, String> {
        if text_field(wanted, "name").is_empty() {
            return Ok(Value::Null);
        }
        let is_it = |it: &&Value| {
            let is_equal = |name: &str, own: &str| {
                text_field(wanted, name).is_empty() || text_field(wanted, name) == own
            };
            let (group, version) =
                text_field(it, "apiVersion").rsplit_once('/').unwrap_or(("", text_field(it, "apiVersion")));
            is_equal("kind", text_field(it, "kind"))
                && metadata_text(it, "name") == text_field(wanted, "name")
                && is_equal("namespace", metadata_text(it, "namespace"))
                && is_equal("group", group)
                && (text_field(wanted, "group").is_empty() || is_equal("version", version))
        };
        let found = self.resources.iter().find(is_it).cloned();
        found.ok_or_else(|| format!("no object {} in `resources`", describe_name(wanted)))
    }

    /// Returns the parameter of a test, which must be of the policy's kind.
    // tester.go, getParamObj
    fn find_param(&self, policy: &Value, wanted: &Value) -> Result<Option<Value>, String> {
        let Some(kind) = policy.pointer("/spec/paramKind/kind").and_then(Value::as_str) else {
            return Ok(None);
        };
        if text_field(wanted, "name").is_empty() {
            return Err("the policy has parameters, and the test names none".to_owned());
        }
        let mut wanted = wanted.clone();
        if let Some(fields) = wanted.as_object_mut() {
            fields.insert("kind".to_owned(), kind.into());
        }
        self.find(&wanted).map(Some)
    }

    /// Returns the object of a namespace; one without labels if the suite has none.
    // tester.go, getNamespaceObj
    fn find_namespace(&self, name: &str) -> Value {
        let is_it = |it: &&Value| is_kind(it, "Namespace") && metadata_text(it, "name") == name;
        let unlabelled = || json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        match name {
            "" => Value::Null,
            _ => self.resources.iter().find(is_it).cloned().unwrap_or_else(unlabelled),
        }
    }
}

/// The policy, which matches everything, bound with the parameter.
fn subject_of(policy: &(RuleOrigin, Value), param: Option<&Value>) -> Subject {
    let (origin, mut document) = policy.clone();
    let everything =
        json!({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]});
    if let Some(spec) = document.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("matchConstraints".to_owned(), json!({"resourceRules": [everything]}));
    }
    let mut binding = crate::subject::deny_binding(metadata_text(&document, "name"));
    if let (Some(param), Some(spec)) = (param, binding.get_mut("spec").and_then(Value::as_object_mut)) {
        let mut reference = json!({"name": metadata_text(param, "name"), "parameterNotFoundAction": "Deny"});
        let namespace = metadata_text(param, "namespace");
        if let Some(fields) = reference.as_object_mut().filter(|_| !namespace.is_empty()) {
            fields.insert("namespace".to_owned(), namespace.into());
        }
        spec.insert("paramRef".to_owned(), reference);
    }
    Subject::of_policies(PolicySubject::new(vec![(origin, document)], vec![binding]).without_review())
}

// manifest.go, PolicyDecisionExpect
fn expected_verdict(word: &str) -> Result<ExpectedVerdict, String> {
    match word {
        "admit" => Ok(ExpectedVerdict::Satisfy),
        "deny" => Ok(ExpectedVerdict::Deny),
        "error" => Ok(ExpectedVerdict::Error),
        "skip" => Ok(ExpectedVerdict::Skip),
        other => Err(format!("unknown result `{other}`")),
    }
}

fn describe_name(name: &Value) -> String {
    let kind = text_field(name, "kind");
    let separator = if kind.is_empty() { "" } else { " " };
    format!("{kind}{separator}`{}`", text_field(name, "name"))
}

fn describe_test(test: &Value) -> String {
    let (object, old) = (field(test, "object"), field(test, "oldObject"));
    let mut title = match (object.is_object(), old.is_object()) {
        (true, true) => format!("update of {}", describe_name(object)),
        (false, true) => format!("deletion of {}", describe_name(old)),
        _ => describe_name(object),
    };
    let param = text_field(field(test, "param"), "name");
    if !param.is_empty() {
        title = format!("{title} with `{param}`");
    }
    let user = text_field(field(test, "userInfo"), "name");
    if !user.is_empty() {
        title = format!("{title} by {user}");
    }
    format!("{title}: {}", text_field(test, "expect"))
}
