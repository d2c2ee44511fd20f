//! Gatekeeper's `suite.yaml`: a constraint template, a constraint, and objects with the number of violations.
//!
//! The behaviour follows `pkg/gator/verify` and the driver `k8scel` of that project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kvrules_apiserver::policy::restated_definition;
use kvrules_crd::notations::restate_value;
use serde_json::Value;

use crate::document::{SuiteDocument, field, list_items, metadata_text, text_field};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{FileReference, SuiteFormat, is_kind, load_suite_file, objects_of, recognize_document};
use crate::model::{CaseInput, Expectation, ExpectedVerdict, TestCase, TestSuite, ViolationCount};
use crate::run::skip_unknown;
use crate::subject::{DefinitionSubject, PolicySubject, RuleOrigin, Subject};

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "gatekeeper",
    title: "`suite.yaml` of Gatekeeper, with K8sNativeValidation",
    is_within_rules: false,
    recognize,
    read,
};

/// API group of suites.
const GROUP: &str = "test.gatekeeper.sh/";

fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    recognize_document(library, path, |it| {
        is_kind(it, "Suite") && text_field(it, "apiVersion").starts_with(GROUP)
    })
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    for document in &file.documents {
        let reader = SuiteReader { document, folder: path.parent().unwrap_or(Path::new("")) };
        for (index, test) in list_items(field(&document.value, "tests")).enumerate() {
            reader.read_test(index, test, library, &mut suite);
        }
    }
    suite
}

struct SuiteReader<'a> {
    document: &'a SuiteDocument,
    folder: &'a Path,
}

impl SuiteReader<'_> {
    fn read_test(&self, index: usize, test: &Value, library: &mut SuiteLibrary<'_>, suite: &mut TestSuite) {
        let at = format!("/tests/{index}");
        let mut load = |name: &str| {
            let (path, span) = (text_field(test, name), self.document.span_at(&format!("{at}/{name}")));
            let file = FileReference { folder: self.folder, path, span }.load(library, suite)?;
            let document = file.documents.first()?;
            let path = self.folder.join(path);
            Some((
                RuleOrigin { path, document: 0, file: Some(file.id), span: document.span },
                document.value.clone(),
            ))
        };
        let (Some((origin, template)), Some((_, constraint))) = (load("template"), load("constraint")) else {
            return;
        };
        let is_skipped = field(&self.document.value, "skip") == true || field(test, "skip") == true;
        if field(test, "invalid") == true {
            return suite.cases.push(self.invalid_case(
                &at,
                test,
                (origin, &template),
                constraint,
                is_skipped,
            ));
        }
        let restated = RestatedConstraint::read(&template, &constraint);
        let reason = match &restated {
            _ if is_skipped => Some("the suite skips it".to_owned()),
            Err(reason) => Some(reason.clone()),
            Ok(_) => None,
        };
        let RestatedConstraint { policy, binding, parameter } = restated.unwrap_or_default();
        let subject = Arc::new(Subject::of_policies(
            PolicySubject::new(vec![(origin, policy)], vec![binding]).without_review().into_restated(),
        ));
        let context = TestContext { name: text_field(test, "name"), subject, parameter, reason };
        for (index, case) in list_items(field(test, "cases")).enumerate() {
            self.read_case(&context, &format!("{at}/cases/{index}"), case, library, suite);
        }
    }

    /// A test whose constraint the schema of its template must reject. Its cases are not run.
    // runner.go, runTest
    fn invalid_case(
        &self,
        at: &str,
        test: &Value,
        (origin, template): (RuleOrigin, &Value),
        constraint: Value,
        is_skipped: bool,
    ) -> TestCase {
        let policy = restate_value(template, &[]).unwrap_or_default();
        let document = policy.iter().find_map(restated_definition).cloned().unwrap_or_default();
        let definition = DefinitionSubject::new(Value::Null, origin).with_unreviewed(document);
        TestCase {
            name: format!("{}: the constraint is invalid", text_field(test, "name")),
            span: self.document.span_at(&format!("{at}/constraint")),
            subject: Arc::new(Subject::of_definition(definition)),
            input: CaseInput { object: constraint, ..CaseInput::default() },
            expected: Expectation { verdict: ExpectedVerdict::Reject, ..Expectation::default() },
            skipped: is_skipped.then(|| "the suite skips it".to_owned()),
        }
    }

    fn read_case(
        &self,
        test: &TestContext<'_>,
        at: &str,
        case: &Value,
        library: &mut SuiteLibrary<'_>,
        suite: &mut TestSuite,
    ) {
        let (path, span) = (text_field(case, "object"), self.document.span_at(&format!("{at}/object")));
        let Some(file) = (FileReference { folder: self.folder, path, span }).load(library, suite) else {
            return;
        };
        let objects = objects_of(&file);
        let [object] = objects.as_slice() else {
            let message = format!("`{path}` has {} objects; a case is about one", objects.len());
            suite.findings.push(suite_error(span, message));
            return;
        };
        let mut input = read_review(object);
        input.params = vec![(metadata_text(&test.parameter, "name").to_owned(), test.parameter.clone())];
        let mut counts = Vec::new();
        for (index, assertion) in list_items(field(case, "assertions")).enumerate() {
            match read_assertion(assertion, self.document.span_at(&format!("{at}/assertions/{index}"))) {
                Ok(count) => counts.push(count),
                Err(message) => suite.findings.push(suite_error(span, message)),
            }
        }
        if counts.is_empty() {
            suite.findings.push(suite_error(self.document.span_at(at), "a case needs `assertions`"));
            return;
        }
        let is_skipped = field(case, "skip") == true;
        let mut skipped = test.reason.clone();
        if is_skipped {
            skipped = Some("the suite skips it".to_owned());
        }
        let mut case = TestCase {
            name: format!("{}: {}", test.name, text_field(case, "name")),
            span: self.document.span_at(at),
            subject: Arc::clone(&test.subject),
            input,
            expected: Expectation { verdict: ExpectedVerdict::Any, counts, ..Expectation::default() },
            skipped,
        };
        skip_unknown(&mut case);
        suite.cases.push(case);
    }
}

/// A template and a constraint as the server would have them.
#[derive(Default)]
struct RestatedConstraint {
    policy: Value,
    binding: Value,
    /// The constraint.
    parameter: Value,
}

impl RestatedConstraint {
    /// Restates a template and a constraint.
    ///
    /// # Errors
    ///
    /// The engines of a template that is not in CEL, or that the constraint is not of the template's kind.
    fn read(template: &Value, constraint: &Value) -> Result<Self, String> {
        let policy = restate_value(template, std::slice::from_ref(constraint));
        let Some([policy, ..]) = policy.as_deref() else {
            let target = template.pointer("/spec/targets/0").unwrap_or(&Value::Null);
            let engines = list_items(field(target, "code")).map(|code| text_field(code, "engine"));
            let engines: Vec<&str> = engines.chain(target.get("rego").map(|_| "Rego")).collect();
            return Err(format!(
                "the template has no code for K8sNativeValidation, only for {}",
                engines.join(", ")
            ));
        };
        let restated = restate_value(constraint, std::slice::from_ref(template));
        let Some([binding, parameter, ..]) = restated.as_deref() else {
            let kind = text_field(constraint, "kind");
            return Err(format!(
                "the template `{}` has no constraints of the kind `{kind}`",
                metadata_text(template, "name")
            ));
        };
        Ok(Self { policy: policy.clone(), binding: binding.clone(), parameter: parameter.clone() })
    }
}

struct TestContext<'a> {
    name: &'a str,
    subject: Arc<Subject>,
    parameter: Value,
    reason: Option<String>,
}

/// Returns the request of an object, or of an AdmissionReview.
// runner.go, validateAndReviewAdmissionReviewRequest: on a deletion the object is the old one as well, which expressions name
// `anyObject`.
fn read_review(object: &Value) -> CaseInput {
    if !is_kind(object, "AdmissionReview") {
        return CaseInput { object: object.clone(), ..CaseInput::default() };
    }
    let request = field(object, "request");
    let text = |name: &str| field(request, name).as_str().map(str::to_owned);
    CaseInput {
        object: field(request, "object").clone(),
        old_object: field(request, "oldObject").clone(),
        operation: text("operation").unwrap_or_default(),
        subresource: text("subResource").unwrap_or_default(),
        name: text("name"),
        namespace: text("namespace"),
        user: field(request, "userInfo").clone(),
        options: field(request, "options").clone(),
        ..CaseInput::default()
    }
}

/// Returns the condition of an assertion; without a number at least one violation is expected.
// assertion.go, Assertion.matchesCount
fn read_assertion(assertion: &Value, span: kvrules_diagnostics::Span) -> Result<ViolationCount, String> {
    let number = match field(assertion, "violations") {
        Value::Null | Value::Bool(true) => None,
        Value::Bool(false) => Some(0),
        Value::String(text) if text == "yes" => None,
        Value::String(text) if text == "no" => Some(0),
        other => {
            let number = other.as_u64().and_then(|number| usize::try_from(number).ok());
            Some(number.ok_or("`violations` must be `yes`, `no` or a number")?)
        }
    };
    Ok(ViolationCount { pattern: field(assertion, "message").as_str().map(str::to_owned), number, span })
}
