//! Equality and order.

use std::cmp::Ordering;

use super::go_key::same_key;
use super::{Entries, EvalError, GoKey, List, ListKind, Object, Value};

impl Value {
    /// `==` of the language. Values of different types are unequal, numbers compare across their types; what a schema describes
    /// and values of Kubernetes' libraries can only be compared with their like.
    // cel-go common/types/util.go, Equal
    pub fn try_equals(&self, other: &Value) -> Result<bool, EvalError> {
        match (self, other) {
            (Self::Unknown(_), _) => self.own_equals(other),
            (_, Self::Unknown(_)) => Err(unreadable(other)),
            (Self::Null, _) | (_, Self::Null) => Ok(matches!((self, other), (Self::Null, Self::Null))),
            _ => self.own_equals(other),
        }
    }

    /// `!=`: values that cannot be compared are different.
    // cel-go interpreter/interpretable.go, evalNe.Eval
    pub fn differs_from(&self, other: &Value) -> Result<bool, EvalError> {
        Ok(absorbed(self.try_equals(other))? != Some(true))
    }

    /// `Equal` of the type of this value.
    fn own_equals(&self, other: &Value) -> Result<bool, EvalError> {
        Ok(match (self, other) {
            (Self::Invalid(_) | Self::Unknown(_), _) => return Err(unreadable(self)),
            (_, Self::Unknown(_)) => return Err(unreadable(other)),
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
            (Self::Optional(Some(a)), Self::Optional(Some(b))) => a.own_equals(b)?,
            (Self::Optional(a), Self::Optional(b)) => a.is_none() && b.is_none(),
            (Self::List(a), Self::List(b)) => lists_equal(a, b)?,
            (Self::Map(a), Self::Map(b)) if !a.is_declared => literal_equals(a, b.len(), |key| b.find(key))?,
            (Self::Map(a), Self::Object(b)) if !a.is_declared => {
                literal_equals(a, b.len(), |key| b.find_key(key))?
            }
            (Self::Map(a), Self::Map(b)) => declared_equals(a, b.len(), |key| b.find(key))?,
            (Self::Map(a), Self::Object(b)) => declared_equals(a, b.len(), |key| b.find_key(key))?,
            (Self::Object(a), Self::Map(b)) => object_equals_map(a, b)?,
            (Self::Object(a), Self::Object(b)) => objects_equal(a, b)?,
            // apiserver pkg/cel/common valuesunstructured.go, unknownPreserved.Equal
            (Self::Opaque(a), Self::Opaque(b)) => a == b,
            _ if self.compares_only_its_like() => {
                return Err(match other {
                    Self::Invalid(_) => unreadable(other),
                    _ => EvalError::no_such_overload(),
                });
            }
            _ => compare_numbers(self, other) == Some(Ordering::Equal),
        })
    }

    /// True if a comparison with a value of another type is an error.
    // apiserver pkg/cel/common valuesunstructured.go, pkg/cel quantity.go, url.go, ip.go, cidr.go, semver.go and format.go, and
    // pkg/cel/library authz.go: Equal of each type
    fn compares_only_its_like(&self) -> bool {
        match self {
            Self::List(list) => list.is_declared(),
            Self::Map(map) => map.is_declared,
            Self::Object(_)
            | Self::Quantity(_)
            | Self::Url(_)
            | Self::Ip(_)
            | Self::Cidr(..)
            | Self::Semver(_)
            | Self::Format(_)
            | Self::Authorization(_) => true,
            _ => false,
        }
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

/// The error that a value stands for.
fn unreadable(value: &Value) -> EvalError {
    value.clone().into_result().err().unwrap_or_else(EvalError::no_such_overload)
}

/// A comparison whose error does not count if the server only asks for its being true, or false.
fn absorbed(result: Result<bool, EvalError>) -> Result<Option<bool>, EvalError> {
    match result {
        Ok(equal) => Ok(Some(equal)),
        Err(error) if error.is_absorbed() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The list on the left decides how.
// apiserver pkg/cel/common valuesunstructured.go, unstructuredList.Equal: lists of different sizes are unequal without a comparison
fn lists_equal(left: &List, right: &List) -> Result<bool, EvalError> {
    if left.items.len() != right.items.len() {
        return Ok(false);
    }
    let mut pairs = left.items.iter().zip(&right.items);
    match &left.kind {
        // cel-go common/types/list.go, baseList.Equal: elements that cannot be compared count as equal
        ListKind::Made => {
            pairs.try_fold(true, |equal, (a, b)| Ok(equal && absorbed(a.try_equals(b))? != Some(false)))
        }
        ListKind::Joined => joined_equals(pairs),
        ListKind::Atomic => pairs.try_fold(true, |equal, (a, b)| Ok(equal && a.own_equals(b)?)),
        ListKind::Set(keys) => sets_equal(keys, &right.items),
        ListKind::Map(names) => maps_by_key_equal(left, right, names),
    }
}

/// An error counts only if no element is different.
// cel-go common/types/list.go, concatList.Equal
fn joined_equals<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Result<bool, EvalError> {
    let mut failed = None;
    for (left, right) in pairs {
        match left.try_equals(right) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) if error.is_absorbed() => failed = failed.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    failed.map_or(Ok(true), Err)
}

/// Values that cannot be compared count as equal.
// cel-go common/types/map.go, baseMap.Equal
fn literal_equals<'v>(
    left: &Entries,
    size: usize,
    find: impl Fn(&Value) -> Result<Option<&'v Value>, EvalError>,
) -> Result<bool, EvalError> {
    if left.len() != size {
        return Ok(false);
    }
    for (key, value) in left.iter() {
        let equal = match find(&key.to_value()) {
            Ok(Some(other)) => absorbed(value.try_equals(other))?,
            Ok(None) => Some(false),
            // The error is the value that is compared.
            Err(error) => absorbed(value.try_equals(&Value::Invalid(error.message.into())))?,
        };
        if equal == Some(false) {
            return Ok(false);
        }
    }
    Ok(true)
}

// apiserver pkg/cel/common valuesunstructured.go, unstructuredMap.Equal
fn declared_equals<'v>(
    left: &Entries,
    size: usize,
    find: impl Fn(&Value) -> Result<Option<&'v Value>, EvalError>,
) -> Result<bool, EvalError> {
    if left.len() != size {
        return Ok(false);
    }
    for (key, value) in left.iter() {
        match find(&key.to_value())? {
            Some(other) if value.own_equals(other)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

// apiserver pkg/cel/common valuesunstructured.go, unstructuredMap.Equal: only another map of a schema may have fields that no schema knows
fn object_equals_map(left: &Object, right: &Entries) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    let other = |name: &str| right.find(&Value::from(name));
    if !fields_equal(left, other)? {
        return Ok(false);
    }
    if left.unknown.is_empty() || right.is_declared { Ok(true) } else { Err(EvalError::no_such_overload()) }
}

// apiserver pkg/cel/common valuesunstructured.go, unstructuredMap.Equal
fn objects_equal(left: &Object, right: &Object) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    // An unknown field that the other side lacks does not count: the server looks only at those on both sides.
    let unknown =
        left.unknown.iter().all(|(name, value)| right.unknown.get(name).is_none_or(|it| it == value));
    Ok(unknown && fields_equal(left, |name| Ok(right.find(name)))?)
}

/// Compares the declared fields. Each is found by its name as if that were an escaped one; one that is null is absent.
fn fields_equal<'v>(
    left: &Object,
    other: impl Fn(&str) -> Result<Option<&'v Value>, EvalError>,
) -> Result<bool, EvalError> {
    for name in left.fields.keys().chain(&left.nulls) {
        match (left.find(name), other(name)?) {
            (None, None) => {}
            (Some(value), Some(other)) if value.own_equals(other)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

// apiserver pkg/cel/common valuesunstructured.go, unstructuredSetList.Equal
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
// apiserver pkg/cel/common valuesunstructured.go, unstructuredMapList.Equal
fn maps_by_key_equal(left: &List, right: &List, names: &[String]) -> Result<bool, EvalError> {
    for item in &right.items {
        match left.items.iter().rfind(|own| same_key(own, item, names)) {
            Some(own) if own.own_equals(item)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

impl List {
    /// `in`: an element that a schema describes decides how it is compared, next to it the item that is looked for.
    // cel-go common/types list.go, baseList.Contains; apiserver pkg/cel/common valuesunstructured.go, unstructuredList.Contains
    pub fn contains(&self, item: &Value) -> Result<bool, EvalError> {
        let mut failed = None;
        for element in &self.items {
            let equal = if self.is_declared() { element.own_equals(item) } else { item.own_equals(element) };
            match equal {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) if !error.is_absorbed() => return Err(error),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        // A list that an expression made has no element that cannot be compared.
        failed.filter(|_| self.is_declared()).map_or(Ok(false), Err)
    }

    /// The position of an element, which decides how it is compared.
    // apiserver pkg/cel/library/lists.go, indexOf and lastIndexOf
    pub(crate) fn position(&self, item: &Value, from_end: bool) -> Option<usize> {
        let equal = |element: &Value| element.own_equals(item).unwrap_or(false);
        if from_end { self.items.iter().rposition(equal) } else { self.items.iter().position(equal) }
    }

    /// `+`: of a set the union, of a map list the elements of the other side win.
    pub fn concat(&self, other: &List) -> Result<List, EvalError> {
        match &self.kind {
            // cel-go common/types/list.go, baseList.Add and concatList.Add
            ListKind::Made | ListKind::Joined if self.items.is_empty() => Ok(other.clone()),
            ListKind::Made | ListKind::Joined if other.items.is_empty() => Ok(self.clone()),
            ListKind::Made | ListKind::Joined => {
                let items = self.items.iter().chain(&other.items).cloned().collect();
                Ok(List { items, kind: ListKind::Joined })
            }
            // apiserver pkg/cel/common valuesunstructured.go, unstructuredList.Add: the elements are decoded data again
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
    // apiserver pkg/cel/common valuesunstructured.go, unstructuredMapList.Add
    fn merge(&self, other: &List, names: &[String]) -> List {
        let mut items = self.items.clone();
        for item in &other.items {
            match items.iter_mut().take(self.items.len()).rfind(|own| same_key(own, item, names)) {
                Some(own) => *own = item.clone(),
                None => items.push(read_again(item)),
            }
        }
        List { items, kind: self.kind.clone() }
    }
}

// apiserver pkg/cel/common valuesunstructured.go, unstructuredSetList.Add
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
        Value::Map(map) if !map.is_declared => {
            let message = "invalid data, expected a map for the provided schema with type=object";
            return Value::Invalid(message.into());
        }
        _ => return item.clone(),
    };
    Value::Invalid(format!("invalid data, expected string, got {go_type}").into())
}
