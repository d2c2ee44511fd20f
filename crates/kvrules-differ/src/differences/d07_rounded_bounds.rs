//! Bounds that go through a 64-bit float.

use kvrules_ir::quantity::Quantity;
use kvrules_ir::{Interval, Test};
use num_bigint::BigInt;

use super::Difference;
use crate::context::Context;
use crate::judge::{code_points, texts};
use crate::probe::Seen;
use crate::spec::Read;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D7",
    name: "rounded-bounds",
    summary: "the validator rounds a bound to the nearest 64-bit integer, halves away from zero",
    applies,
};

/// Between a bound as written and as rounded lies a number that decides: both for the numbers that the object has by
/// its meaning, and for those that the validator takes.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| !rule.has_arguments()) else { return false };
    let Some(((read, seen), [min, max])) = rule.judged().zip(rule.rounded) else { return false };
    let Some(Test::Integer(exact) | Test::Length(exact)) = read.rule.requirement.tests.first() else {
        return false;
    };
    let rounded = Interval { min: min.map(BigInt::from), max: max.map(BigInt::from) };
    let decides = |numbers: &[BigInt]| {
        let all = |interval: &Interval| numbers.iter().all(|number| interval.contains(number));
        !numbers.is_empty() && all(exact) != all(&rounded)
    };
    decides(&numbers(read)) && decides(&validators(read, seen))
}

fn is_length(read: &Read) -> bool {
    matches!(read.rule.requirement.tests.first(), Some(Test::Length(_)))
}

/// The numbers that are compared with the bounds by their meaning.
fn numbers(read: &Read) -> Vec<BigInt> {
    let texts = texts(read).into_iter().flatten();
    if is_length(read) {
        return texts.map(|text| BigInt::from(code_points(&text))).collect();
    }
    texts.filter_map(|text| Quantity::parse_trimmed(&text).ok()?.to_integer()).collect()
}

/// The numbers that the validator compares.
fn validators(read: &Read, seen: &Seen) -> Vec<BigInt> {
    if is_length(read) {
        return seen.texts().iter().map(|text| BigInt::from(text.len())).collect();
    }
    seen.integers.iter().copied().map(BigInt::from).collect()
}
