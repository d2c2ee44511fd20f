//! One schema that says what several say.

use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::{Map, Value};

/// The order in which keywords are written; whatever else there is comes last.
const ORDER: [&str; 26] = [
    "$schema",
    "$id",
    "title",
    "description",
    "$comment",
    "x-kvrules-rules",
    "type",
    "nullable",
    INT_OR_STRING,
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "required",
    "properties",
    "minItems",
    "prefixItems",
    "items",
    "contains",
    "allOf",
    "anyOf",
    "not",
    "if",
    "then",
];

/// Joins schemas that must all hold. Where two of them use a keyword differently, the later one goes under `allOf`.
pub(crate) fn join_schemas(schemas: impl IntoIterator<Item = Map<String, Value>>) -> Map<String, Value> {
    let mut schemas = schemas.into_iter();
    let first = schemas.next().unwrap_or_default();
    in_order(schemas.fold(first, |joined, schema| match merge_schemas(&joined, &schema) {
        Some(both) => both,
        None => under_all_of(joined, schema),
    }))
}

/// The keywords in their usual order.
pub(crate) fn in_order(schema: Map<String, Value>) -> Map<String, Value> {
    let rank = |keyword: &str| ORDER.iter().position(|known| *known == keyword).unwrap_or(ORDER.len());
    let mut entries: Vec<_> = schema.into_iter().collect();
    entries.sort_by_key(|(keyword, _)| rank(keyword));
    entries.into_iter().collect()
}

/// Two schemas as one; `None` where a keyword stands in the way.
fn merge_schemas(left: &Map<String, Value>, right: &Map<String, Value>) -> Option<Map<String, Value>> {
    // `nullable` applies to the `type` next to it, so two typed schemas must agree on it.
    let typed = left.contains_key("type") && right.contains_key("type");
    if typed && left.get("nullable") != right.get("nullable") {
        return None;
    }
    // `items` applies only to the items after those of the `prefixItems` next to it.
    let items =
        |one: &Map<_, _>, other: &Map<_, _>| one.contains_key("prefixItems") && other.contains_key("items");
    if items(left, right) || items(right, left) {
        return None;
    }
    let mut both = left.clone();
    for (keyword, value) in right {
        let value = match left.get(keyword) {
            None => value.clone(),
            Some(other) if other == value => continue,
            Some(other) => join_keyword(keyword, other, value)?,
        };
        both.insert(keyword.clone(), value);
    }
    Some(both)
}

/// Two uses of one keyword as one.
fn join_keyword(keyword: &str, left: &Value, right: &Value) -> Option<Value> {
    match (keyword, left, right) {
        ("required", Value::Array(left), Value::Array(right)) => {
            let more = right.iter().filter(|name| !left.contains(name));
            Some(left.iter().chain(more).cloned().collect())
        }
        ("allOf", Value::Array(left), Value::Array(right)) => {
            Some(left.iter().chain(right).cloned().collect())
        }
        ("properties", Value::Object(left), Value::Object(right)) => Some(merge_properties(left, right)),
        ("items", Value::Object(left), Value::Object(right)) => {
            Some(join_schemas([left.clone(), right.clone()]).into())
        }
        ("prefixItems", Value::Array(left), Value::Array(right)) => Some(prefix_items(left, right)),
        ("minItems", left, right) => Some(left.as_u64().max(right.as_u64()).into()),
        ("type", Value::Array(types), Value::String(_)) if types.contains(right) => Some(right.clone()),
        ("type", Value::String(_), Value::Array(types)) if types.contains(left) => Some(left.clone()),
        _ => None,
    }
}

fn merge_properties(left: &Map<String, Value>, right: &Map<String, Value>) -> Value {
    let mut both = left.clone();
    for (name, value) in right {
        let value = match (left.get(name), value) {
            (Some(Value::Object(own)), Value::Object(more)) => {
                join_schemas([own.clone(), more.clone()]).into()
            }
            _ => value.clone(),
        };
        both.insert(name.clone(), value);
    }
    both.into()
}

fn prefix_items(left: &[Value], right: &[Value]) -> Value {
    let item = |at: usize| {
        let schemas = [left.get(at), right.get(at)].into_iter().flatten().filter_map(Value::as_object);
        Value::from(join_schemas(schemas.cloned()))
    };
    (0..left.len().max(right.len())).map(item).collect()
}

fn under_all_of(mut schema: Map<String, Value>, other: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(parts)) = schema.get_mut("allOf") else {
        schema.insert("allOf".to_owned(), vec![Value::from(other)].into());
        return schema;
    };
    let with_other = |part: &Value| part.as_object().and_then(|part| merge_schemas(part, &other));
    match parts.iter_mut().find_map(|part| with_other(part).map(|both| (part, both))) {
        Some((part, both)) => *part = in_order(both).into(),
        None => parts.push(other.into()),
    }
    schema
}
