//! Candidates of places that are neither objects nor lists with requirements.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use kvrules_eval::CompiledPredicate;
use kvrules_ir::{Interval, Place, PlaceBase, Predicate, Scalar, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;
use serde_json::{Number, Value, json};

use super::candidate::Candidate;
use super::integers::interval_ends;
use super::tree::PlaceNode;
use super::{SizeLimits, integers, patterns, quantities, texts};

/// Number of compared texts that pass the same tests.
const COMPARED: usize = 5;

/// Number of texts that are made as long as the lines of an artefact.
const PADDED: usize = 40;

/// Number of comparisons of a text with a listed value each engine may make.
const MOST_COMPARISONS: usize = 2_000_000;

/// Longest text that is made.
const LONGEST: usize = 5000;

/// No text is longer than this: requests to an API server have at most three mebibytes.
const BEYOND: u32 = 1 << 24;

/// Values on both sides of all requirements on a place.
pub(super) fn scalar_candidates(node: &PlaceNode, lines: &SizeLimits) -> Vec<Candidate> {
    let mut strings: Vec<String> = texts::usual_texts().map(str::to_owned).collect();
    let mut bounds: Vec<BigInt> = [0, 1].map(BigInt::from).into();
    for test in &node.tests {
        match test {
            ValueTest::Integer(interval) => bounds.extend(interval_ends(interval)),
            ValueTest::Length(interval) => {
                strings.extend(texts::of_lengths(&candidate_lengths(interval), node.value_type));
            }
            ValueTest::OneOf(values) => strings.extend(texts_near_list(values, most_listed(node))),
            ValueTest::Matches(pattern) => strings.extend(patterns::pattern_texts(pattern)),
        }
    }
    let beside: Vec<usize> = lines.lengths.iter().flat_map(|length| [*length, length + 1]).collect();
    strings.extend(texts::of_lengths(&beside, node.value_type));
    let padded = strings
        .iter()
        .take(PADDED)
        .flat_map(|text| beside.iter().map(|length| texts::pad_text(text, *length)));
    let padded: Vec<String> = padded.collect();
    strings.extend(padded);
    match &node.default {
        Some(Scalar::Integer(integer)) => bounds.push(integer.clone()),
        Some(Scalar::Text(text)) => strings.push(text.clone()),
        Some(Scalar::Boolean(_)) | None => {}
    }
    if node.compared > 0 {
        let near = |bound: &BigInt| [bound - 2_u8, bound.clone(), bound + 2_u8];
        bounds.extend(node.beside.iter().flat_map(near).chain([2, 3].map(BigInt::from)));
        strings.extend(["1", "2", "3"].map(str::to_owned));
        let beside: Vec<usize> = node.beside.iter().flat_map(|bound| near_lengths(bound.clone())).collect();
        strings.extend(texts::of_lengths(&beside, node.value_type));
    }
    of_type(node, &strings, &bounds)
}

/// The values of a list with texts near them; of a long list some of them, for each engine compares each text with all values.
fn texts_near_list(values: &BTreeSet<String>, most: usize) -> Vec<String> {
    let stride = values.len().div_ceil(most).max(1);
    values.iter().step_by(stride).flat_map(|value| texts::similar_texts(value)).collect()
}

/// Of so many values of each list texts are made: the texts of all lists are compared with the values of all.
fn most_listed(node: &PlaceNode) -> usize {
    let lists = || {
        node.tests
            .iter()
            .filter_map(|test| if let ValueTest::OneOf(values) = test { Some(values) } else { None })
    };
    let (count, values) = (lists().count(), lists().map(BTreeSet::len).sum::<usize>());
    (MOST_COMPARISONS / (texts::NEAR * count * values).max(1)).max(1)
}

fn of_type(node: &PlaceNode, given: &[String], bounds: &[BigInt]) -> Vec<Candidate> {
    let strings = || given.iter().map(|text| Candidate::new(text.as_str()));
    let written = || given.iter().filter_map(|text| serde_json::from_str::<Number>(text).ok());
    let whole =
        || written().filter(|number| !number.is_f64()).map(|number| Candidate::new(Value::Number(number)));
    let truths = || [true, false].map(Candidate::new);
    match node.value_type {
        ValueType::Boolean => truths().into(),
        ValueType::Integer => integers::integers_around(bounds).into_iter().chain(whole()).collect(),
        ValueType::Number => {
            let fractions = written().map(|number| Candidate::new(Value::Number(number)));
            integers::integers_around(bounds)
                .into_iter()
                .chain(fractions)
                .chain(integers::fractions_around(bounds))
                .collect()
        }
        ValueType::Quantity => {
            // Claims are about fields with the types of the API, so strings that are not quantities are left out.
            let texts = given.iter().map(|text| quantities::text_candidate(text)).filter(|text| text.served);
            quantities::quantities_around(bounds, bounds.get(2..).unwrap_or_default(), node.compared > 0)
                .into_iter()
                .chain(texts)
                .chain(whole())
                .collect()
        }
        ValueType::String => strings().collect(),
        ValueType::Time => given
            .iter()
            .map(|text| texts::time_candidate(text))
            .filter(|moment| moment.served)
            .chain([texts::time_candidate("2024-02-29T12:00:00Z")])
            .collect(),
        ValueType::IntOrString => {
            let digits = bounds.iter().map(|bound| Candidate::new(bound.to_string()));
            integers::integers_around(bounds)
                .into_iter()
                .chain(whole())
                .chain(strings())
                .chain(digits)
                .collect()
        }
        ValueType::Any => {
            let others = [json!({}), json!([]), json!({"a": 1}), json!(["a"])].map(Candidate::new);
            let numbers = written().map(|number| Candidate::new(Value::Number(number)));
            let all = integers::integers_around(bounds)
                .into_iter()
                .chain(integers::fractions_around(bounds))
                .chain(numbers);
            all.chain(strings()).chain(truths()).chain(others).collect()
        }
        ValueType::List => vec![Candidate::new(json!([])), Candidate::new(json!(["a"]))],
        ValueType::Object | ValueType::Map => vec![Candidate::new(json!({}))],
    }
}

/// One candidate of each class: those that pass the same tests and are written alike. Of compared values there are some,
/// so that one is less than another, more, and equal, on each side of all bounds that either has.
pub(super) fn class_representatives(node: &PlaceNode, candidates: &[Candidate]) -> Vec<Candidate> {
    let place =
        Place { base: PlaceBase::Root, steps: Vec::new(), value_type: node.value_type, default: None };
    let to_predicate = |test: &ValueTest| Predicate::Test { place: place.clone(), test: test.clone() };
    let predicates: Vec<Predicate> = node.tests.iter().map(to_predicate).collect();
    let tests: Vec<CompiledPredicate<'_>> = predicates.iter().map(CompiledPredicate::new).collect();
    let class = |candidate: &Candidate| {
        let answers: Vec<bool> = tests.iter().map(|test| test.holds_for(&candidate.value)).collect();
        (answers, std::mem::discriminant(&candidate.value), value_region(node, &candidate.value))
    };
    let mut seen: HashMap<_, usize> = HashMap::new();
    let is_new = |candidate: &&Candidate| {
        let class = class(candidate);
        let most = match &class {
            _ if node.compared == 0 => 1,
            (_, _, None) => COMPARED,
            // A value with a fraction equals no other value, so more of them would show nothing new.
            (_, _, Some(region)) if !region.is_whole => 1,
            _ => node.compared,
        };
        let count = seen.entry(class).or_default();
        *count += 1;
        *count <= most
    };
    candidates.iter().filter(|candidate| candidate.served).filter(is_new).cloned().collect()
}

/// Position of a compared number among the bounds.
#[derive(PartialEq, Eq, Hash)]
struct BoundRegion {
    /// Number of bounds that are not greater.
    reached: usize,
    /// Number of bounds that are less.
    passed: usize,
    is_whole: bool,
}

fn value_region(node: &PlaceNode, value: &Value) -> Option<BoundRegion> {
    if node.compared == 0 {
        return None;
    }
    let number = match (value, node.value_type) {
        (Value::Number(number), _) => Quantity::parse(&number.to_string()),
        (Value::String(text), ValueType::Quantity) => Quantity::parse_trimmed(text),
        _ => return None,
    };
    let number = number.ok()?;
    let count = |within: fn(Ordering) -> bool| {
        node.beside.iter().filter(|bound| within(number.compare_integer(bound))).count()
    };
    Some(BoundRegion {
        reached: count(Ordering::is_ge),
        passed: count(Ordering::is_gt),
        is_whole: number.is_integer(),
    })
}

/// True if the candidates show all required cases.
pub(super) fn is_complete(node: &PlaceNode) -> bool {
    node.tests.iter().all(|test| match test {
        ValueTest::Length(interval) => {
            let is_made = |end: &BigInt| *end < BigInt::from(LONGEST) || *end > BigInt::from(BEYOND);
            interval_ends(interval).iter().all(is_made)
        }
        ValueTest::Matches(pattern) => patterns::is_complete(pattern),
        ValueTest::OneOf(values) => values.len() <= most_listed(node),
        ValueTest::Integer(_) => true,
    })
}

/// The bounds and their neighbours, as lengths of texts that can be made.
fn candidate_lengths(interval: &Interval) -> Vec<usize> {
    interval_ends(interval).into_iter().flat_map(near_lengths).collect()
}

fn near_lengths(end: BigInt) -> impl Iterator<Item = usize> {
    let fits = |length: BigInt| usize::try_from(length).ok().filter(|length| *length <= LONGEST);
    [&end - 1, end.clone(), end + 1].into_iter().filter_map(fits)
}
