//! Tests of the Kyverno command line for ValidatingAdmissionPolicies and ValidatingPolicies.
//!
//! The behaviour follows `cmd/cli/kubectl-kyverno/commands/test` of that project.

mod policy;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kvrules_diagnostics::Span;
use serde_json::{Value, json};

use crate::document::{SuiteDocument, field, list_items, metadata_text, text_field};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{FileReference, SuiteFormat, is_kind, load_suite_file, objects_of, recognize_document};
use crate::model::{CaseInput, Expectation, ExpectedVerdict, TestCase, TestSuite};
use crate::policies::in_default_namespace;
use crate::run::skip_unknown;
use crate::subject::{RuleOrigin, Subject};
use crate::unknown_keys::unknown_keys;

use values::TestValues;

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "kyverno",
    title: "`kyverno-test.yaml` of the Kyverno command line",
    is_within_rules: false,
    recognize,
    read,
};

/// API group of tests.
const GROUP: &str = "cli.kyverno.io/";

/// Keys of a test.
const TEST_KEYS: [&str; 12] = [
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "policies",
    "resources",
    "targetResources",
    "variables",
    "userinfo",
    "results",
    "values",
    "exceptions",
];

/// Keys of a result. What a policy generates or changes belongs to policies that are refused by name.
const RESULT_KEYS: [&str; 12] = [
    "policy",
    "rule",
    "result",
    "kind",
    "namespace",
    "resource",
    "resources",
    "generatedResource",
    "cloneSourceResource",
    "patchedResource",
    "patchedResources",
    "patchedResourcesFile",
];

fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    // Tests of older versions have no `apiVersion`.
    let is_named = path.file_stem().is_some_and(|name| name == "kyverno-test");
    let is_test = |it: &Value| is_kind(it, "Test") && text_field(it, "apiVersion").starts_with(GROUP);
    let is_old = |it: &Value| is_named && field(it, "results").is_array() && field(it, "policies").is_array();
    recognize_document(library, path, |it| is_test(it) || is_old(it))
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    for document in &file.documents {
        let policies = read_policies(library, &folder, document, &mut suite);
        let resources: Vec<Value> = ["resources", "targetResources"]
            .iter()
            .flat_map(|list| read_list(library, &folder, document, list, &mut suite))
            .map(|(_, object)| object)
            .collect();
        let exceptions = read_list(library, &folder, document, "exceptions", &mut suite);
        let others = policies.iter().chain(&exceptions).map(|(_, it)| it.clone()).collect();
        let values = TestValues::read(library, &folder, document, &mut suite);
        let reader = TestReader { document, policies, others, resources, values };
        // Without results it is not a test of Kyverno, which another finding reports.
        if document.value.get("results").is_some() {
            suite.findings.extend(unknown_keys(document, "", |key| TEST_KEYS.contains(&key)));
        }
        for (index, result) in list_items(field(&document.value, "results")).enumerate() {
            reader.read_result(&format!("/results/{index}"), result, &mut suite);
        }
    }
    suite
}

/// Reads the objects in the files of a list, and in the files of the folders that it names.
fn read_list(
    library: &mut SuiteLibrary<'_>,
    folder: &Path,
    document: &SuiteDocument,
    list: &str,
    suite: &mut TestSuite,
) -> Vec<(RuleOrigin, Value)> {
    let mut found = Vec::new();
    for (index, path) in list_items(field(&document.value, list)).enumerate() {
        let span = document.span_at(&format!("/{list}/{index}"));
        let name = path.as_str().unwrap_or_default();
        let whole = folder.join(name);
        let paths = if library.is_folder(&whole) { library.list_documents(&whole) } else { vec![whole] };
        for path in paths {
            let relative = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            let Some(file) = (FileReference { folder, path: &relative, span }).load(library, suite) else {
                continue;
            };
            for (index, object) in objects_of(&file).into_iter().enumerate() {
                let span = file.documents.get(index).map(|it| it.span).unwrap_or_default();
                found.push((
                    RuleOrigin { path: path.clone(), document: index, file: Some(file.id), span },
                    object,
                ));
            }
        }
    }
    found
}

fn read_policies(
    library: &mut SuiteLibrary<'_>,
    folder: &Path,
    document: &SuiteDocument,
    suite: &mut TestSuite,
) -> Vec<(RuleOrigin, Value)> {
    read_list(library, folder, document, "policies", suite)
}

struct TestReader<'a> {
    document: &'a SuiteDocument,
    policies: Vec<(RuleOrigin, Value)>,
    /// Bindings and exceptions.
    others: Vec<Value>,
    resources: Vec<Value>,
    values: TestValues,
}

impl TestReader<'_> {
    fn read_result(&self, at: &str, result: &Value, suite: &mut TestSuite) {
        let span = self.document.span_at(at);
        // Flags such as `isValidatingPolicy` only say of which kind the policy is.
        let is_known = |key: &str| RESULT_KEYS.contains(&key) || key.starts_with("is");
        let unknown = unknown_keys(self.document, at, is_known);
        if !unknown.is_empty() {
            suite.findings.extend(unknown);
            return;
        }
        // A policy in a namespace is named with it.
        let name = text_field(result, "policy");
        let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
        let is_policy = |(_, it): &&(RuleOrigin, Value)| {
            metadata_text(it, "name") == name && text_field(it, "kind").ends_with("Policy")
        };
        let Some((origin, policy)) = self.policies.iter().find(is_policy) else {
            let message = format!("no policy `{name}` in the files of the test");
            suite.findings.push(suite_error(self.document.span_at(&format!("{at}/policy")), message));
            return;
        };
        let read = policy::read_subject(origin, policy, &self.others);
        let (subject, refusal) = match read {
            Ok(subject) => (Arc::new(subject), None),
            Err(reason) => (Arc::<Subject>::default(), Some(reason)),
        };
        let wanted = match expected_verdict(text_field(result, "result")) {
            Ok(verdict) => verdict,
            Err(message) => {
                suite.findings.push(suite_error(self.document.span_at(&format!("{at}/result")), message));
                return;
            }
        };
        let context = ResultContext { policy: name, subject, refusal, verdict: wanted, span };
        for (resource, at) in self.named_resources(at, result) {
            self.add_case(&context, result, &resource, at, suite);
        }
    }

    /// Returns the names of a result's objects, with their locations; every object of its kind if it names none.
    // output.go, printTestResult
    fn named_resources(&self, at: &str, result: &Value) -> Vec<(String, Span)> {
        let list = list_items(field(result, "resources")).enumerate();
        let list = list.filter_map(|(index, name)| {
            Some((name.as_str()?.to_owned(), self.document.span_at(&format!("{at}/resources/{index}"))))
        });
        let single = field(result, "resource").as_str();
        let single = single.map(|name| (name.to_owned(), self.document.span_at(&format!("{at}/resource"))));
        let named: Vec<(String, Span)> = list.chain(single).collect();
        if !named.is_empty() {
            return named;
        }
        let kind = text_field(result, "kind");
        let of_kind = self.resources.iter().filter(|it| kind.is_empty() || is_kind(it, kind));
        of_kind.map(|it| (metadata_text(it, "name").to_owned(), self.document.span_at(at))).collect()
    }

    fn add_case(
        &self,
        context: &ResultContext<'_>,
        result: &Value,
        resource: &str,
        span: Span,
        suite: &mut TestSuite,
    ) {
        let Some(object) = self.find_resource(result, resource) else {
            let kind = text_field(result, "kind");
            let message = format!("no object `{resource}` of the kind `{kind}` in the files of the test");
            suite.findings.push(suite_error(span, message));
            return;
        };
        let object = in_default_namespace(object);
        let namespace = metadata_text(&object, "namespace").to_owned();
        let labels = self.values.namespace_labels(&namespace);
        let namespace_object = match namespace.as_str() {
            "" => Value::Null,
            name => {
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
            }
        };
        let operation = self.values.operation(context.policy, metadata_text(&object, "name"));
        let (object, old_object) = match operation.as_str() {
            "DELETE" => (Value::Null, object),
            _ => (object, Value::Null),
        };
        let input = CaseInput {
            object,
            old_object,
            operation,
            user: self.values.user(),
            namespace_object,
            params: self.params(),
            ..CaseInput::default()
        };
        let mut case = TestCase {
            name: format!("{}: {resource}: {}", context.policy, text_field(result, "result")),
            span: if span == Span::default() { context.span } else { span },
            subject: Arc::clone(&context.subject),
            input,
            expected: Expectation { verdict: context.verdict, ..Expectation::default() },
            skipped: context.refusal.clone(),
        };
        skip_unknown(&mut case);
        suite.cases.push(case);
    }

    /// Objects of the test are also parameters.
    fn params(&self) -> Vec<(String, Value)> {
        self.resources.iter().map(|it| (metadata_text(it, "name").to_owned(), it.clone())).collect()
    }

    fn find_resource(&self, result: &Value, name: &str) -> Option<&Value> {
        let kind = text_field(result, "kind");
        let (namespace, name) = match name.rsplit('/').collect::<Vec<_>>().as_slice() {
            [name, namespace, ..] => (Some((*namespace).to_owned()), (*name).to_owned()),
            _ => (field(result, "namespace").as_str().map(str::to_owned), name.to_owned()),
        };
        self.resources.iter().find(|it| {
            (kind.is_empty() || is_kind(it, kind))
                && metadata_text(it, "name") == name
                && namespace.as_ref().is_none_or(|wanted| {
                    wanted.is_empty() || metadata_text(&in_default_namespace(it), "namespace") == wanted
                })
        })
    }
}

struct ResultContext<'a> {
    policy: &'a str,
    subject: Arc<Subject>,
    refusal: Option<String>,
    verdict: ExpectedVerdict,
    span: Span,
}

/// The verdict of a result. An object that a policy does not match counts as passed.
// output.go, printTestResult: no rule response is a pass
fn expected_verdict(word: &str) -> Result<ExpectedVerdict, String> {
    match word {
        "pass" => Ok(ExpectedVerdict::Accept),
        "fail" => Ok(ExpectedVerdict::Reject),
        "warn" => Ok(ExpectedVerdict::Warn),
        "skip" => Ok(ExpectedVerdict::Skip),
        "error" => Ok(ExpectedVerdict::Error),
        other => Err(format!("unknown result `{other}`")),
    }
}
