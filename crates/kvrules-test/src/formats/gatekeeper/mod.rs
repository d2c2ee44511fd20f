//! Gatekeeper's `suite.yaml`: a constraint template, a constraint, and objects with the number of violations.
//!
//! The behaviour follows `pkg/gator/verify` and the driver `k8scel` of that project.

mod constraint;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::document::{SuiteDocument, field, list_items, metadata_text, text_field};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{FileReference, SuiteFormat, is_kind, load_suite_file, objects_of, recognize_document};
use crate::model::{CaseInput, Expectation, ExpectedVerdict, TestCase, TestSuite, ViolationCount};
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
        let policy = constraint::to_policy(&template, &constraint);
        let reason = match &policy {
            _ if is_skipped => Some("the suite skips it".to_owned()),
            Err(reason) => Some(reason.clone()),
            Ok(_) => None,
        };
        let policy = policy.unwrap_or_default();
        let binding = constraint::to_binding(&policy, &constraint);
        let subject = Arc::new(Subject::of_policies(
            PolicySubject::new(vec![(origin, policy)], vec![binding]).without_review().into_restated(),
        ));
        let context = TestContext { name: text_field(test, "name"), subject, constraint, reason };
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
        let document = constraint::to_definition(template, &constraint);
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
        input.params = vec![("constraint".to_owned(), test.constraint.clone())];
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
        let is_matched = constraint::matches_object(&test.constraint, &input);
        let subject = if is_matched { Arc::clone(&test.subject) } else { unmatched_subject() };
        suite.cases.push(TestCase {
            name: format!("{}: {}", test.name, text_field(case, "name")),
            span: self.document.span_at(at),
            subject,
            input,
            expected: Expectation { verdict: ExpectedVerdict::Any, counts, ..Expectation::default() },
            skipped,
        });
    }
}

struct TestContext<'a> {
    name: &'a str,
    subject: Arc<Subject>,
    constraint: Value,
    reason: Option<String>,
}

/// A subject without policies, for an object that the constraint does not match.
fn unmatched_subject() -> Arc<Subject> {
    Arc::new(Subject::of_policies(PolicySubject::new(Vec::new(), Vec::new()).without_review()))
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

/// Returns the name of a template.
fn template_name(template: &Value) -> &str {
    metadata_text(template, "name")
}
