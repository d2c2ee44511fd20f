//! Conditions on one text that contradict each other: its length, and the values that are left.

use kvrules_ir::{Constant, Term};
use serde_json::Value as Json;

use super::Statement;
use super::keys::term_key;
use super::theory::{Literal, SchemaReader};

/// A condition on a text.
enum Condition<'c> {
    Equal(&'c str),
    /// A function of CEL with the text that it looks for.
    Test(&'c str, &'c str),
    Size(i64),
    SizeBelow(i64),
    SizeAbove(i64),
}

impl SchemaReader<'_> {
    /// True if no text meets the conditions on a term. False if that is not known: sets of texts that patterns describe are not compared.
    pub(super) fn has_no_text(&self, of: &Term, literals: &[Literal]) -> bool {
        let key = term_key(of);
        let conditions: Vec<(Condition<'_>, bool)> = literals
            .iter()
            .filter_map(|(statement, holds)| Some((condition_on(&key, statement)?, *holds)))
            .collect();
        let equal = conditions.iter().find_map(|(condition, holds)| match condition {
            Condition::Equal(text) if *holds => Some(*text),
            _ => None,
        });
        let listed = self.listed(of);
        let left: Option<Vec<&str>> = match (equal, &listed) {
            (Some(text), _) => Some(vec![text]),
            (None, Some(listed)) => listed.iter().map(as_text).collect(),
            (None, None) => None,
        };
        let pattern = self.facts(of).and_then(|node| node.get("pattern")).and_then(Json::as_str);
        let [least, most] = self.size_bounds(of);
        let fits = |text: &str| {
            let size = i128::try_from(text.chars().count()).unwrap_or(i128::MAX);
            least.is_none_or(|least| least <= size)
                && most.is_none_or(|most| size <= most)
                && pattern.is_none_or(|pattern| matches(pattern, text) != Some(false))
                && conditions
                    .iter()
                    .all(|(condition, holds)| condition.is_met_by(text).is_none_or(|it| it == *holds))
        };
        match left {
            Some(left) => !left.into_iter().any(fits),
            None => has_no_length(least.unwrap_or(0).max(0), most, &conditions),
        }
    }
}

/// True if no length meets the conditions. The lengths next to those that conditions name stand for the others.
fn has_no_length(least: i128, most: Option<i128>, conditions: &[(Condition<'_>, bool)]) -> bool {
    let named = conditions.iter().filter_map(|(condition, _)| match condition {
        Condition::Size(number) | Condition::SizeBelow(number) | Condition::SizeAbove(number) => {
            Some(*number)
        }
        _ => None,
    });
    let mut lengths: Vec<i128> =
        named.flat_map(|number| [-1, 0, 1].map(|by| i128::from(number) + by)).collect();
    lengths.push(least);
    let meets = |length: i128, (condition, holds): &(Condition<'_>, bool)| match condition {
        Condition::Size(number) => (length == i128::from(*number)) == *holds,
        Condition::SizeBelow(number) => (length < i128::from(*number)) == *holds,
        Condition::SizeAbove(number) => (length > i128::from(*number)) == *holds,
        _ => true,
    };
    let is_possible = |length: &&i128| **length >= least && most.is_none_or(|most| **length <= most);
    !lengths.iter().filter(is_possible).any(|length| conditions.iter().all(|it| meets(*length, it)))
}

fn as_text(constant: &Constant) -> Option<&str> {
    match constant {
        Constant::Text(text) => Some(text),
        _ => None,
    }
}

fn matches(pattern: &str, text: &str) -> Option<bool> {
    Some(regex::Regex::new(pattern).ok()?.is_match(text))
}

fn condition_on<'l>(key: &str, statement: &'l Statement) -> Option<Condition<'l>> {
    let is_subject = |term: &Term| term_key(term) == key;
    let is_size = |term: &Term| matches!(term, Term::Call(call) if call.function == "size" && call.arguments.first().is_some_and(is_subject));
    match statement {
        Statement::Equal(term, Term::Constant(Constant::Text(text))) if is_subject(term) => {
            Some(Condition::Equal(text))
        }
        Statement::Equal(Term::Call(call), Term::Constant(Constant::Boolean(true))) => {
            match call.arguments.as_slice() {
                [of, Term::Constant(Constant::Text(text))] if is_subject(of) => {
                    Some(Condition::Test(&call.function, text))
                }
                _ => None,
            }
        }
        Statement::Equal(size, Term::Constant(Constant::Integer(number))) if is_size(size) => {
            Some(Condition::Size(*number))
        }
        Statement::Less(size, Term::Constant(Constant::Integer(number))) if is_size(size) => {
            Some(Condition::SizeBelow(*number))
        }
        Statement::Less(Term::Constant(Constant::Integer(number)), size) if is_size(size) => {
            Some(Condition::SizeAbove(*number))
        }
        _ => None,
    }
}

impl Condition<'_> {
    /// `None` if it is not known.
    fn is_met_by(&self, text: &str) -> Option<bool> {
        let size = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        Some(match self {
            Self::Equal(other) => text == *other,
            Self::Test("startsWith", start) => text.starts_with(start),
            Self::Test("endsWith", end) => text.ends_with(end),
            Self::Test("contains", part) => text.contains(part),
            Self::Test("matches", pattern) => matches(pattern, text)?,
            Self::Test(..) => return None,
            Self::Size(number) => size() == *number,
            Self::SizeBelow(number) => size() < *number,
            Self::SizeAbove(number) => size() > *number,
        })
    }
}
