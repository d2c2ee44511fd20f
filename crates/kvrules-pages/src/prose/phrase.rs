//! Statements about a value: verb phrases.

use kvrules_ir::{Interval, OperandRelation, Place, ValueTest, ValueType};

use super::inline::Prose;
use super::measure::MeasureUnit;
use super::value::{pattern_code, text_code};

/// Grammatical mood of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerbMood {
    /// `must be`: else the object is rejected.
    Must,
    /// `should be`: else there is a warning.
    Should,
    /// `is`: a condition.
    Is,
}

/// The verb of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PhraseVerb {
    Be,
    Have,
    Match,
    Contain,
}

/// A verb and what follows.
#[derive(Clone, Debug)]
pub(crate) struct VerbPhrase {
    pub(crate) verb: PhraseVerb,
    pub(crate) rest: Prose,
}

/// More values than this are left to the list of allowed values.
const MANY: usize = 12;

impl VerbMood {
    /// `must be`, `should have`, `contains`.
    pub(crate) fn verb(self, verb: PhraseVerb) -> &'static str {
        match (self, verb) {
            (Self::Must, PhraseVerb::Be) => "must be",
            (Self::Must, PhraseVerb::Have) => "must have",
            (Self::Must, PhraseVerb::Match) => "must match",
            (Self::Must, PhraseVerb::Contain) => "must contain",
            (Self::Should, PhraseVerb::Be) => "should be",
            (Self::Should, PhraseVerb::Have) => "should have",
            (Self::Should, PhraseVerb::Match) => "should match",
            (Self::Should, PhraseVerb::Contain) => "should contain",
            (Self::Is, PhraseVerb::Be) => "is",
            (Self::Is, PhraseVerb::Have) => "has",
            (Self::Is, PhraseVerb::Match) => "matches",
            (Self::Is, PhraseVerb::Contain) => "contains",
        }
    }

    /// `must`, `should`.
    pub(crate) fn modal(self) -> &'static str {
        if self == Self::Should { "should" } else { "must" }
    }
}

/// Returns the statement of a test about the value at a place.
pub(crate) fn test_phrase(test: &ValueTest, place: &Place) -> VerbPhrase {
    match test {
        ValueTest::Integer(interval) => integer_phrase(interval, place),
        ValueTest::Length(interval) => length_phrase(interval, place),
        ValueTest::OneOf(values) => {
            let written = if place.value_type == ValueType::Quantity { "written as " } else { "" };
            let codes: Vec<Prose> = values.iter().map(|value| Prose::of_code(text_code(value))).collect();
            let rest = match codes.len() {
                0 => Prose::from("one of an empty list of values"),
                1 | 2 => Prose::from(written).add_prose(&Prose::join_with(&codes, "", " or ")),
                count if count > MANY => Prose::from(format!("{written}one of the {count} allowed values")),
                _ => Prose::from(written).text("one of ").add_prose(&Prose::join_with(&codes, ", ", " or ")),
            };
            VerbPhrase { verb: PhraseVerb::Be, rest }
        }
        ValueTest::Matches(pattern) => {
            let anchored = kvrules_regex::parse(&pattern.0).is_ok_and(|regex| regex.is_anchored());
            let (verb, words) = if anchored {
                (PhraseVerb::Match, "the regular expression ")
            } else {
                (PhraseVerb::Contain, "a match of the regular expression ")
            };
            VerbPhrase { verb, rest: Prose::from(words).code(pattern_code(&pattern.0)) }
        }
    }
}

/// Joins phrases about one value. A repeated verb is written once.
pub(crate) fn join_phrases(phrases: &[VerbPhrase], mood: VerbMood, link: &str) -> Prose {
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
pub(crate) fn relation_phrase(relation: OperandRelation) -> &'static str {
    match relation {
        OperandRelation::AtLeast => "at least",
        OperandRelation::AtMost => "at most",
        OperandRelation::Equal => "equal to",
    }
}

fn integer_phrase(interval: &Interval, place: &Place) -> VerbPhrase {
    let unit = MeasureUnit::of(place);
    let is_integer = place.value_type == ValueType::Integer;
    let rest = match (unit.range(interval), unit) {
        (None, MeasureUnit::Bytes) => "a whole number of bytes".to_owned(),
        (None, _) => "an integer".to_owned(),
        (Some(range), MeasureUnit::Bytes) => range,
        (Some(range), _) if is_integer || range.starts_with("exactly") => range,
        (Some(range), _) if range.starts_with("between") => format!("an integer {range}"),
        (Some(range), _) => format!("an integer of {range}"),
    };
    VerbPhrase { verb: PhraseVerb::Be, rest: rest.into() }
}

fn length_phrase(interval: &Interval, place: &Place) -> VerbPhrase {
    let is_text = place.value_type == ValueType::String;
    let Some(range) = MeasureUnit::Characters.range(interval) else {
        let rest = if is_text { "a string" } else { "a single value, not an object or a list" };
        return VerbPhrase { verb: PhraseVerb::Be, rest: rest.into() };
    };
    let rest = if is_text { range } else { format!("{range} when written as a string") };
    VerbPhrase { verb: PhraseVerb::Have, rest: rest.into() }
}
