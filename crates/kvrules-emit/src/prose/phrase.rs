//! Statements about a value: verb phrases.

use kvrules_ir::{Interval, OperandRelation, Place, ValueTest, ValueType};

use super::inline::Prose;
use super::measure::Unit;
use super::value::{pattern_code, text_code};

/// Grammatical mood of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// `must be`: else the object is rejected.
    Must,
    /// `should be`: else there is a warning.
    Should,
    /// `is`: a condition.
    Is,
}

/// The verb of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Be,
    Have,
    Match,
    Contain,
}

/// A verb and what follows.
#[derive(Clone, Debug)]
pub(crate) struct Phrase {
    pub(crate) verb: Verb,
    pub(crate) rest: Prose,
}

/// More values than this are left to the list of allowed values.
const MANY: usize = 12;

impl Mood {
    /// `must be`, `should have`, `contains`.
    pub(crate) fn verb(self, verb: Verb) -> &'static str {
        match (self, verb) {
            (Self::Must, Verb::Be) => "must be",
            (Self::Must, Verb::Have) => "must have",
            (Self::Must, Verb::Match) => "must match",
            (Self::Must, Verb::Contain) => "must contain",
            (Self::Should, Verb::Be) => "should be",
            (Self::Should, Verb::Have) => "should have",
            (Self::Should, Verb::Match) => "should match",
            (Self::Should, Verb::Contain) => "should contain",
            (Self::Is, Verb::Be) => "is",
            (Self::Is, Verb::Have) => "has",
            (Self::Is, Verb::Match) => "matches",
            (Self::Is, Verb::Contain) => "contains",
        }
    }

    /// `must`, `should`.
    pub(crate) fn modal(self) -> &'static str {
        if self == Self::Should { "should" } else { "must" }
    }
}

/// Returns the statement of a test about the value at a place.
pub(crate) fn phrase(test: &ValueTest, place: &Place) -> Phrase {
    match test {
        ValueTest::Integer(interval) => integer(interval, place),
        ValueTest::Length(interval) => length(interval, place),
        ValueTest::OneOf(values) => {
            let written = if place.value_type == ValueType::Quantity { "written as " } else { "" };
            let codes: Vec<Prose> = values.iter().map(|value| Prose::of_code(text_code(value))).collect();
            let rest = match codes.len() {
                0 => Prose::from("one of an empty list of values"),
                1 | 2 => Prose::from(written).add_prose(&Prose::join_with(&codes, "", " or ")),
                count if count > MANY => Prose::from(format!("{written}one of the {count} allowed values")),
                _ => Prose::from(written).text("one of ").add_prose(&Prose::join_with(&codes, ", ", " or ")),
            };
            Phrase { verb: Verb::Be, rest }
        }
        ValueTest::Matches(pattern) => {
            let anchored = kvrules_regex::parse(&pattern.0).is_ok_and(|regex| regex.is_anchored());
            let (verb, words) = if anchored {
                (Verb::Match, "the regular expression ")
            } else {
                (Verb::Contain, "a match of the regular expression ")
            };
            Phrase { verb, rest: Prose::from(words).code(pattern_code(&pattern.0)) }
        }
    }
}

/// Puts phrases about one value behind one another, the verb said once where it stays the same.
pub(crate) fn join_phrases(phrases: &[Phrase], mood: Mood, link: &str) -> Prose {
    let mut last = None;
    phrases.iter().enumerate().fold(Prose::default(), |prose, (index, phrase)| {
        let prose = if index == 0 { prose } else { prose.text(link) };
        let prose =
            if last == Some(phrase.verb) { prose } else { prose.text(mood.verb(phrase.verb)).text(" ") };
        last = Some(phrase.verb);
        prose.add_prose(&phrase.rest)
    })
}

/// `at least`, `at most`, `equal to`.
pub(crate) fn relation(relation: OperandRelation) -> &'static str {
    match relation {
        OperandRelation::AtLeast => "at least",
        OperandRelation::AtMost => "at most",
        OperandRelation::Equal => "equal to",
    }
}

fn integer(interval: &Interval, place: &Place) -> Phrase {
    let unit = Unit::of(place);
    let is_integer = place.value_type == ValueType::Integer;
    let rest = match (unit.range(interval), unit) {
        (None, Unit::Bytes) => "a whole number of bytes".to_owned(),
        (None, _) => "an integer".to_owned(),
        (Some(range), Unit::Bytes) => range,
        (Some(range), _) if is_integer || range.starts_with("exactly") => range,
        (Some(range), _) if range.starts_with("between") => format!("an integer {range}"),
        (Some(range), _) => format!("an integer of {range}"),
    };
    Phrase { verb: Verb::Be, rest: rest.into() }
}

fn length(interval: &Interval, place: &Place) -> Phrase {
    let is_text = place.value_type == ValueType::String;
    let Some(range) = Unit::Characters.range(interval) else {
        let rest = if is_text { "a string" } else { "a single value, not an object or a list" };
        return Phrase { verb: Verb::Be, rest: rest.into() };
    };
    let rest = if is_text { range } else { format!("{range} when written as a string") };
    Phrase { verb: Verb::Have, rest: rest.into() }
}
