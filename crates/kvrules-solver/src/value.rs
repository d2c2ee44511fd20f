//! Looking for a value that is as a place's is known to be: first among likely ones, then with automata.

use std::rc::Rc;

use kvrules_ir::{Interval, Place, PlaceBase, PlaceStep, Predicate, Presence, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_regex::{TextDemands, TextSearch};
use num_bigint::BigInt;
use serde_json::{Map, Number, Value, json};

use crate::patterns::PatternCache;
use crate::unknown_reason::UnknownReason;
use crate::value_facts::KnownFacts;

/// Result of the search for values.
#[derive(Clone, Debug)]
pub(crate) enum ValueChoice {
    /// One for each of the places, all with the same text.
    Values(Vec<Value>),
    /// No value exists; this is a proof.
    Nothing,
    /// Undecided.
    Unknown(UnknownReason),
}

/// Integers between narrower bounds than this are examined one by one.
const MOST_INTEGERS: u32 = 64;

/// Looks for values of places that must have the same text (or of one place).
pub(crate) fn choose_values(places: &[&KnownFacts<'_>], patterns: &mut PatternCache) -> ValueChoice {
    if let [known] = places
        && known.has_text != Some(true)
        && known.is_integer != Some(true)
        && known.value_type == ValueType::Any
    {
        return ValueChoice::Values(vec![json!({})]);
    }
    let (likely, are_all) = likely_texts(places, patterns);
    for text in &likely {
        if let Some(values) = values_with_text(places, text, patterns) {
            return ValueChoice::Values(values);
        }
    }
    if are_all { ValueChoice::Nothing } else { by_automata(places, patterns) }
}

/// The values with a text, if each is as its place asks.
fn values_with_text(
    places: &[&KnownFacts<'_>],
    text: &str,
    patterns: &mut PatternCache,
) -> Option<Vec<Value>> {
    let fits = |known: &&KnownFacts<'_>, patterns: &mut PatternCache| {
        let count = text.chars().count();
        let texts = known.length.contains(&count.into())
            && known.texts.iter().all(|(test, passes)| patterns.passes_test(test, text) == Some(*passes));
        texts.then(|| {
            values_of_type(known.value_type, text)
                .into_iter()
                .find(|value| is_integer_as_required(known, value))
        })?
    };
    places.iter().map(|known| fits(known, patterns)).collect()
}

/// True if a value is an integer as required, if that matters, by the rules of the evaluator.
fn is_integer_as_required(known: &KnownFacts<'_>, value: &Value) -> bool {
    let Some(wanted) = known.is_integer else { return true };
    let interval = if wanted { known.integer.clone() } else { Interval::default() };
    let place = Place {
        base: PlaceBase::Root,
        steps: vec![PlaceStep::Field { name: "value".to_owned(), presence: Presence::Optional }],
        value_type: known.value_type,
        default: None,
    };
    let object = Value::Object(Map::from_iter([("value".to_owned(), value.clone())]));
    kvrules_eval::predicate_holds(&Predicate::Test { place, test: ValueTest::Integer(interval) }, &object)
        == wanted
}

/// The values of a type that have a text.
fn values_of_type(value_type: ValueType, text: &str) -> Vec<Value> {
    let string = || Value::String(text.to_owned());
    let number = || {
        let number: Number = serde_json::from_str(text).ok()?;
        // As the evaluator writes numbers: in shortest form and never with an exponent.
        let written = number
            .as_f64()
            .filter(|_| number.is_f64())
            .map_or_else(|| number.to_string(), |float| float.to_string());
        (written == text && !matches!(text, "-0")).then_some(Value::Number(number))
    };
    let integer = || number().filter(|_| !text.contains('.'));
    match value_type {
        ValueType::Integer => integer().into_iter().collect(),
        ValueType::Number => number().into_iter().collect(),
        ValueType::IntOrString => integer().into_iter().chain([string()]).collect(),
        ValueType::Boolean => text.parse().map(Value::Bool).into_iter().collect(),
        ValueType::Quantity if Quantity::parse_trimmed(text).is_ok() => vec![string()],
        ValueType::String | ValueType::Time => vec![string()],
        ValueType::Any => number().into_iter().chain([string()]).collect(),
        ValueType::Quantity | ValueType::Object | ValueType::Map | ValueType::List => Vec::new(),
    }
}

/// Strings that are likely to fit, and true if they are the only ones.
fn likely_texts(places: &[&KnownFacts<'_>], patterns: &mut PatternCache) -> (Vec<String>, bool) {
    for known in places {
        for (test, passes) in &known.texts {
            if let (ValueTest::OneOf(texts), true) = (test, passes) {
                return (texts.iter().cloned().collect(), true);
            }
        }
        if known.value_type == ValueType::Boolean {
            return (vec!["false".to_owned(), "true".to_owned()], true);
        }
        if let Some(all) = few_integers(known) {
            return (all, true);
        }
    }
    let mut texts: Vec<String> = Vec::new();
    for known in places {
        if known.is_integer != Some(false) {
            texts.extend(integers_near_bounds(&known.integer));
        }
        let least =
            known.length.min.as_ref().and_then(|min| usize::try_from(min).ok()).unwrap_or(0).min(5000);
        texts.extend(["a", "1", "9"].map(|c| c.repeat(least)));
        for (test, passes) in &known.texts {
            let sample = if *passes {
                patterns.compile_test(test).and_then(|compiled| compiled.sample_match())
            } else {
                None
            };
            texts.extend(sample);
        }
    }
    texts.extend(["", "a", "b", "0", "1", "100m", "0.5", "1.5", "-1", "12", "\u{1}"].map(str::to_owned));
    (texts, false)
}

/// All texts of an integer field that can only be one of a few.
fn few_integers(known: &KnownFacts<'_>) -> Option<Vec<String>> {
    let (Some(min), Some(max)) = (&known.integer.min, &known.integer.max) else { return None };
    // Beyond 64 bits not every integer can be written down here.
    let (Ok(_), Ok(_)) = (i64::try_from(min), i64::try_from(max)) else { return None };
    let width = u32::try_from(max - min).ok().filter(|width| *width <= MOST_INTEGERS)?;
    let plain = matches!(
        known.value_type,
        ValueType::Integer | ValueType::Number | ValueType::IntOrString | ValueType::Any
    );
    (plain && known.is_integer == Some(true)).then(|| (0..=width).map(|at| (min + at).to_string()).collect())
}

/// Integers at the bounds, and zero.
fn integers_near_bounds(interval: &Interval) -> impl Iterator<Item = String> {
    let zero = Some(BigInt::ZERO).filter(|zero| interval.contains(zero));
    let inside = |bound: &Option<BigInt>, step: i32| bound.as_ref().map(|bound| bound + step);
    let around = [
        inside(&interval.min, 0),
        inside(&interval.max, 0),
        inside(&interval.min, 1),
        inside(&interval.max, -1),
    ];
    around
        .into_iter()
        .chain([zero])
        .flatten()
        .map(|number| number.to_string())
        .collect::<Vec<_>>()
        .into_iter()
}

/// Looks for a text that all tests, the length and the type let be.
fn by_automata(places: &[&KnownFacts<'_>], patterns: &mut PatternCache) -> ValueChoice {
    if !places.iter().any(|known| known.asks_for_text()) {
        return ValueChoice::Unknown(UnknownReason::UnresolvedValues);
    }
    let (mut matches, mut lacks) = (Vec::new(), Vec::new());
    let mut length = Interval::default();
    for known in places {
        if crate::value_facts::narrow_interval(
            &mut length,
            known.length.min.clone(),
            known.length.max.clone(),
        )
        .is_err()
        {
            return ValueChoice::Nothing;
        }
        let mut tests: Vec<_> =
            known.texts.iter().map(|(test, passes)| (patterns.compile_test(test), *passes)).collect();
        tests.extend(integer_pattern(known).map(|own| (Some(patterns.compile_pattern(own)), true)));
        for (compiled, passes) in tests {
            let Some(automaton) = compiled.and_then(|compiled| patterns.find_automaton(&compiled)) else {
                return ValueChoice::Unknown(if patterns.are_exhausted() {
                    UnknownReason::WorkExhausted
                } else {
                    UnknownReason::PatternsTooLarge
                });
            };
            if passes { matches.push(automaton) } else { lacks.push(automaton) }
        }
    }
    if length.max.as_ref().is_some_and(|max| *max < BigInt::ZERO) {
        return ValueChoice::Nothing;
    }
    let (Some(least), Ok(most)) =
        (least_length(&length), length.max.as_ref().map(usize::try_from).transpose())
    else {
        return ValueChoice::Unknown(UnknownReason::PatternsTooLarge);
    };
    let (matches, lacks): (Vec<_>, Vec<_>) =
        (matches.iter().map(Rc::as_ref).collect(), lacks.iter().map(Rc::as_ref).collect());
    let demands = TextDemands { matches: &matches, lacks: &lacks, length: (least, most) };
    match demands.search_within(&patterns.steps) {
        TextSearch::Nothing => ValueChoice::Nothing,
        TextSearch::TooLarge => ValueChoice::Unknown(if patterns.are_exhausted() {
            UnknownReason::WorkExhausted
        } else {
            UnknownReason::PatternsTooLarge
        }),
        TextSearch::Found(text) => match values_with_text(places, &text, patterns) {
            Some(values) => ValueChoice::Values(values),
            None => ValueChoice::Unknown(UnknownReason::UnresolvedValues),
        },
    }
}

fn least_length(length: &Interval) -> Option<usize> {
    match &length.min {
        Some(min) if *min > BigInt::ZERO => usize::try_from(min).ok(),
        _ => Some(0),
    }
}

/// A pattern that every text of such a value matches, where not every text does.
fn integer_pattern(known: &KnownFacts<'_>) -> Option<&'static str> {
    const INTEGER: &str = r"^(0|-?[1-9][0-9]*)$";
    match known.value_type {
        ValueType::Integer => Some(INTEGER),
        ValueType::IntOrString | ValueType::Number | ValueType::Any if known.is_integer == Some(true) => {
            Some(INTEGER)
        }
        ValueType::Number => Some(r"^-?[0-9]+(\.[0-9]+)?$"),
        // White space around a quantity is dropped when it is parsed, but not when it is used as a string.
        ValueType::Quantity => Some(
            r"^[\t-\r \x85\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*[+-]?[0-9]*\.?[0-9]*([eE][+-]?[0-9]*|[KMGTPE]i|[numkMGTPE])?[\t-\r \x85\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*$",
        ),
        _ => None,
    }
}
