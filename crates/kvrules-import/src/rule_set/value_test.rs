//! Comparisons of one value with constants, as words.

use kvrules_ir::Constant;
use kvrules_rule_set::RulePath;
use serde_json::{Value as Json, json};

use super::literal::{Atom, Literal, Relation, constant_value};

fn test(path: RulePath, word: &'static str, argument: Json) -> Literal {
    Literal::of(Atom::Test(path, word, argument))
}

/// A comparison of the value at a path.
pub(super) fn value_test(
    path: RulePath,
    relation: Relation,
    limit: &Constant,
    schema: &Json,
) -> Option<Literal> {
    let is_text = schema.get("type") == Some(&json!("string"));
    match (relation, limit) {
        (Relation::NotEqual, Constant::Text(text)) if text.is_empty() && is_text => {
            Some(test(path, "length", json!({"min": 1})))
        }
        (Relation::Equal, _) => Some(test(path, "in", json!([constant_value(limit)?]))),
        (Relation::NotEqual, Constant::Boolean(value)) => Some(test(path, "in", json!([!value]))),
        (Relation::NotEqual, _) => Some(test(path, "in", json!([constant_value(limit)?])).opposite()),
        (_, Constant::Integer(limit)) if is_of_type(schema, "integer") => {
            Some(test(path, "integer", integer_bounds(relation, *limit)?))
        }
        (_, Constant::Integer(_) | Constant::Float(_)) if is_of_type(schema, "number") => {
            number_test(path, relation, &constant_value(limit)?)
        }
        _ => None,
    }
}

fn is_of_type(schema: &Json, name: &str) -> bool {
    schema.get("type").and_then(Json::as_str) == Some(name)
}

fn integer_bounds(relation: Relation, limit: i64) -> Option<Json> {
    Some(match relation {
        Relation::Less => json!({"max": limit.checked_sub(1)?}),
        Relation::AtMost => json!({"max": limit}),
        Relation::Greater => json!({"min": limit.checked_add(1)?}),
        Relation::AtLeast => json!({"min": limit}),
        Relation::Equal => json!({"min": limit, "max": limit}),
        Relation::NotEqual => return None,
    })
}

/// A comparison of the number at a path, which may have a fraction.
fn number_test(path: RulePath, relation: Relation, limit: &Json) -> Option<Literal> {
    Some(match relation {
        Relation::AtMost => test(path, "number", json!({"max": limit})),
        Relation::AtLeast => test(path, "number", json!({"min": limit})),
        Relation::Less => test(path, "number", json!({"below": limit})),
        Relation::Greater => test(path, "number", json!({"above": limit})),
        Relation::Equal | Relation::NotEqual => return None,
    })
}

/// A comparison of the quantity at a path.
pub(super) fn quantity_test(path: RulePath, relation: Relation, limit: &str) -> Literal {
    let bounds = match relation {
        Relation::AtMost => json!({ "max": limit }),
        Relation::AtLeast => json!({ "min": limit }),
        Relation::Greater => json!({ "above": limit }),
        Relation::Less => json!({ "below": limit }),
        Relation::Equal | Relation::NotEqual => json!({"min": limit, "max": limit}),
    };
    let within = test(path, "quantity", bounds);
    if relation == Relation::NotEqual { within.opposite() } else { within }
}

/// A comparison of the size of the value at a path.
pub(super) fn size_test(
    path: RulePath,
    relation: Relation,
    limit: &Constant,
    schema: &Json,
) -> Option<Literal> {
    let Constant::Integer(limit) = limit else { return None };
    let word = if is_of_type(schema, "string") { "length" } else { "items" };
    if relation == Relation::NotEqual {
        return Some(if *limit == 0 {
            test(path, word, json!({"min": 1}))
        } else {
            test(path, word, integer_bounds(Relation::Equal, *limit)?).opposite()
        });
    }
    // No size is below zero.
    let relation = if relation == Relation::Equal && *limit == 0 { Relation::AtMost } else { relation };
    let bounds = integer_bounds(relation, *limit)?;
    let is_count = |bound: &Json| bound.as_i64().is_some_and(|bound| bound >= 0);
    bounds.as_object()?.values().all(is_count).then(|| test(path, word, bounds))
}

/// A function of the text at a path that is true or false.
pub(super) fn text_test(path: RulePath, function: &str, argument: Option<&str>) -> Option<Literal> {
    let pattern = |pattern: String| test(path.clone(), "pattern", json!(pattern));
    Some(match (function, argument) {
        ("matches", Some(text)) => pattern(text.to_owned()),
        ("startsWith", Some(text)) => pattern(format!("^{}", escape_pattern(text))),
        ("endsWith", Some(text)) => pattern(format!("{}$", escape_pattern(text))),
        ("contains", Some(text)) => pattern(escape_pattern(text)),
        ("isQuantity", None) => test(path, "format", json!("quantity")),
        ("isIP", None) => test(path, "format", json!("ip")),
        ("isCIDR", None) => test(path, "format", json!("cidr")),
        _ => return None,
    })
}

/// A pattern that matches the text alone.
fn escape_pattern(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if ".+*?()|[]{}^$\\".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
