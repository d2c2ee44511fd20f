//! Differences as findings: at the expectation in the suite, and at the field of the object that decided.

use kvrules_diagnostics::{Diagnostic, Sources, Span};
use kvrules_syntax::kubernetes::find_field;
use kvrules_syntax::{parse_stream, to_yaml};

use crate::answer::{AnswerVerdict, CaseAnswer};
use crate::files::suite_error;
use crate::model::{TestCase, TestSuite};
use crate::run::{CaseResult, Mismatch};

/// Describes the differences of a case. The object is added to the sources as a text of its own, in which the deciding field is
/// marked.
pub fn describe_result(
    suite: &TestSuite,
    case: &TestCase,
    result: &CaseResult,
    sources: &mut Sources,
) -> Vec<Diagnostic> {
    let object = result.answer.as_ref().and_then(|answer| add_object(suite, case, answer, sources));
    let describe = |mismatch: &Mismatch| {
        let message = format!("`{}`: {}", case.name, mismatch.message);
        let finding = suite_error(mismatch.span.unwrap_or(case.span), message);
        let finding = match (&mismatch.expected, &mismatch.actual) {
            (Some(expected), Some(actual)) => finding.with_help(compare_texts(expected, actual)),
            (None, Some(actual)) if !actual.is_empty() => {
                finding.with_help(format!("the messages are: {actual}"))
            }
            _ => finding,
        };
        match &object {
            Some((span, label)) => finding.with_secondary_label(*span, label.clone()),
            None => finding,
        }
    };
    // The findings of the suite are not repeated for its cases.
    let is_new = |mismatch: &&Mismatch| {
        let is_it =
            |it: &Diagnostic| Some(it.primary.span) == mismatch.span && it.message == mismatch.message;
        !suite.findings.iter().any(is_it)
    };
    result.mismatches.iter().filter(is_new).map(describe).collect()
}

/// Shows an expected text and the actual one; of longer texts the lines that differ.
fn compare_texts(expected: &str, actual: &str) -> String {
    if !expected.trim().contains('\n') && !actual.trim().contains('\n') {
        return format!("expected `{}`, found `{}`", expected.trim(), actual.trim());
    }
    let (expected, actual): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let missing = expected.iter().filter(|line| !actual.contains(line)).map(|line| format!("- {line}"));
    let added = actual.iter().filter(|line| !expected.contains(line)).map(|line| format!("+ {line}"));
    let lines: Vec<String> = missing.chain(added).collect();
    lines.join("\n")
}

/// Adds the object of an answer to the sources; returns the location of the field that decided, and its label.
fn add_object(
    suite: &TestSuite,
    case: &TestCase,
    answer: &CaseAnswer,
    sources: &mut Sources,
) -> Option<(Span, String)> {
    let object = if answer.object.is_null() { &case.input.old_object } else { &answer.object };
    if object.is_null() || answer.verdict == AnswerVerdict::Unevaluated {
        return None;
    }
    let text = to_yaml(object).ok()?;
    let id = sources.add_file(format!("{} (object of `{}`)", suite.path, case.name), text.as_str());
    let stream = parse_stream(id, &text);
    let root = stream.documents.first()?.root()?;
    let decided = answer.violations.first();
    let field = decided.map(|violation| violation.field.as_str()).unwrap_or_default();
    let found = find_field(root, field);
    let span = if field.is_empty() { root.span().at_start() } else { found.entry.value.span() };
    let label = match decided {
        Some(violation) => violation.message().to_owned(),
        None => format!("this object is {}", answer.verdict.as_str()),
    };
    Some((span, label))
}
