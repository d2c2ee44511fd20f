//! Words about a value that breaks a rule, and about what the rule allows. They are short: an answer of the server is
//! read in a terminal.

use kvrules_ir::{Interval, Place, PlaceStep, Severity, ValueTest, ValueType};
use kvrules_kubernetes::quantity::shortest_binary;
use num_bigint::BigInt;

/// More values, or longer ones, are not listed.
const MOST_VALUES: usize = 12;
const LONGEST_LIST: usize = 240;

/// The last names on the way to a place, such as `memory.guest`.
pub(super) fn place_noun(place: &Place) -> String {
    let names = place.steps.iter().rev().map_while(|step| match step {
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => Some(name.as_str()),
        PlaceStep::Item(_) => None,
    });
    let mut names: Vec<&str> = names.take(2).collect();
    names.reverse();
    if names.is_empty() { "the value".to_owned() } else { names.join(".") }
}

/// The name of a list and the last names on the way from an element, such as `disks.disk.bus`.
pub(super) fn noun_in(list: &Place, leaf: &Place) -> String {
    match list.steps.last() {
        Some(PlaceStep::Field { name, .. }) if !leaf.steps.is_empty() => {
            format!("{name}.{}", place_noun(leaf))
        }
        _ => place_noun(list),
    }
}

/// Returns the description of a value that does not pass: `is less than the required 2Gi`.
pub(super) fn describe_violation(test: &ValueTest, kind: ValueType, severity: Severity) -> Option<String> {
    let (required, allowed) = severity_adjectives(severity);
    Some(match test {
        ValueTest::Integer(interval) | ValueTest::Length(interval) => {
            match render_bounds(interval, test, kind) {
                (None, None) => "is not an integer".to_owned(),
                (Some(min), None) => format!("is less than the {required} {min}"),
                (None, Some(max)) => format!("is more than the {allowed} {max}"),
                (Some(min), Some(max)) if min == max => format!("is not {min}"),
                (Some(min), Some(max)) => format!("is not between {min} and {max}"),
            }
        }
        ValueTest::OneOf(_) => match render_values(test)?.as_slice() {
            [] => return None,
            [only] => format!("is not {only}"),
            [values @ .., last] => format!("is not one of {} or {last}", values.join(", ")),
        },
        ValueTest::Matches(pattern) => format!("does not match {}", pattern.0),
    })
}

/// Returns the description of what a test allows: `at least 2Gi is required`. `None` if that would be too long.
pub(super) fn describe_demand(test: &ValueTest, kind: ValueType, severity: Severity) -> Option<String> {
    let (required, allowed) = severity_adjectives(severity);
    Some(match test {
        ValueTest::Integer(interval) | ValueTest::Length(interval) => {
            match render_bounds(interval, test, kind) {
                (None, None) => format!("an integer is {required}"),
                (Some(min), None) => format!("at least {min} is {required}"),
                (None, Some(max)) => format!("at most {max} is {allowed}"),
                (Some(min), Some(max)) if min == max => format!("{min} is {required}"),
                (Some(min), Some(max)) => format!("between {min} and {max} is {required}"),
            }
        }
        ValueTest::OneOf(_) => match render_values(test)?.as_slice() {
            [] => return None,
            [only] => format!("{only} is {required}"),
            [values @ .., last] => format!("{allowed} are {} and {last}", values.join(", ")),
        },
        ValueTest::Matches(pattern) => format!("a match of {} is {required}", pattern.0),
    })
}

fn severity_adjectives(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Error => ("required", "allowed"),
        Severity::Warning => ("recommended", "recommended"),
    }
}

/// The bounds as people write them.
fn render_bounds(interval: &Interval, test: &ValueTest, kind: ValueType) -> (Option<String>, Option<String>) {
    let is_amount = kind == ValueType::Quantity && matches!(test, ValueTest::Integer(_));
    let written = |bound: &BigInt| if is_amount { shortest_binary(bound) } else { bound.to_string() };
    (interval.min.as_ref().map(written), interval.max.as_ref().map(written))
}

/// The values that are allowed, if they are few and short.
fn render_values(test: &ValueTest) -> Option<Vec<String>> {
    let ValueTest::OneOf(texts) = test else { return None };
    let length: usize = texts.iter().map(|text| text.chars().count()).sum();
    let shown = |text: &String| if text.is_empty() { "\"\"".to_owned() } else { text.clone() };
    (texts.len() <= MOST_VALUES && length <= LONGEST_LIST).then(|| texts.iter().map(shown).collect())
}
