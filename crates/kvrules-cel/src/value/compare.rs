//! Equality and order.

use std::cmp::Ordering;

use super::{EvalError, List, ListKind, Object, Value};

impl Value {
    /// `==` of the language. Values of different types are unequal, numbers compare across their types.
    pub fn equals(&self, other: &Value) -> Result<bool, EvalError> {
        Ok(match (self, other) {
            (bad @ (Self::Invalid(_) | Self::Unknown(_)), _)
            | (_, bad @ (Self::Invalid(_) | Self::Unknown(_))) => {
                bad.clone().opened()?;
                false
            }
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::String(a), Self::String(b))
            | (Self::Type(a), Self::Type(b))
            | (Self::Url(a), Self::Url(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Timestamp(a), Self::Timestamp(b)) => a == b,
            (Self::Duration(a), Self::Duration(b)) => a == b,
            (Self::Ip(a), Self::Ip(b)) => a == b,
            (Self::Cidr(a, m), Self::Cidr(b, n)) => a == b && m == n,
            (Self::Format(a), Self::Format(b)) => a == b,
            (Self::Semver(a), Self::Semver(b)) => a.order(b) == Ordering::Equal,
            (Self::Quantity(a), Self::Quantity(b)) => a.order(b) == Ordering::Equal,
            (Self::Optional(a), Self::Optional(b)) => match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => a.equals(b)?,
                _ => false,
            },
            (Self::List(a), Self::List(b)) => lists_equal(a, b)?,
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len() && all_equal(a.iter().map(|(key, value)| (value, b.get(key))))?
            }
            (Self::Object(a), Self::Object(b)) => objects_equal(a, b)?,
            _ => numbers(self, other) == Some(Ordering::Equal),
        })
    }

    /// `<` and its kind: how this value compares with another of an ordered type.
    ///
    /// `Ok(None)` where a NaN is involved.
    pub fn compare(&self, other: &Value) -> Result<Option<Ordering>, EvalError> {
        let ordering = match (self, other) {
            (bad @ (Self::Invalid(_) | Self::Unknown(_)), _)
            | (_, bad @ (Self::Invalid(_) | Self::Unknown(_))) => {
                bad.clone().opened()?;
                return Ok(None);
            }
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::String(a), Self::String(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            (Self::Duration(a), Self::Duration(b)) => a.cmp(b),
            _ if is_number(self) && is_number(other) => return Ok(numbers(self, other)),
            _ => return Err(EvalError::overload()),
        };
        Ok(Some(ordering))
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

/// Compares numbers across their types: an integer beside a double as the double that is next to it.
// cel-go common/types/compare.go
fn numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), b) => a.partial_cmp(&nearest_double(b)?),
        (a, Value::Double(b)) => nearest_double(a)?.partial_cmp(b),
        (a, b) => Some(integer(a)?.cmp(&integer(b)?)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the server compares doubles")]
fn nearest_double(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Uint(value) => Some(*value as f64),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(value) => Some(i128::from(*value)),
        Value::Uint(value) => Some(i128::from(*value)),
        _ => None,
    }
}

fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, Option<&'a Value>)>) -> Result<bool, EvalError> {
    for (left, right) in pairs {
        match right {
            Some(right) if left.equals(right)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The list on the left decides how.
fn lists_equal(left: &List, right: &List) -> Result<bool, EvalError> {
    if left.items.len() != right.items.len() {
        return Ok(false);
    }
    match &left.kind {
        ListKind::Atomic => all_equal(left.items.iter().zip(right.items.iter().map(Some))),
        ListKind::Set => {
            left.hashable()?;
            Ok(right.items.iter().all(|item| contains(&left.items, item).unwrap_or(false)))
        }
        ListKind::Map(keys) => maps_by_key_equal(left, right, keys),
    }
}

/// Whether a list has an element; an error of a comparison counts only when no element is equal.
pub(super) fn contains(items: &[Value], item: &Value) -> Result<bool, EvalError> {
    let mut failed = None;
    for other in items {
        match item.equals(other) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(false), Err)
}

fn maps_by_key_equal(left: &List, right: &List, keys: &[String]) -> Result<bool, EvalError> {
    for item in &left.items {
        let mut equal = false;
        for other in &right.items {
            if same_key(item, other, keys) {
                equal = item.equals(other)?;
                break;
            }
        }
        if !equal {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether two elements of a map list have the same key.
pub(super) fn same_key(left: &Value, right: &Value, keys: &[String]) -> bool {
    let field = |value: &Value, key: &str| match value {
        Value::Object(object) => object.fields.get(key).cloned(),
        _ => None,
    };
    keys.iter().all(|key| match (field(left, key), field(right, key)) {
        (Some(left), Some(right)) => left.equals(&right).unwrap_or(false),
        (left, right) => left.is_none() && right.is_none(),
    })
}

fn objects_equal(left: &Object, right: &Object) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    let fields = left.fields.iter().map(|(name, value)| (value, right.fields.get(name)));
    // An unknown field that the other side lacks does not count: the server looks only at those on both sides.
    let unknown =
        left.unknown.iter().all(|(name, value)| right.unknown.get(name).is_none_or(|it| it == value));
    Ok(unknown && all_equal(fields)?)
}

impl List {
    /// The server keeps the elements of a set in a hash table, which fails for lists and objects.
    fn hashable(&self) -> Result<(), EvalError> {
        for item in &self.items {
            let unhashable = match item {
                Value::List(_) => "[]interface {}",
                Value::Map(_) | Value::Object(_) => "map[string]interface {}",
                Value::Invalid(message) if message.ends_with("[]interface {}") => "[]interface {}",
                Value::Invalid(message) if message.ends_with("{}") => "map[string]interface {}",
                _ => continue,
            };
            return Err(EvalError::internal(format!("runtime error: hash of unhashable type {unhashable}")));
        }
        Ok(())
    }

    /// `in`
    pub fn contains(&self, item: &Value) -> Result<bool, EvalError> {
        contains(&self.items, item)
    }

    /// `+`: of a set the union, of a map list the elements of the other side win.
    pub fn concat(&self, other: &List) -> Result<List, EvalError> {
        let mut items = self.items.clone();
        for item in &other.items {
            match &self.kind {
                ListKind::Atomic => items.push(item.clone()),
                ListKind::Set => {
                    if !contains(&items, item)? {
                        items.push(item.clone());
                    }
                }
                ListKind::Map(keys) => match items.iter_mut().find(|it| same_key(it, item, keys)) {
                    Some(same) => *same = item.clone(),
                    None => items.push(item.clone()),
                },
            }
        }
        Ok(List { items, kind: self.kind.clone() })
    }
}
