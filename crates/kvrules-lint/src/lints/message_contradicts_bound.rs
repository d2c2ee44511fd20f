//! KV707 `message_contradicts_bound`: a message with another limit than the rule has.

use std::ops::Range;

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::{annotation::Key, catalog::measures_memory};
use kvrules_ir::{ElaboratedRule, Interval, PlaceStep, ValueTest};
use kvrules_kubernetes::quantity::{Quantity, in_human_units};
use num_bigint::BigInt;

use crate::{
    LintCheck, RuleView, escaped_spans,
    message::{message_node, singular_word},
    message_text::code,
};

pub static LINT: Lint = Lint {
    code: "KV707",
    name: "message_contradicts_bound",
    level: Level::Warning,
    summary: "the limit in a message is not that of the rule",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

/// Words of a message for a lower and an upper bound. Without such words a number may be anything.
const LEAST: [&str; 6] =
    ["at least ", "minimum of ", "no less than ", "not less than ", "no fewer than ", ">= "];
const MOST: [&str; 7] =
    ["at most ", "maximum of ", "no more than ", "not more than ", "up to ", "limited to ", "<= "];

/// Units of memory, and the suffixes of quantities that they may stand for: people say GB for both.
const UNITS: [(&str, &[&str]); 9] = [
    ("kib ki kibibyte", &["Ki"]),
    ("mib mi mebibyte", &["Mi"]),
    ("gib gi gibibyte", &["Gi"]),
    ("tib ti tebibyte", &["Ti"]),
    ("kb k kilobyte", &["Ki", "k"]),
    ("mb m megabyte", &["Mi", "M"]),
    ("gb g gigabyte gig", &["Gi", "G"]),
    ("tb t terabyte", &["Ti", "T"]),
    ("byte b", &[""]),
];

/// The only number in a message, with the word after it and the bound that the message claims.
struct MessageBound<'t> {
    range: Range<usize>,
    number: &'t str,
    unit: String,
    is_least: bool,
}

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let (Some(node), Some((_, meaning))) = (message_node(rule), rule.understood()) else { return };
    let [test] = meaning.requirement.tests.as_slice() else { return };
    let (ValueTest::Integer(interval) | ValueTest::Length(interval)) = test else { return };
    let (is_min, bound) = match interval {
        Interval { min: Some(bound), max: None } => (true, bound),
        Interval { min: None, max: Some(bound) } => (false, bound),
        _ => return,
    };
    let Some(wording) = bound_in_message(node.text()) else { return };
    let Some(intended) = intended_values(&wording, test, meaning) else { return };
    if wording.is_least == is_min && intended.iter().any(|intended| intended == bound) {
        return;
    }
    let (key, relation) = match (test, is_min) {
        (ValueTest::Length(_), true) => (Key::MinLength, "at least"),
        (ValueTest::Length(_), false) => (Key::MaxLength, "at most"),
        (_, true) => (Key::Min, "at least"),
        (_, false) => (Key::Max, "at most"),
    };
    let Some((at, _)) = rule.number_text(key) else { return };
    let own = if measures_memory(&meaning.requirement.subject.leaf) {
        in_human_units(bound)
    } else {
        bound.to_string()
    };
    let words = node.text().get(wording.range.clone()).unwrap_or(wording.number);
    let message =
        format!("the message says {}, but the rule requires {relation} {}", code(words), code(&own));
    let span = escaped_spans::span_of(rule.source, node, wording.range);
    found.push(
        LINT.diagnostic_at(span, message)
            .with_secondary_label(at.span(), "the bound")
            .with_help("make the message and the bound agree"),
    );
}

/// Returns the values that a message may mean by its number; `None` if it may be about something else.
fn intended_values(
    wording: &MessageBound<'_>,
    test: &ValueTest,
    meaning: &ElaboratedRule,
) -> Option<Vec<BigInt>> {
    let subject = &meaning.requirement.subject;
    let whole = || Some(vec![Quantity::parse(wording.number).ok()?.to_integer()?]);
    if let ValueTest::Length(_) = test {
        return if matches!(wording.unit.as_str(), "character" | "char" | "letter") { whole() } else { None };
    }
    if measures_memory(&subject.leaf) {
        let (_, suffixes) =
            UNITS.iter().find(|(names, _)| names.split(' ').any(|name| name == wording.unit))?;
        let value =
            |suffix: &&str| Quantity::parse(&format!("{}{suffix}", wording.number)).ok()?.to_integer();
        return Some(suffixes.iter().filter_map(value).collect());
    }
    let last = subject.leaf.steps.iter().rev().find_map(|step| match step {
        PlaceStep::Field { name, .. } => Some(name.to_lowercase()),
        _ => None,
    })?;
    if singular_word(&last) == wording.unit { whole() } else { None }
}

/// The number in a text, if there is one alone, with a word that makes it a bound before it and a unit behind it.
fn bound_in_message(text: &str) -> Option<MessageBound<'_>> {
    let lower = text.to_ascii_lowercase();
    let mut numbers = number_ranges(text).into_iter();
    let (Some(range), None) = (numbers.next(), numbers.next()) else { return None };
    let (number, before) = (text.get(range.clone())?, lower.get(..range.start)?);
    let phrase = |known: &[&'static str]| known.iter().copied().find(|words| before.ends_with(words));
    let (is_least, words) = match (phrase(&LEAST), phrase(&MOST)) {
        (Some(words), _) => (true, words),
        (None, words) => (false, words?),
    };
    let behind = lower.get(range.end..)?;
    let unit = behind.strip_prefix([' ', '-']).unwrap_or(behind);
    let letters = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
    let end = range.end + (behind.len() - unit.len()) + letters;
    let unit = singular_word(unit.get(..letters)?).to_owned();
    Some(MessageBound { range: range.start - words.len()..end, number, unit, is_least })
}

/// Returns the ranges of numbers in a string; digits inside a word do not count.
fn number_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match found.last_mut().filter(|last| last.end == at) {
            Some(last) if c.is_ascii_digit() || (matches!(c, '.' | ',') && follows_digit(text, at)) => {
                last.end = at + 1;
            }
            _ if c.is_ascii_digit() && !before.is_alphanumeric() => found.push(at..at + 1),
            _ => {}
        }
        before = c;
    }
    found
}

fn follows_digit(text: &str, at: usize) -> bool {
    text.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound_parts(text: &str) -> Option<(&str, String, bool)> {
        bound_in_message(text).map(|wording| (wording.number, wording.unit, wording.is_least))
    }

    #[test]
    fn only_a_number_alone_that_is_called_a_bound_counts() {
        assert_eq!(bound_parts("needs at least 1.5 GiB of memory"), Some(("1.5", "gib".to_owned(), true)));
        assert_eq!(bound_parts("up to 8 cores"), Some(("8", "core".to_owned(), false)));
        assert_eq!(bound_parts("at least 512MiB."), Some(("512", "mib".to_owned(), true)));
        assert_eq!(bound_parts("4 cores are too few"), None);
        assert_eq!(bound_parts("at least 4 cores, 8 are better"), None);
        assert_eq!(bound_parts("at least q35"), None);
    }
}
