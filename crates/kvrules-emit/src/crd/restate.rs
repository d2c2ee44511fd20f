//! The same rule in other words, where the server would find the plain ones too expensive.

use kvrules_ir::{Interval, PlaceBase, Predicate, ValueTest, ValueType};
use num_bigint::BigInt;
use serde_json::{Value, json};

use super::schema::is_true;
use crate::cel::{Expr, Operator};

/// `x in ['a', 'b']` as `x == 'a' || x == 'b'`: a list costs ten before its first element, an equation next to nothing.
pub(super) fn without_lists(expression: &Expr) -> Expr {
    let again = without_lists;
    match expression {
        Expr::Binary(value, Operator::In, list) => match &**list {
            Expr::List(items) => Expr::any_of(
                items.iter().map(|item| (**value).clone().apply_operator(Operator::Equal, item.clone())),
            ),
            _ => expression.clone(),
        },
        Expr::Not(inner) => again(inner).not(),
        Expr::And(parts) => Expr::all_of(parts.iter().map(again)),
        Expr::Or(parts) => Expr::any_of(parts.iter().map(again)),
        Expr::All(list, variable, body) => (**list).clone().all(variable.clone(), again(body)),
        Expr::Exists(list, variable, body) => (**list).clone().exists(variable.clone(), again(body)),
        other => other.clone(),
    }
}

/// A rule about the value at a node as keywords of the schema, which cost nothing; only where they say the same, and the node
/// does not use them for anything else.
pub(super) fn restate_keywords(predicate: &Predicate, node: &Value) -> Option<Vec<(&'static str, Value)>> {
    let Predicate::Test { place, test } = predicate else { return None };
    let here = place.base == PlaceBase::Root && place.steps.is_empty();
    // Rules are skipped for a null, but `enum` rejects it.
    if !here || is_true(node, "nullable") {
        return None;
    }
    let keywords = match (place.value_type, test) {
        (ValueType::String, ValueTest::OneOf(texts)) if !texts.is_empty() => vec![("enum", json!(texts))],
        (ValueType::String, ValueTest::Matches(pattern)) => vec![("pattern", json!(pattern.0))],
        (ValueType::String, ValueTest::Length(interval)) => {
            restate_bounds(interval, "minLength", "maxLength")?
        }
        (ValueType::Integer, ValueTest::Integer(interval)) => restate_bounds(interval, "minimum", "maximum")?,
        _ => return None,
    };
    let free = keywords.iter().all(|(keyword, value)| node.get(*keyword).is_none_or(|own| own == value));
    (free && !keywords.is_empty()).then_some(keywords)
}

/// Bounds as numbers that every reader of JSON keeps exactly.
fn restate_bounds(
    interval: &Interval,
    least: &'static str,
    most: &'static str,
) -> Option<Vec<(&'static str, Value)>> {
    let exact = |bound: &BigInt| {
        i64::try_from(bound).ok().filter(|bound| bound.unsigned_abs() < 1 << 53).map(|bound| json!(bound))
    };
    let ends = [(least, &interval.min), (most, &interval.max)];
    let given = ends.into_iter().filter_map(|(keyword, bound)| Some((keyword, bound.as_ref()?)));
    given.map(|(keyword, bound)| Some((keyword, exact(bound)?))).collect()
}
