//! Bounds that go through a 64-bit float.

use kvrules_ir::{Interval, ValueTest};
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::probe::ValidatorResults;
use crate::divergence::spec_result::EvaluatedRule;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use crate::divergence::text_tests::{code_points, evaluated_texts};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D7",
    name: "rounded-bounds",
    summary: "the validator rounds a bound to the nearest 64-bit integer, halves away from zero",
    applies,
    in_rule: Some(in_rule),
};

/// Between a bound as written and as rounded lies a number that decides: both for the numbers that the object has by
/// its meaning, and for those that the validator takes.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| !rule.has_arguments()) else { return false };
    let Some(((read, seen), [min, max])) = rule.evaluated_values().zip(rule.rounded) else { return false };
    let Some(ValueTest::Integer(exact) | ValueTest::Length(exact)) = read.rule.requirement.tests.first()
    else {
        return false;
    };
    let rounded = Interval { min: min.map(BigInt::from), max: max.map(BigInt::from) };
    let decides = |numbers: &[BigInt]| {
        let all = |interval: &Interval| numbers.iter().all(|number| interval.contains(number));
        !numbers.is_empty() && all(exact) != all(&rounded)
    };
    decides(&numbers(read)) && decides(&validators(read, seen))
}

fn is_length(read: &EvaluatedRule) -> bool {
    matches!(read.rule.requirement.tests.first(), Some(ValueTest::Length(_)))
}

/// The numbers that are compared with the bounds by their meaning.
fn numbers(read: &EvaluatedRule) -> Vec<BigInt> {
    let texts = evaluated_texts(read).into_iter().flatten();
    if is_length(read) {
        return texts.map(|text| BigInt::from(code_points(&text))).collect();
    }
    texts.filter_map(|text| Quantity::parse_trimmed(&text).ok()?.to_integer()).collect()
}

/// The numbers that the validator compares.
fn validators(read: &EvaluatedRule, seen: &ValidatorResults) -> Vec<BigInt> {
    if is_length(read) {
        return seen.result_texts().iter().map(|text| BigInt::from(text.len())).collect();
    }
    seen.integers.iter().copied().map(BigInt::from).collect()
}

/// A bound is another number once it is rounded. Beyond 64 bits it is the least of them, which no value is below.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let tests = &rule.evaluated_values()?.tests;
    let Some(ValueTest::Integer(exact) | ValueTest::Length(exact)) = tests.first() else { return None };
    let [min, max] = rule.written.bounds.each_ref().map(|bound| bound.as_deref().and_then(as_rounded));
    let keys = if rule.written.kind == "integer" { ["min", "max"] } else { ["minLength", "maxLength"] };
    let exact = [&exact.min, &exact.max];
    for ((key, exact), rounded) in keys.into_iter().zip(exact).zip([min, max]) {
        let (Some(exact), Some(rounded)) = (exact, rounded) else { continue };
        if *exact == BigInt::from(rounded) {
            continue;
        }
        let never = rounded == i64::MIN && key.starts_with("max");
        let effect = if never { rule.unsatisfied_effect() } else { DifferenceEffect::Differs };
        let because = format!("it rounds this bound to `{rounded}` instead of `{exact}`");
        return Some(DifferenceSign::new(effect, key, because));
    }
    None
}

/// As Go on amd64 has it: through a 64-bit float, halves away from zero, and the least integer where it does not fit.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn as_rounded(text: &str) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let rounded = text.parse::<f64>().ok()?.round();
    Some(if (-LIMIT..LIMIT).contains(&rounded) { rounded as i64 } else { i64::MIN })
}
