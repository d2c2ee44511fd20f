//! Results for continuous integration: a test suite for each suite, a test case for each case.

use kvrules::render::xml;
use kvrules::test::{CaseResult, CaseStatus, TestCase};
use kvrules::{Sources, Span};

use super::RunSuite;

/// Name of the test case about what cannot be read.
const WHOLE: &str = "(suite)";

/// Renders the results.
pub(super) fn render_junit(run: &[RunSuite<'_>], sources: &Sources) -> String {
    let mut text = xml::junit_start("test", "");
    for one in run {
        let errors: Vec<_> =
            one.suite.findings.iter().filter(|it| it.level == kvrules::Level::Error).collect();
        let count = |status| one.cases.iter().filter(|(_, result)| result.status == status).count();
        let count = xml::JunitCount {
            tests: one.cases.len() + errors.len(),
            failures: count(CaseStatus::Failed),
            errors: count(CaseStatus::Broken) + errors.len(),
            skipped: count(CaseStatus::Skipped),
        };
        text += &xml::junit_suite_start(&one.suite.path, Some(count));
        for error in errors {
            let body = describe_place(error.primary.span, sources);
            let inner = xml::junit_failure("error", "suite", &error.message, &body);
            text += &xml::junit_testcase(&one.suite.path, WHOLE, "", &inner);
        }
        for (case, result) in &one.cases {
            text +=
                &xml::junit_testcase(&one.suite.path, &case.name, "", &render_result(case, result, sources));
        }
        text += xml::JUNIT_SUITE_END;
    }
    text + xml::JUNIT_END
}

fn render_result(case: &TestCase, result: &CaseResult, sources: &Sources) -> String {
    let message = result.mismatches.first().map(|it| it.message.clone()).unwrap_or_default();
    let body: Vec<String> = result
        .mismatches
        .iter()
        .map(|it| {
            let place = describe_place(it.span.unwrap_or(case.span), sources);
            let texts = [("expected", &it.expected), ("found", &it.actual)];
            let texts = texts.iter().filter_map(|(word, text)| Some(format!("\n{word}: {}", text.as_ref()?)));
            format!("{place}: {}{}", it.message, texts.collect::<String>())
        })
        .collect();
    match result.status {
        CaseStatus::Passed => String::new(),
        CaseStatus::Skipped => {
            let reason = xml::escape_attribute(case.skipped.as_deref().unwrap_or_default());
            format!("      <skipped message=\"{reason}\"/>\n")
        }
        CaseStatus::Failed => xml::junit_failure("failure", "differs", &message, &body.join("\n")),
        CaseStatus::Broken => xml::junit_failure("error", "not evaluated", &message, &body.join("\n")),
    }
}

/// The file, line and column of a location.
pub(super) fn describe_place(span: Span, sources: &Sources) -> String {
    let Some(source) = sources.get(span.file) else { return String::new() };
    let at = source.position_at(span.start);
    format!("{}:{}:{}", source.name(), at.line, at.column)
}
