//! Tests of one value.

use serde_json::Value as Json;

use super::comparisons::{lower_equality, lower_quantities};
use super::strings::{lower_affix, lower_format, lower_pattern};
use super::text::{Text, choose, join_all, join_any, negate, relation, whole};
use super::{Found, Guard, Root, literal, number, within};
use crate::compared::ComparedAs;
use crate::condition::ValueTest;
use crate::path::{PathStep, RulePath};
use crate::shape::{ValueType, child_schema};

pub(super) fn lower_test(test: &ValueTest, found: &Found<'_>, depth: usize) -> Option<Vec<Text>> {
    let value = &found.text;
    Some(match test {
        ValueTest::Number(bounds) => {
            let is_float = ValueType::of_schema(found.schema) == ValueType::Number;
            within(bounds, |sign, limit| relation(format!("{value} {sign} {}", number(limit, is_float))))
        }
        ValueTest::Quantity(bounds) => {
            let value = found.string_text();
            let is_quantity = whole(&format!("isQuantity({value})"));
            let compare = |sign: &str, limit: &String| {
                relation(format!(
                    "quantity({value}).compareTo(quantity({})) {sign} 0",
                    literal(&Json::from(limit.as_str()))
                ))
            };
            [is_quantity].into_iter().chain(within(bounds, compare)).collect()
        }
        ValueTest::Length(bounds) | ValueTest::Items(bounds) => {
            within(bounds, |sign, limit| relation(format!("size({value}) {sign} {limit}")))
        }
        ValueTest::Pattern(pattern) => vec![lower_pattern(pattern, value)],
        ValueTest::Affix(place, texts) => vec![lower_affix(*place, texts, value)],
        ValueTest::Contains(known) => vec![lower_contains(known, found)],
        ValueTest::In(values) => vec![lower_choice(values, found)],
        ValueTest::InQuantities(values) => lower_quantities(values, found),
        ValueTest::Format(format) => lower_format(*format, &found.string_text()),
        ValueTest::UniqueBy(keys) => vec![lower_unique(keys, found, depth)?],
    })
}

/// `value in list`
fn lower_contains(known: &Json, found: &Found<'_>) -> Text {
    let items = child_schema(found.schema, &PathStep::Each);
    let is_float = items.is_some_and(|items| ValueType::of_schema(items) == ValueType::Number);
    relation(format!("{} in {}", value_literal(known, is_float), found.text))
}

/// A value as a literal of the type of a field.
fn value_literal(value: &Json, is_float: bool) -> String {
    match value {
        Json::Number(value) => number(value, is_float),
        value => literal(value),
    }
}

fn lower_choice(values: &[Json], found: &Found<'_>) -> Text {
    let is_float = ValueType::of_schema(found.schema) == ValueType::Number;
    let to_literal = |value: &Json| value_literal(value, is_float);
    match values {
        [Json::Bool(true)] => whole(&found.text),
        [Json::Bool(false)] => negate(&whole(&found.text)),
        [one] => relation(format!("{} == {}", found.text, to_literal(one))),
        few if few.len() <= FEW_VALUES => {
            let equal = |value: &Json| relation(format!("{} == {}", found.text, to_literal(value)));
            join_any(few.iter().map(equal).collect())
        }
        several => {
            let several: Vec<_> = several.iter().map(to_literal).collect();
            relation(format!("{} in [{}]", found.text, several.join(", ")))
        }
    }
}

/// Number of values up to which comparisons cost less than a list, which costs ten by itself.
// cel-go checker/cost.go, common.ListCreateBaseCost
pub(super) const FEW_VALUES: usize = 4;

fn lower_unique(keys: &[(RulePath, ComparedAs)], found: &Found<'_>, depth: usize) -> Option<Text> {
    let items = child_schema(found.schema, &PathStep::Each)?;
    let (one, other) = if depth == 0 {
        ("a".to_owned(), "b".to_owned())
    } else {
        (format!("a{}", depth + 1), format!("b{}", depth + 1))
    };
    let same: Option<Vec<Text>> = keys
        .iter()
        .map(|(key, read_as)| {
            let first = Root { text: &one, stored: None, schema: items, depth }.find(key)?;
            let second = Root { text: &other, stored: None, schema: items, depth }.find(key)?;
            let equal = lower_equality(*read_as, &first.text, &second.text);
            if first.guards.is_empty() {
                return Some(equal);
            }
            let has_one = join_all(first.guards.iter().map(Guard::text).collect());
            let has_other = join_all(second.guards.iter().map(Guard::text).collect());
            let both = join_all(vec![has_other, equal]);
            let none = join_any(second.guards.iter().map(Guard::negated).collect());
            Some(choose(&has_one, &both, &none))
        })
        .collect();
    let same = join_all(same?);
    Some(whole(&format!("{list}.all({one}, {list}.exists_one({other}, {}))", same.text, list = found.text)))
}

/// The expression that a value fails a test.
pub(super) fn negate_test(test: &ValueTest, found: &Found<'_>, depth: usize) -> Option<Text> {
    let ValueTest::In(values) = test else {
        return Some(negate(&join_all(lower_test(test, found, depth)?)));
    };
    if values.len() > FEW_VALUES || values.iter().any(Json::is_boolean) {
        return Some(negate(&lower_choice(values, found)));
    }
    let differs = |value: &Json| {
        let equal = lower_choice(std::slice::from_ref(value), found).text;
        let literal = equal.strip_prefix(&format!("{} == ", found.text))?;
        Some(relation(format!("{} != {literal}", found.text)))
    };
    let all: Option<Vec<_>> = values.iter().map(differs).collect();
    all.map(join_all)
}
