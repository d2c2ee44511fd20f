//! Parts of values.

use kvrules_apiserver::definition::keyword_value;
use serde_json::Value;

/// A step from a value to one of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueStep {
    /// A field of an object or a key of a map.
    Name(String),
    /// An item of a list.
    Index(usize),
}

/// Returns the steps to the parts of a value.
pub fn parts_of(value: Option<&Value>) -> Vec<ValueStep> {
    match value {
        Some(Value::Object(fields)) => fields.keys().cloned().map(ValueStep::Name).collect(),
        Some(Value::Array(items)) => (0..items.len()).map(ValueStep::Index).collect(),
        _ => Vec::new(),
    }
}

/// Returns the part at the end of some steps.
pub fn find_part<'v>(value: &'v Value, way: &[ValueStep]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, step| match step {
        ValueStep::Name(name) => keyword_value(value, name),
        ValueStep::Index(index) => value.get(index),
    })
}

/// As [`find_part`], to change the part.
pub fn find_part_mut<'v>(value: &'v mut Value, way: &[ValueStep]) -> Option<&'v mut Value> {
    way.iter().try_fold(value, |value, step| match step {
        ValueStep::Name(name) => value.get_mut(name),
        ValueStep::Index(index) => value.get_mut(index),
    })
}

/// Returns the schema of a part of the values of another schema.
pub fn schema_of_part<'s>(schema: &'s Value, way: &[ValueStep]) -> Option<&'s Value> {
    way.iter().try_fold(schema, |node, step| match step {
        ValueStep::Name(name) => keyword_value(node, "properties")
            .and_then(|fields| keyword_value(fields, name))
            .or_else(|| keyword_value(node, "additionalProperties").filter(|below| below.is_object())),
        ValueStep::Index(_) => keyword_value(node, "items"),
    })
}

/// Returns the value with another part in place of one that it has.
pub fn with_part(value: &Value, way: &[ValueStep], part: Value) -> Option<Value> {
    let mut value = value.clone();
    *find_part_mut(&mut value, way)? = part;
    Some(value)
}

/// Takes a part out of a value. False if it does not have it.
pub fn remove_part(value: &mut Value, way: &[ValueStep]) -> bool {
    let Some((last, before)) = way.split_last() else { return false };
    match (find_part_mut(value, before), last) {
        (Some(Value::Object(fields)), ValueStep::Name(name)) => fields.remove(name).is_some(),
        (Some(Value::Array(items)), ValueStep::Index(index)) if *index < items.len() => {
            items.remove(*index);
            true
        }
        _ => false,
    }
}

/// Returns the value without a part that it has.
pub fn without_part(value: &Value, way: &[ValueStep]) -> Option<Value> {
    let mut value = value.clone();
    remove_part(&mut value, way).then_some(value)
}
