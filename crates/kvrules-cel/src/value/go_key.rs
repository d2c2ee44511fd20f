//! The keys under which the server finds elements of sets and of map lists.
//!
//! It keeps the elements of these lists as they were decoded, and looks others up by cel-go's values for them. So an
//! element whose schema has a format is never found again: the table has its text, and what is looked up is a time.

use serde_json::Value as Json;

use super::{EvalError, Value};
use crate::types::escape_property;

/// A value of Go, as far as it can be equal to another as the key of a hash table.
#[derive(Clone, Debug, PartialEq)]
pub enum GoKey {
    /// `nil`
    Nil,
    /// `bool`
    Bool(bool),
    /// `int64`
    Int(i64),
    /// `float64`
    Double(f64),
    /// `string`
    String(String),
    /// `time.Duration`
    Duration(i64),
    /// `time.Time` in UTC.
    Utc(i64, u32),
    /// A type that cannot be a key.
    Unhashable(&'static str),
    /// A value that equals no other.
    Other,
}

impl GoKey {
    /// Data as it was decoded.
    pub(super) fn of_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Nil,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => {
                number.as_i64().map_or_else(|| number.as_f64().map_or(Self::Other, Self::Double), Self::Int)
            }
            Json::String(text) => Self::String(text.clone()),
            Json::Array(_) => Self::Unhashable("[]interface {}"),
            Json::Object(_) => Self::Unhashable("map[string]interface {}"),
        }
    }

    /// Converts the result of cel-go's `Value()`.
    // apiserver pkg/cel/common values.go, unstructuredSetList.Equal: it looks up Value() of what the other list returns
    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Double(value) => Self::Double(*value),
            Value::String(text) => Self::String(text.to_string()),
            Value::Duration(nanos) => Self::Duration(*nanos),
            Value::Timestamp(time) if time.offset == 0 => Self::Utc(time.seconds, time.nanos),
            Value::Bytes(_) => Self::Unhashable("[]uint8"),
            Value::List(_) => Self::Unhashable("[]interface {}"),
            Value::Map(_) | Value::Object(_) => Self::Unhashable("map[string]interface {}"),
            _ => Self::Other,
        }
    }

    /// Go fails at run time where a key cannot be hashed.
    pub(super) fn require_hashable(&self) -> Result<&Self, EvalError> {
        match self {
            Self::Unhashable(name) => {
                Err(EvalError::internal_error(format!("runtime error: hash of unhashable type {name}")))
            }
            key => Ok(key),
        }
    }
}

/// The names under which the server looks for the keys of a map list: it escapes them as expressions do, although the
/// data has them as they are, so that a key like `namespace` is found in no element.
// k8s.io/apiserver/pkg/cel/common values.go, escapeKeyProps
pub(super) fn key_names<'a>(keys: impl Iterator<Item = &'a str>) -> Vec<String> {
    keys.map(|key| escape_property(key).unwrap_or_else(|| key.to_owned())).collect()
}

/// True if two elements of a map list have the same key.
// k8s.io/apiserver/pkg/cel/common values.go, toMapKey
pub(super) fn same_key(left: &Value, right: &Value, names: &[String]) -> bool {
    let (Value::Object(left), Value::Object(right)) = (left, right) else { return false };
    names.iter().all(|name| match (left.fields.get(name), right.fields.get(name)) {
        (Some(left), Some(right)) => left.try_equals(right).unwrap_or(false),
        (left, right) => left.is_none() && right.is_none(),
    })
}
