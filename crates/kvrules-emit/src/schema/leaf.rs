//! Tests on a single value, cut down to what a schema can say.

use std::collections::BTreeSet;

use kvrules_ir::Interval;
use num_bigint::BigInt;
use serde_json::Number;

use super::QuantityMode;

/// Keywords that a value must satisfy. Only numbers, strings and booleans do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScalarConstraints {
    /// The test.
    pub(crate) check: LeafTest,
    /// True if the value must fail it instead.
    pub(crate) negated: bool,
}

/// A test that a schema can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LeafTest {
    /// An integer in the interval, or also one written as a quantity if the notations are given. The bounds fit.
    Integer(Interval, Option<QuantityMode>),
    /// A string with so many code points. The bounds fit and are not negative.
    Length(Interval),
    /// One of these values.
    OneOf(BTreeSet<LeafChoice>),
    /// A string that contains a match of an expression in the dialect of ECMA-262.
    Pattern(String),
}

/// A value that a schema can list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LeafChoice {
    /// A boolean.
    Boolean(bool),
    /// A number by its shortest text.
    Number(String),
    /// A string.
    Text(String),
}

/// A number as JSON holds it without loss.
pub(crate) fn lossless_number(integer: &BigInt) -> Option<Number> {
    let signed = i64::try_from(integer).ok().map(Number::from);
    signed.or_else(|| u64::try_from(integer).ok().map(Number::from))
}
