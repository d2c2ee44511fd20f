//! Suggested cases: for each mutant that survives, the smallest object that shows the difference, with the verdict of the rules.

use serde_json::{Map, Value};

use super::mutants::Mutant;
use super::mutate::{MutationReport, measure_mutants};
use super::sites::MeasuredRules;
use super::witness::Witness;
use crate::answer::{AnswerVerdict, CaseAnswer};
use crate::model::{CaseInput, CaseWrites, Expectation, ExpectedText, ExpectedVerdict, TestCase};
use crate::own_format::{
    API_VERSION, CaseObject, KIND, ObjectSource, RuleTest, RuleTestsFile, TestText, TestVerdict,
};
use crate::run::answer_case;

/// Returns a suite of our own format with the missing cases, and the number of survivors that it kills. A case is left out if an
/// earlier one kills the mutant as well.
pub fn suggest_cases(
    rules: &MeasuredRules<'_>,
    report: &MutationReport,
    rules_path: &str,
) -> Option<(RuleTestsFile, usize)> {
    let case = rules.cases.first()?;
    let mut tests: Vec<RuleTest> = Vec::new();
    let mut known: Vec<&Witness> = Vec::new();
    for result in &report.mutants {
        let Some(witness) = result.witness.as_ref().filter(|witness| !known.contains(witness)) else {
            continue;
        };
        let answer = answer_of(case, witness);
        if answer.verdict == AnswerVerdict::Unevaluated {
            continue;
        }
        known.push(witness);
        tests.push(to_test(&result.mutant, &answer, witness, tests.len() + 1));
    }
    if tests.is_empty() {
        return None;
    }
    let killed = count_killed(rules, report, &tests);
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
    answer_case(&TestCase { input: witness.to_input(), ..case.clone() }, &case.subject)
}

/// Returns the case in our own format.
fn to_test(mutant: &Mutant, answer: &CaseAnswer, witness: &Witness, number: usize) -> RuleTest {
    let Witness { object, old, is_status } = witness;
    let fields = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let given = |fields: Map<String, Value>| Some(CaseObject::Given(ObjectSource::Inline(fields)));
    let is_rejected = answer.verdict == AnswerVerdict::Rejected;
    let message = answer.violations.first().map(|violation| TestText::Part(violation.message().to_owned()));
    RuleTest {
        name: format!("{number}: {}: {}", mutant.name, mutant.description),
        object: given(fields(object)),
        old: if old.is_null() { None } else { given(fields(old)) },
        subresource: if *is_status { "status".to_owned() } else { String::new() },
        expect: if is_rejected { TestVerdict::Reject } else { TestVerdict::Accept },
        messages: message.filter(|_| is_rejected).into_iter().collect(),
        ..RuleTest::default()
    }
}

/// Counts the survivors that the tests kill, by running them.
fn count_killed(rules: &MeasuredRules<'_>, report: &MutationReport, tests: &[RuleTest]) -> usize {
    let Some(base) = rules.cases.first() else { return 0 };
    let cases: Vec<TestCase> = tests.iter().map(|test| to_case(base, test)).collect();
    let with_tests = MeasuredRules {
        origin: rules.origin.clone(),
        document: rules.document.clone(),
        sites: rules.sites.clone(),
        cases: rules.cases.iter().copied().chain(&cases).collect(),
    };
    let killed = |report: &MutationReport| report.count_status(super::mutate::MutantStatus::Killed);
    killed(&measure_mutants(&with_tests)).saturating_sub(killed(report))
}

fn to_case(base: &TestCase, test: &RuleTest) -> TestCase {
    let value = |object: &Option<CaseObject>| match object {
        Some(CaseObject::Given(ObjectSource::Inline(fields))) => Value::Object(fields.clone()),
        _ => Value::Null,
    };
    let texts = test.messages.iter().filter_map(|text| match text {
        TestText::Part(part) => Some(ExpectedText::part(part, base.span)),
        _ => None,
    });
    let is_status = test.subresource == "status";
    let verdict = match test.expect {
        TestVerdict::Reject => ExpectedVerdict::Reject,
        _ => ExpectedVerdict::Quiet,
    };
    TestCase {
        name: test.name.clone(),
        input: CaseInput {
            object: value(&test.object),
            old_object: value(&test.old),
            writes: if is_status { CaseWrites::Status } else { CaseWrites::Object },
            ..CaseInput::default()
        },
        expected: Expectation {
            verdict,
            is_about_status: is_status,
            messages: texts.collect(),
            ..Expectation::default()
        },
        ..base.clone()
    }
}
