//! Numbers around bounds.

use kvrules_ir::Interval;
use num_bigint::BigInt;
use serde_json::{Number, Value};

use super::candidate::Candidate;

/// Integers: each bound and its neighbours, and the ends of what the API's types hold.
pub(super) fn integers_around(bounds: &[BigInt]) -> Vec<Candidate> {
    let near = |bound: &BigInt| [bound - 1_u8, bound.clone(), bound + 1_u8];
    let ends = [i64::from(i32::MAX), i64::MAX].map(BigInt::from);
    let numbers = bounds.iter().flat_map(near).chain(ends);
    let numbers = numbers.filter_map(|number| i64::try_from(&number).ok());
    numbers.flat_map(|number| std::iter::once(Candidate::new(number)).chain(with_a_point(number))).collect()
}

/// The same number written with a point, which no field of an integer type takes.
fn with_a_point(number: i64) -> Option<Candidate> {
    let text = format!("{number}.0");
    let exact = number.unsigned_abs() < 1 << 53;
    let number = serde_json::from_str::<Number>(&text).ok().filter(|_| exact)?;
    Some(Candidate::in_files(Value::Number(number)))
}

/// Numbers with a fraction just inside and outside of the bounds.
pub(super) fn fractions_around(bounds: &[BigInt]) -> Vec<Candidate> {
    let near = |bound: &BigInt| [format!("{bound}.5"), format!("{}.5", bound - 1_u8)];
    let numbers = bounds.iter().flat_map(near).filter_map(|text| serde_json::from_str::<Number>(&text).ok());
    let exact = numbers.filter(|number| number.as_f64().is_some_and(|float| float.fract() != 0.0));
    exact.map(|number| Candidate::new(Value::Number(number))).collect()
}

/// The bounds that an interval has.
pub(super) fn interval_ends(interval: &Interval) -> Vec<BigInt> {
    [&interval.min, &interval.max].into_iter().flatten().cloned().collect()
}
