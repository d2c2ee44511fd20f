//! Equality and order.

use std::cmp::Ordering;

use super::go_key::same_key;
use super::{EvalError, GoKey, List, ListKind, Object, Value, look_up};

impl Value {
    /// `==` of the language. Values of different types are unequal, numbers compare across their types.
    pub fn try_equals(&self, other: &Value) -> Result<bool, EvalError> {
        Ok(match (self, other) {
            (bad @ (Self::Invalid(_) | Self::Unknown(_)), _)
            | (_, bad @ (Self::Invalid(_) | Self::Unknown(_))) => {
                bad.clone().into_result()?;
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
            (Self::Semver(a), Self::Semver(b)) => a.compare_precedence(b) == Ordering::Equal,
            (Self::Quantity(a), Self::Quantity(b)) => a.compare_to(b) == Ordering::Equal,
            (Self::Optional(a), Self::Optional(b)) => match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => a.try_equals(b)?,
                _ => false,
            },
            (Self::List(a), Self::List(b)) => lists_equal(a, b)?,
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len()
                    && all_equal(a.iter().map(|(key, value)| (value, look_up(b, &key.to_value()))))?
            }
            (Self::Object(a), Self::Object(b)) => objects_equal(a, b)?,
            // apiserver pkg/cel/common values.go, unknownPreserved.Equal
            (Self::Opaque(a), Self::Opaque(b)) => a == b,
            _ => compare_numbers(self, other) == Some(Ordering::Equal),
        })
    }

    /// `<` and its kind: how this value compares with another of an ordered type.
    ///
    /// `Ok(None)` where a NaN is involved.
    pub fn try_compare(&self, other: &Value) -> Result<Option<Ordering>, EvalError> {
        let ordering = match (self, other) {
            (bad @ (Self::Invalid(_) | Self::Unknown(_)), _)
            | (_, bad @ (Self::Invalid(_) | Self::Unknown(_))) => {
                bad.clone().into_result()?;
                return Ok(None);
            }
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            // cel-go common/types/string.go, Compare: strings.Compare works on bytes
            (Self::String(a), Self::String(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            (Self::Duration(a), Self::Duration(b)) => a.cmp(b),
            _ if is_number(self) && is_number(other) => return Ok(compare_numbers(self, other)),
            _ => return Err(EvalError::no_such_overload()),
        };
        Ok(Some(ordering))
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

/// Compares numbers across their types: an integer next to a double as the double that is next to it.
// cel-go common/types/compare.go
fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), b) => a.partial_cmp(&nearest_double(b)?),
        (a, Value::Double(b)) => nearest_double(a)?.partial_cmp(b),
        (a, b) => Some(integer_value(a)?.cmp(&integer_value(b)?)),
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

fn integer_value(value: &Value) -> Option<i128> {
    match value {
        Value::Int(value) => Some(i128::from(*value)),
        Value::Uint(value) => Some(i128::from(*value)),
        _ => None,
    }
}

fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, Option<&'a Value>)>) -> Result<bool, EvalError> {
    for (left, right) in pairs {
        match right {
            Some(right) if left.try_equals(right)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The list on the left decides how.
// apiserver pkg/cel/common values.go, unstructuredList.Equal: lists of different sizes are unequal without a comparison
fn lists_equal(left: &List, right: &List) -> Result<bool, EvalError> {
    if left.items.len() != right.items.len() {
        return Ok(false);
    }
    match &left.kind {
        ListKind::Made | ListKind::Atomic => all_equal(left.items.iter().zip(right.items.iter().map(Some))),
        ListKind::Set(keys) => sets_equal(keys, &right.items),
        ListKind::Map(names) => maps_by_key_equal(left, right, names),
    }
}

/// True if an element of a list is equal; an error of a comparison counts only if no element is equal.
fn any_equal(items: &[Value], equal: impl Fn(&Value) -> Result<bool, EvalError>) -> Result<bool, EvalError> {
    let mut failed = None;
    for item in items {
        match equal(item) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(false), Err)
}

// k8s.io/apiserver/pkg/cel/common values.go, unstructuredSetList.Equal
fn sets_equal(keys: &[GoKey], items: &[Value]) -> Result<bool, EvalError> {
    for key in keys {
        key.require_hashable()?;
    }
    for item in items {
        if !keys.contains(GoKey::of_value(item).require_hashable()?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Of several elements with one key the last counts.
// k8s.io/apiserver/pkg/cel/common values.go, unstructuredMapList.Equal
fn maps_by_key_equal(left: &List, right: &List, names: &[String]) -> Result<bool, EvalError> {
    for item in &right.items {
        match left.items.iter().rfind(|own| same_key(own, item, names)) {
            Some(own) if own.try_equals(item)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

// apiserver pkg/cel/common values.go, unstructuredMap.Equal
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
    /// `in`: an element that a schema describes decides how it is compared, next to it the item that is looked for.
    // cel-go common/types list.go, baseList.Contains; k8s.io/apiserver/pkg/cel/common values.go, unstructuredList.Contains
    pub fn contains(&self, item: &Value) -> Result<bool, EvalError> {
        match self.kind {
            ListKind::Made => any_equal(&self.items, |element| item.try_equals(element)),
            _ => any_equal(&self.items, |element| element.try_equals(item)),
        }
    }

    /// `+`: of a set the union, of a map list the elements of the other side win.
    pub fn concat(&self, other: &List) -> Result<List, EvalError> {
        match &self.kind {
            ListKind::Made if self.items.is_empty() => Ok(other.clone()),
            ListKind::Made => {
                let items = self.items.iter().chain(&other.items).cloned().collect();
                Ok(List { items, kind: ListKind::Made })
            }
            // apiserver pkg/cel/common values.go, unstructuredList.Add: the elements are decoded data again
            ListKind::Atomic => {
                let added = other.items.iter().map(read_again);
                let items = self.items.iter().cloned().chain(added).collect();
                Ok(List { items, kind: ListKind::Atomic })
            }
            ListKind::Set(keys) => union(self.items.clone(), keys.clone(), &other.items),
            ListKind::Map(names) => Ok(self.merge(other, names)),
        }
    }

    /// An element of the other side that this side lacks is added each time that it occurs.
    // k8s.io/apiserver/pkg/cel/common values.go, unstructuredMapList.Add
    fn merge(&self, other: &List, names: &[String]) -> List {
        let mut items = self.items.clone();
        for item in &other.items {
            match items.iter_mut().take(self.items.len()).rfind(|own| same_key(own, item, names)) {
                Some(own) => *own = item.clone(),
                None => items.push(item.clone()),
            }
        }
        List { items, kind: self.kind.clone() }
    }
}

// k8s.io/apiserver/pkg/cel/common values.go, unstructuredSetList.Add
fn union(mut items: Vec<Value>, mut keys: Vec<GoKey>, others: &[Value]) -> Result<List, EvalError> {
    for key in &keys {
        key.require_hashable()?;
    }
    for other in others {
        let key = GoKey::of_value(other);
        if !keys.contains(key.require_hashable()?) {
            keys.push(key);
            items.push(read_again(other));
        }
    }
    Ok(List { items, kind: ListKind::Set(keys) })
}

/// The server reads what it added to a list by the schema of the elements, which wants a text for a time, and a list
/// that was decoded.
fn read_again(item: &Value) -> Value {
    let go_type = match item {
        Value::Duration(_) => "time.Duration",
        Value::Timestamp(_) => "time.Time",
        Value::Bytes(_) => "[]uint8",
        Value::List(list) if list.kind == ListKind::Made => {
            let message = "invalid data, expected an array for the provided schema with type=array";
            return Value::Invalid(message.into());
        }
        _ => return item.clone(),
    };
    Value::Invalid(format!("invalid data, expected string, got {go_type}").into())
}
