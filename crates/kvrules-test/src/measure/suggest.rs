//! Suggested cases: for each mutant that survives, the smallest object that shows the difference, with the verdict of the rules.

use crate::verdicts::RequestOperation;
use serde_json::{Map, Value};

use super::mutants::Mutant;
use super::mutate::{MutationReport, measure_mutants};
use super::sites::MeasuredRules;
use super::witness::Witness;
use crate::answer::{AnswerVerdict, CaseAnswer};
use crate::document::{field, list_items};
use crate::model::{Expectation, ExpectedText, ExpectedVerdict, TestCase};
use crate::own_format::{
    API_VERSION, CaseObject, KIND, ObjectSource, RuleTest, RuleTestsFile, TestText, TestUser, TestVerdict,
};
use crate::run::answer_case;
use crate::subject::PolicySubject;

/// Returns a suite of our own format with the missing cases, and the number of survivors that it kills. A case is left out if an
/// earlier one kills the mutant as well.
pub fn suggest_cases(
    rules: &MeasuredRules<'_>,
    report: &MutationReport,
    rules_path: &str,
) -> Option<(RuleTestsFile, usize)> {
    let case = rules.cases.first()?;
    if case.subject.policies.as_ref().is_some_and(PolicySubject::is_restated) {
        // A suite of our own cannot name the file.
        return None;
    }
    let mut tests: Vec<RuleTest> = Vec::new();
    let mut known: Vec<&Witness> = Vec::new();
    for result in &report.mutants {
        let Some(witness) = result.witness.as_ref().filter(|witness| !known.contains(witness)) else {
            continue;
        };
        let answer = answer_of(case, witness);
        if answer.verdict == AnswerVerdict::Unevaluated || !witness.facts.is_representable() {
            continue;
        }
        known.push(witness);
        tests.push(to_test(&result.mutant, &answer, witness, tests.len() + 1));
    }
    if tests.is_empty() {
        return None;
    }
    let killed = count_killed(rules, report, &tests, &known);
    let file = RuleTestsFile {
        api_version: API_VERSION.to_owned(),
        kind: KIND.to_owned(),
        rules: vec![rules_path.to_owned()],
        cases: tests,
        ..RuleTestsFile::default()
    };
    Some((file, killed))
}

fn answer_of(case: &TestCase, witness: &Witness) -> CaseAnswer {
    let input = witness.to_input();
    let case = TestCase { input, expected: Expectation::default(), ..case.clone() };
    answer_case(&case, &case.subject)
}

/// Returns the case in our own format.
fn to_test(mutant: &Mutant, answer: &CaseAnswer, witness: &Witness, number: usize) -> RuleTest {
    let Witness { object, old, is_status, facts } = witness;
    // A deletion has the stored object alone.
    let (object, old) = if object.is_null() { (old, &Value::Null) } else { (object, old) };
    let fields = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let given = |fields: Map<String, Value>| Some(CaseObject::Given(ObjectSource::Inline(fields)));
    let is_rejected = answer.verdict == AnswerVerdict::Rejected;
    let message = answer.violations.first().map(|violation| TestText::Part(violation.message().to_owned()));
    RuleTest {
        name: format!("{number}: {}: {}", mutant.name, mutant.description),
        object: given(fields(object)),
        old: if old.is_null() { None } else { given(fields(old)) },
        subresource: if *is_status { "status".to_owned() } else { facts.subresource.clone() },
        operation: RequestOperation::from_name(&facts.operation),
        user: to_user(&facts.user),
        namespace_labels: to_labels(&facts.namespace_object),
        parameters: facts.params.iter().map(|(_, object)| ObjectSource::Inline(fields(object))).collect(),
        expect: match answer.verdict {
            AnswerVerdict::Rejected => TestVerdict::Reject,
            AnswerVerdict::Warned => TestVerdict::Warn,
            AnswerVerdict::Skipped => TestVerdict::Skip,
            AnswerVerdict::Accepted | AnswerVerdict::Unevaluated => TestVerdict::Accept,
        },
        rules: if is_rejected { violated_places(answer) } else { Vec::new() },
        messages: message.filter(|_| is_rejected).into_iter().collect(),
        ..RuleTest::default()
    }
}

/// The places of the validations of policies that are violated: with them a case notices that one of several is not.
fn violated_places(answer: &CaseAnswer) -> Vec<String> {
    let places = answer.violations.iter().filter_map(|violation| violation.rules.get(1));
    places.filter(|place| place.starts_with("spec.validations[")).cloned().collect()
}

/// Returns a user as suites have it.
fn to_user(user: &Value) -> Option<TestUser> {
    let name = user.get("username").and_then(Value::as_str)?;
    let groups = list_items(field(user, "groups")).filter_map(Value::as_str).map(str::to_owned).collect();
    Some(TestUser { name: name.to_owned(), groups })
}

/// Returns the labels of a namespace, without the one that every namespace has.
fn to_labels(namespace: &Value) -> Option<std::collections::BTreeMap<String, String>> {
    let labels = namespace.pointer("/metadata/labels").and_then(Value::as_object)?;
    let own = labels.iter().filter(|(name, _)| *name != "kubernetes.io/metadata.name");
    Some(own.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect())
}

/// Counts the survivors that the tests kill, by running them.
fn count_killed(
    rules: &MeasuredRules<'_>,
    report: &MutationReport,
    tests: &[RuleTest],
    witnesses: &[&Witness],
) -> usize {
    let Some(base) = rules.cases.first() else { return 0 };
    let cases: Vec<TestCase> =
        tests.iter().zip(witnesses).map(|(test, witness)| to_case(base, test, witness)).collect();
    let with_tests = MeasuredRules {
        origin: rules.origin.clone(),
        document: rules.document.clone(),
        sites: rules.sites.clone(),
        cases: rules.cases.iter().copied().chain(&cases).collect(),
    };
    let killed = |report: &MutationReport| report.count_status(super::mutant_status::MutantStatus::Killed);
    killed(&measure_mutants(&with_tests)).saturating_sub(killed(report))
}

fn to_case(base: &TestCase, test: &RuleTest, witness: &Witness) -> TestCase {
    let texts = test.messages.iter().filter_map(|text| match text {
        TestText::Part(part) => Some(ExpectedText::part(part, base.span)),
        _ => None,
    });
    let is_status = test.subresource == "status";
    let verdict = match test.expect {
        TestVerdict::Reject => ExpectedVerdict::Reject,
        TestVerdict::Warn => ExpectedVerdict::Warn,
        TestVerdict::Skip => ExpectedVerdict::Skip,
        _ => ExpectedVerdict::Quiet,
    };
    TestCase {
        name: test.name.clone(),
        input: witness.to_input(),
        expected: Expectation {
            verdict,
            rules: test.rules.iter().map(|rule| ExpectedText::exact(rule, base.span)).collect(),
            is_about_status: is_status,
            messages: texts.collect(),
            ..Expectation::default()
        },
        ..base.clone()
    }
}
