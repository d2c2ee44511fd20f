//! Answers compared with expectations.

use kvrules_diagnostics::Span;
use serde_json::Value;

use crate::answer::{AnswerVerdict, CaseAnswer, Violation};
use crate::model::{Expectation, ExpectedText, ExpectedVerdict, TextMatching, ViolationCount};
use crate::subject::rule_slug;

/// A difference between an answer and the expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Description, in a sentence.
    pub message: String,
    /// The expected text or object, if it is one.
    pub expected: Option<String>,
    /// The texts of the answer instead, line by line.
    pub actual: Option<String>,
    /// Location of the expectation in the suite; none if it is that of the case.
    pub span: Option<Span>,
    /// True if `--update` can write the actual message in its place.
    pub is_message: bool,
}

impl Mismatch {
    /// Creates a difference that a sentence describes.
    pub(crate) fn sentence(span: Span, message: String) -> Self {
        Self { message, expected: None, actual: None, span: Some(span), is_message: false }
    }

    fn verdict(message: String) -> Self {
        Self { message, expected: None, actual: None, span: None, is_message: false }
    }
}

/// Compares an answer with what is expected.
pub(super) fn compare_answer(expected: &Expectation, answer: &CaseAnswer) -> Vec<Mismatch> {
    let mut found = Vec::new();
    if !agrees_with_verdict(expected, answer) {
        found.push(Mismatch::verdict(format!(
            "expected {}, and the object is {}",
            expected.verdict.as_str(),
            describe_verdict(answer)
        )));
        // Messages are only compared if the verdict is as expected.
        return found;
    }
    found.extend(expected.rules.iter().filter_map(|rule| compare_rule(rule, answer)));
    found.extend(expected.messages.iter().filter_map(|text| compare_message(text, answer)));
    compare_warnings(expected, answer, &mut found);
    for (key, value) in &expected.audit {
        let actual = answer.audit.iter().find(|(name, _)| *name == key || name.ends_with(&format!("/{key}")));
        if actual.is_none_or(|(_, actual)| actual != value) {
            found.push(Mismatch {
                expected: Some(format!("{key}: {value}")),
                actual: Some(actual.map(|(_, value)| format!("{key}: {value}")).unwrap_or_default()),
                ..Mismatch::verdict("the audit annotation differs".to_owned())
            });
        }
    }
    found.extend(expected.counts.iter().filter_map(|count| compare_count(count, answer)));
    if let Some(stored) = &expected.stored {
        found.extend(compare_stored(stored, &answer.stored));
    }
    found
}

fn agrees_with_verdict(expected: &Expectation, answer: &CaseAnswer) -> bool {
    let verdict = answer.verdict;
    let has_error = answer.violations.first().is_some_and(|it| it.is_error);
    match expected.verdict {
        ExpectedVerdict::Any => true,
        ExpectedVerdict::Accept => verdict != AnswerVerdict::Rejected,
        // The rules of a template have looked at an object that their guards exclude.
        ExpectedVerdict::Quiet => match verdict {
            AnswerVerdict::Accepted => true,
            AnswerVerdict::Skipped => !answer.is_unmatched,
            _ => false,
        },
        ExpectedVerdict::Admit => verdict != AnswerVerdict::Rejected && !answer.is_unmatched,
        ExpectedVerdict::Satisfy => verdict == AnswerVerdict::Accepted,
        ExpectedVerdict::Warn => verdict == AnswerVerdict::Warned,
        ExpectedVerdict::Skip => verdict == AnswerVerdict::Skipped,
        ExpectedVerdict::Error => verdict == AnswerVerdict::Rejected && has_error,
        ExpectedVerdict::Deny => verdict == AnswerVerdict::Rejected && !has_error,
        ExpectedVerdict::Reject => {
            verdict == AnswerVerdict::Rejected && answer.is_about_status == expected.is_about_status
        }
    }
}

fn describe_verdict(answer: &CaseAnswer) -> String {
    let verdict = answer.verdict.as_str();
    let target = if answer.is_about_status { " on the write of its status" } else { "" };
    let messages: Vec<&str> = answer.violations.iter().map(Violation::message).collect();
    if answer.is_unmatched {
        "skipped, since no policy or RuleSet applies to it".to_owned()
    } else if messages.is_empty() {
        format!("{verdict}{target}")
    } else {
        format!("{verdict}{target}: {}", messages.join(", "))
    }
}

fn compare_rule(rule: &ExpectedText, answer: &CaseAnswer) -> Option<Mismatch> {
    let wanted = rule_slug(&rule.text);
    let is_it = |violation: &Violation| {
        violation.rules.iter().any(|name| rule_slug(name) == wanted) || violation.field == rule.text
    };
    if answer.violations.iter().any(is_it) {
        return None;
    }
    Some(Mismatch {
        actual: Some(join_messages(answer)),
        ..Mismatch::sentence(rule.span, format!("the rule `{}` is not violated", rule.text))
    })
}

fn compare_message(expected: &ExpectedText, answer: &CaseAnswer) -> Option<Mismatch> {
    let texts = || answer.violations.iter().flat_map(|it| &it.texts).map(String::as_str);
    let is_reported = match expected.matching {
        TextMatching::Part => is_part_of(&expected.text, answer),
        _ => texts().any(|text| matches_text(expected, text)),
    };
    (!is_reported).then(|| Mismatch {
        message: "the message differs".to_owned(),
        expected: Some(expected.text.clone()),
        actual: Some(join_messages(answer)),
        span: Some(expected.span),
        is_message: true,
    })
}

/// True if a text is part of a message, or of all messages as the server joins them. The server gives them in an order of its own,
/// so each part of a list in brackets is looked for.
// apimachinery api/errors/errors.go, NewInvalid; util/errors/errors.go, aggregate.Error
fn is_part_of(expected: &str, answer: &CaseAnswer) -> bool {
    if whole_messages(answer).any(|message| message.contains(expected)) {
        return true;
    }
    // The name is the runner's own.
    let expected = expected.split_once(" is invalid: ").map_or(expected, |(_, errors)| errors);
    let texts = || answer.violations.iter().flat_map(|it| &it.texts).map(String::as_str);
    if texts().any(|text| text.contains(expected)) {
        return true;
    }
    let several = expected.strip_prefix('[').unwrap_or(expected);
    let several = several.strip_suffix(']').unwrap_or(several);
    covers_list(several, &texts().collect::<Vec<_>>())
}

/// Returns the messages of the answer as servers write them, of which older ones have other texts: the object and all errors.
// apimachinery api/errors/errors.go, NewInvalid; util/errors/errors.go, aggregate.Error: each text once, in brackets if there are several
fn whole_messages(answer: &CaseAnswer) -> impl Iterator<Item = String> {
    let forms = answer.violations.iter().map(|it| it.texts.len()).max().unwrap_or_default();
    (0..forms).map(|form| {
        let mut texts: Vec<&str> = Vec::new();
        for violation in &answer.violations {
            let text = violation.texts.get(form).map_or(violation.message(), String::as_str);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let errors = texts.join(", ");
        if texts.len() == 1 {
            format!("{}{errors}", answer.subject)
        } else {
            format!("{}[{errors}]", answer.subject)
        }
    })
}

/// True if a list of messages, joined with commas, consists of messages of the answer. The first may be the end of one, the last
/// the beginning.
fn covers_list(list: &str, texts: &[&str]) -> bool {
    let mut rest = list;
    let mut is_first = true;
    while !rest.is_empty() {
        let ends_with_part = |text: &&&str| {
            rest.strip_prefix(**text).is_some_and(|after| after.is_empty() || after.starts_with(", "))
        };
        let whole = texts.iter().filter(ends_with_part).max_by_key(|text| text.len());
        let part = whole.map(|text| text.len()).or_else(|| {
            let ending = |text: &&str| {
                let starts = text.char_indices().map(|(at, _)| at);
                starts
                    .filter_map(|at| text.get(at..))
                    .find(|end| rest.strip_prefix(end).is_some_and(|after| after.starts_with(", ")))
                    .map(str::len)
            };
            if is_first { texts.iter().filter_map(ending).max() } else { None }
        });
        match part {
            Some(length) => {
                rest = rest.get(length..).unwrap_or_default();
                rest = rest.strip_prefix(", ").unwrap_or(rest);
            }
            // A list that was cut short ends within a message.
            None => return !is_first && texts.iter().any(|text| text.starts_with(rest)),
        }
        is_first = false;
    }
    !list.is_empty()
}

/// True if a text is as expected; a pattern that cannot be read matches nothing.
pub(crate) fn matches_text(expected: &ExpectedText, text: &str) -> bool {
    match expected.matching {
        TextMatching::Exact => text == expected.text,
        TextMatching::Part => text.contains(&expected.text),
        TextMatching::Pattern => matches_pattern(&expected.text, text),
    }
}

fn matches_pattern(pattern: &str, text: &str) -> bool {
    kvrules_regex::compile_matcher(pattern).is_ok_and(|matcher| matcher.is_match(text))
}

fn compare_warnings(expected: &Expectation, answer: &CaseAnswer, found: &mut Vec<Mismatch>) {
    for text in &expected.warnings {
        let is_it = |it: &crate::answer::AnswerWarning| {
            matches_text(text, &it.text) || matches_text(text, &it.message)
        };
        if !answer.warnings.iter().any(is_it) {
            found.push(Mismatch {
                message: "the warning is missing".to_owned(),
                expected: Some(text.text.clone()),
                actual: Some(join_warnings(answer)),
                span: Some(text.span),
                is_message: true,
            });
        }
    }
    let count = answer.warnings.len();
    if let Some(wanted) = expected.warning_count.filter(|wanted| *wanted != count) {
        found.push(Mismatch {
            actual: Some(join_warnings(answer)),
            ..Mismatch::verdict(format!("expected {wanted} warnings, and there are {count}"))
        });
    }
}

fn compare_count(count: &ViolationCount, answer: &CaseAnswer) -> Option<Mismatch> {
    let counts = |violation: &&Violation| {
        count.pattern.as_ref().is_none_or(|pattern| matches_pattern(pattern, violation.message()))
    };
    let actual = answer.violations.iter().filter(counts).count();
    let (agrees, wanted) = match count.number {
        Some(number) => (actual == number, number.to_string()),
        None => (actual > 0, "at least 1".to_owned()),
    };
    let matching = count.pattern.as_ref().map(|it| format!(" that match `{it}`")).unwrap_or_default();
    (!agrees).then(|| Mismatch {
        actual: Some(join_messages(answer)),
        ..Mismatch::sentence(
            count.span,
            format!("expected {wanted} violations{matching}, and there are {actual}"),
        )
    })
}

/// Compares the stored object with the expected one, without the metadata that only the server sets.
fn compare_stored(expected: &Value, stored: &Value) -> Option<Mismatch> {
    let (expected, stored) = (without_server_metadata(expected), without_server_metadata(stored));
    (expected != stored).then(|| Mismatch {
        expected: kvrules_syntax::to_yaml(&expected).ok(),
        actual: kvrules_syntax::to_yaml(&stored).ok(),
        ..Mismatch::verdict("the stored object differs".to_owned())
    })
}

/// Fields of `metadata` that a comparison leaves out.
// controller-runtime envtest/komega/equalobject.go, IgnoreAutogeneratedMetadata; the name and namespace are the runner's own.
const SERVER_METADATA: [&str; 9] = [
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
];

fn without_server_metadata(object: &Value) -> Value {
    let mut object = object.clone();
    let Some(fields) = object.as_object_mut() else { return object };
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| !SERVER_METADATA.contains(&name.as_str()));
    }
    if fields.get("metadata").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
        fields.shift_remove("metadata");
    }
    object
}

fn join_messages(answer: &CaseAnswer) -> String {
    answer.violations.iter().map(Violation::message).collect::<Vec<_>>().join("\n")
}

fn join_warnings(answer: &CaseAnswer) -> String {
    answer.warnings.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(texts: &[&str]) -> CaseAnswer {
        let violation = |text: &&str| Violation { texts: vec![(*text).to_owned()], ..Violation::default() };
        CaseAnswer { violations: texts.iter().map(violation).collect(), ..CaseAnswer::default() }
    }

    #[test]
    fn several_messages_may_come_in_another_order_and_none_may_be_missing() {
        let answer = answer(&["spec.a: Required value", "spec.b: Invalid value: 1, 2: wrong"]);
        for expected in [
            "spec.a: Required",
            "[spec.b: Invalid value: 1, 2: wrong, spec.a: Required value]",
            "Pond \"x\" is invalid: [spec.a: Required value, spec.b: Invalid value: 1, 2: wrong]",
            "spec.a: Required value, spec.b: Inv",
        ] {
            assert!(is_part_of(expected, &answer), "{expected}");
        }
        for expected in [
            "spec.c: Required value",
            "[spec.a: Required value, spec.c: Required value]",
            "spec.b: Required value",
        ] {
            assert!(!is_part_of(expected, &answer), "{expected}");
        }
    }

    #[test]
    fn a_text_is_looked_for_in_the_whole_message() {
        let subject = "Pond.example.com \"test-abcde\" is invalid: ".to_owned();
        let one = CaseAnswer { subject: subject.clone(), ..answer(&["spec.a: Required value"]) };
        let several = CaseAnswer { subject, ..answer(&["spec.a: Required value", "spec.b: Forbidden"]) };
        for expected in
            ["Pond.example.com", " is invalid: spec.a", "\" is invalid: spec.a: Required value", "is invalid"]
        {
            assert!(is_part_of(expected, &one), "{expected}");
        }
        for expected in
            ["is invalid: [spec.a: Required value, spec.b: Forbidden]", "value, spec.b: Forbidden]"]
        {
            assert!(is_part_of(expected, &several), "{expected}");
            assert!(!is_part_of(expected, &one), "{expected}");
        }
        assert!(!is_part_of("Lake.example.com", &one));
    }

    #[test]
    fn a_verdict_on_the_status_is_not_one_on_the_object() {
        let expected = Expectation { verdict: ExpectedVerdict::Reject, ..Expectation::default() };
        let rejected = CaseAnswer { verdict: AnswerVerdict::Rejected, ..CaseAnswer::default() };
        assert!(compare_answer(&expected, &rejected).is_empty());
        let of_status = CaseAnswer { is_about_status: true, ..rejected };
        assert_eq!(compare_answer(&expected, &of_status).len(), 1);
    }
}
