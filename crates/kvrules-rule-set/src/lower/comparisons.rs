//! Comparisons of two values by their reading.

use serde_json::Value as Json;

use super::text::{Text, join_all, join_any, relation, whole};
use super::{Found, Root, guard_texts, literal};
use crate::compared::ComparedAs;
use crate::condition::{Comparison, Condition};
use crate::shape::ValueType;

impl Found<'_> {
    /// The value as a string.
    pub(super) fn string_text(&self) -> String {
        match ValueType::of_schema(self.schema) {
            ValueType::IntOrString | ValueType::Integer => format!("string({})", self.text),
            _ => self.text.clone(),
        }
    }

    /// The value as an operand of a comparison.
    fn operand(&self, read_as: ComparedAs) -> String {
        if read_as == ComparedAs::Quantity { self.string_text() } else { self.text.clone() }
    }
}

/// `one` and `other` are there and compare so.
pub(super) fn lower_comparison(
    condition: &Condition,
    root: Root<'_>,
    known: &[super::Guard],
) -> Option<Text> {
    let Condition::Compares(one, how, other, read_as) = condition else { return None };
    let (one, other) = (root.find(one)?, root.find(other)?);
    let mut parts = guard_texts(&one, known);
    let others = guard_texts(&other, known).into_iter().filter(|text| !parts.contains(text));
    let others: Vec<_> = others.collect();
    parts.extend(others);
    let sign = match how {
        Comparison::AtLeast => ">=",
        Comparison::AtMost => "<=",
        Comparison::Above => ">",
        Comparison::Below => "<",
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
    };
    parts.extend(compare_texts(*read_as, &one.operand(*read_as), sign, &other.operand(*read_as)));
    Some(join_all(parts))
}

/// The tests that two operands are readable, and compare so.
pub(super) fn compare_texts(read_as: ComparedAs, one: &str, sign: &str, other: &str) -> Vec<Text> {
    let (test, read) = match read_as {
        ComparedAs::Plain | ComparedAs::OfFormat(_) => {
            return vec![relation(format!("{one} {sign} {other}"))];
        }
        // CEL has no test of a duration. A text that is none is an error, for which servers reject the object.
        ComparedAs::Duration => {
            return vec![relation(format!("duration({one}) {sign} duration({other})"))];
        }
        ComparedAs::Quantity => ("isQuantity", "quantity"),
        ComparedAs::Version => ("isSemver", "semver"),
    };
    vec![
        whole(&format!("{test}({one})")),
        whole(&format!("{test}({other})")),
        relation(format!("{read}({one}).compareTo({read}({other})) {sign} 0")),
    ]
}

/// Two values are equal: texts that are the same, or that have the same meaning.
pub(super) fn lower_equality(read_as: ComparedAs, one: &str, other: &str) -> Text {
    let same = relation(format!("{one} == {other}"));
    match read_as {
        ComparedAs::Plain | ComparedAs::OfFormat(_) => same,
        ComparedAs::Quantity | ComparedAs::Version | ComparedAs::Duration => {
            join_any(vec![same, join_all(compare_texts(read_as, one, "==", other))])
        }
    }
}

/// The value is one of some quantities.
pub(super) fn lower_quantities(values: &[String], found: &Found<'_>) -> Vec<Text> {
    let value = found.string_text();
    let equal = |limit: &String| {
        let limit = literal(&Json::from(limit.as_str()));
        relation(format!("quantity({value}).compareTo(quantity({limit})) == 0"))
    };
    vec![whole(&format!("isQuantity({value})")), join_any(values.iter().map(equal).collect())]
}
