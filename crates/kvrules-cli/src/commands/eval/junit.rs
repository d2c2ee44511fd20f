//! Verdicts for continuous integration: a testsuite for each input, a testcase for each object and rule.
//!
//! A suite of objects read by lines does not say how many testcases it has, since that is known only at its end and no
//! more than a part is held.

use std::fmt::Write as _;

use kvrules::eval::{
    CrdAnswer, Evaluation, EvaluationFault, PolicyResult, PolicyResultKind, RuleAnswer, RuleStatus,
    ValidatorAnswer,
};
use kvrules::render::one_line as plain;
use kvrules::render::xml::{self, JunitCount};

use super::crd;
use super::human::{object_title, render_difference, render_value};
use super::policy;
use crate::text::UnreadFile;

/// Name of the deployed validator.
const VALIDATOR: &str = "deployed validator";
/// The testcase about an object as a whole.
const WHOLE: &str = "(object)";

/// Result of a testcase.
enum TestcaseOutcome {
    Passed,
    Skipped,
    Failed { message: String, body: String },
    Erred { message: String, body: String },
}

/// One check of one object.
struct TestcaseInput {
    name: String,
    outcome: TestcaseOutcome,
    /// Output that does not make it fail.
    out: String,
}

/// The testcases about an object.
pub(super) fn evaluation_testcases(file: &str, evaluation: &Evaluation, count: &mut JunitCount) -> String {
    let place = plain(&format!("{file}:{}:{}", evaluation.at.line, evaluation.at.column)).into_owned();
    let mut cases: Vec<TestcaseInput> = Vec::new();
    let rules = evaluation.spec.iter().flat_map(|answer| &answer.rules);
    cases.extend(rules.map(|rule| of_rule(rule, &place)));
    if let Some(answer) = &evaluation.ssp {
        of_validator(answer, evaluation.spec.is_some() || evaluation.fault.is_some(), &place, &mut cases);
    }
    cases.extend(evaluation.crd.as_ref().map(|answer| of_server(file, answer)));
    let results = evaluation.policy.iter().flat_map(|answer| &answer.policies);
    cases.extend(results.map(of_policy));
    cases.extend(evaluation.fault.as_ref().map(|fault| of_fault(file, fault)));
    if cases.is_empty() {
        cases.push(TestcaseInput::new(WHOLE, TestcaseOutcome::Passed));
    }
    for one in &evaluation.differences {
        let name = one.rule.as_deref().unwrap_or(VALIDATOR);
        let text = render_difference(one);
        match cases.iter_mut().find(|case| case.name == name) {
            Some(case) => case.out += &text,
            None => {
                cases.push(TestcaseInput { out: text, ..TestcaseInput::new(name, TestcaseOutcome::Passed) });
            }
        }
    }
    let class = object_title(file, evaluation);
    cases.iter().map(|case| case.xml(&class, count)).collect()
}

/// The test case of an input that could not be read.
pub(super) fn unread_testcase(
    file: &str,
    line: Option<u32>,
    unread: &UnreadFile,
    count: &mut JunitCount,
) -> String {
    let class = line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"));
    let erred = TestcaseOutcome::Erred {
        message: unread.message.clone(),
        body: plain(&unread.to_string()).into_owned(),
    };
    TestcaseInput::new(WHOLE, erred).xml(&class, count)
}

fn of_rule(rule: &RuleAnswer, place: &str) -> TestcaseInput {
    let mut body = format!("{}\n", plain(rule.reason.as_deref().unwrap_or_default()));
    let values = rule.values.iter().map(|found| format!("{}\n", plain(&render_value(found))));
    body.extend(values);
    body += place;
    let is_warning = rule.severity == Some("warning");
    match () {
        () if rule.is_unevaluated() => {
            let message = rule.reason.clone().unwrap_or_default();
            TestcaseInput::new(&rule.name, TestcaseOutcome::Erred { message, body: place.to_owned() })
        }
        () if rule.is_violated() && is_warning => {
            let out = format!("warning: {}\n{body}\n", plain(&rule.message));
            TestcaseInput { out, ..TestcaseInput::new(&rule.name, TestcaseOutcome::Passed) }
        }
        () if rule.is_violated() => {
            TestcaseInput::new(&rule.name, TestcaseOutcome::Failed { message: rule.message.clone(), body })
        }
        () if rule.outcome == "skipped" => TestcaseInput::new(&rule.name, TestcaseOutcome::Skipped),
        () => TestcaseInput::new(&rule.name, TestcaseOutcome::Passed),
    }
}

/// Adds the test cases for the answer of the validator; `beside` is true if the meaning was evaluated too.
fn of_validator(answer: &ValidatorAnswer, beside: bool, place: &str, cases: &mut Vec<TestcaseInput>) {
    let before = cases.len();
    let mut denials = answer.causes.iter().flatten().map(|cause| cause.message.as_str()).peekable();
    for status in answer.status.iter().flatten() {
        let detail = status.error.as_ref().unwrap_or(&status.message);
        // The causes are those of the rules that deny, in the order of the rules.
        let denies = !status.skipped
            && !status.satisfied
            && denials.next_if(|cause| cause.ends_with(&format!(": {detail}"))).is_some();
        cases.push(of_status(status, denies, beside, place));
    }
    let failed = |case: &TestcaseInput| matches!(case.outcome, TestcaseOutcome::Failed { .. });
    if !answer.is_allowed() && !cases.iter().skip(before).any(failed) {
        let why = [&answer.vm_error, &answer.parse_error, &answer.panic].into_iter().flatten().next();
        let message = why.cloned().unwrap_or_else(|| "denied".to_owned());
        cases
            .push(TestcaseInput::new(VALIDATOR, TestcaseOutcome::Failed { message, body: place.to_owned() }));
    }
}

fn of_status(status: &RuleStatus, denies: bool, beside: bool, place: &str) -> TestcaseInput {
    let name = if beside { format!("{} ({VALIDATOR})", status.name) } else { status.name.clone() };
    let detail = status.error.as_ref().unwrap_or(&status.message);
    match () {
        () if denies => {
            let kind = if status.error.is_some() { "in error: " } else { "" };
            let failed =
                TestcaseOutcome::Failed { message: format!("{kind}{detail}"), body: place.to_owned() };
            TestcaseInput::new(&name, failed)
        }
        () if status.skipped => TestcaseInput::new(&name, TestcaseOutcome::Skipped),
        () if status.satisfied => TestcaseInput::new(&name, TestcaseOutcome::Passed),
        () => TestcaseInput {
            out: format!("warning: {}\n{place}\n", plain(detail)),
            ..TestcaseInput::new(&name, TestcaseOutcome::Passed)
        },
    }
}

/// Returns the testcase of a server's answer about an object.
fn of_server(file: &str, answer: &CrdAnswer) -> TestcaseInput {
    let body = crd::testcase_body(file, answer);
    match answer.errors.first() {
        Some(first) => {
            TestcaseInput::new(WHOLE, TestcaseOutcome::Failed { message: first.text.clone(), body })
        }
        None => TestcaseInput { out: body, ..TestcaseInput::new(WHOLE, TestcaseOutcome::Passed) },
    }
}

/// Returns the testcase of a policy with a binding.
fn of_policy(result: &PolicyResult) -> TestcaseInput {
    let name = policy::result_title(result);
    let lines: String = result.failures.iter().map(policy::describe_failure).collect();
    let body = lines.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
    match result.outcome {
        PolicyResultKind::Denied => {
            let message = result.failures.first().map(|failure| failure.message.clone()).unwrap_or_default();
            TestcaseInput::new(&name, TestcaseOutcome::Failed { message, body })
        }
        PolicyResultKind::NotEvaluated => {
            let message = result.reason.clone().unwrap_or_default();
            TestcaseInput::new(&name, TestcaseOutcome::Erred { message, body })
        }
        outcome if !outcome.is_evaluated() => TestcaseInput::new(&name, TestcaseOutcome::Skipped),
        _ => TestcaseInput { out: body, ..TestcaseInput::new(&name, TestcaseOutcome::Passed) },
    }
}

fn of_fault(file: &str, fault: &EvaluationFault) -> TestcaseInput {
    let mut body = plain(&format!("{file}:{}:{}", fault.at.line, fault.at.column)).into_owned();
    for unsound in fault.unsound.iter().flat_map(|unsound| &unsound.diagnostics) {
        let _ = write!(body, "\n{}: {}", unsound.code, plain(&unsound.message));
    }
    TestcaseInput::new(WHOLE, TestcaseOutcome::Erred { message: fault.message.clone(), body })
}

impl TestcaseInput {
    fn new(name: &str, outcome: TestcaseOutcome) -> Self {
        Self { name: name.to_owned(), outcome, out: String::new() }
    }

    fn xml(&self, class: &str, count: &mut JunitCount) -> String {
        let mut inner = String::new();
        count.tests += 1;
        match &self.outcome {
            TestcaseOutcome::Passed => {}
            TestcaseOutcome::Skipped => {
                count.skipped += 1;
                inner += "      <skipped/>\n";
            }
            TestcaseOutcome::Failed { message, body } => {
                count.failures += 1;
                inner += &xml::junit_failure("failure", "violated", message, body);
            }
            TestcaseOutcome::Erred { message, body } => {
                count.errors += 1;
                inner += &xml::junit_failure("error", "not evaluated", message, body);
            }
        }
        if !self.out.is_empty() {
            inner += &xml::junit_output(&self.out);
        }
        xml::junit_testcase(class, &self.name, "", &inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_do_not_break_out_of_their_attribute() {
        let mut count = JunitCount::default();
        let failed = TestcaseOutcome::Failed { message: "\"><x".to_owned(), body: "]]>\u{1b}".to_owned() };
        let xml = TestcaseInput::new("a\"\n<b", failed).xml("c&d\u{0}", &mut count);
        let expected = "    <testcase classname=\"c&amp;d\\u{0}\" name=\"a&quot;&#10;&lt;b\">\n      \
                        <failure message=\"&quot;&gt;&lt;x\" type=\"violated\">]]&gt;\\u{1b}</failure>\n    \
                        </testcase>\n";
        assert_eq!(xml, expected);
        assert_eq!(xml::junit_suite_start("s", Some(count)).matches("=\"1\"").count(), 2);
    }
}
