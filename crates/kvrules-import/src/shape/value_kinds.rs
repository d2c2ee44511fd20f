//! Kinds of JSON values, as sets.

use serde_json::Value;

/// A set of kinds of values. Numbers are two kinds, whole ones and others, for `integer` is a part of `number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueKinds(u8);

impl ValueKinds {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const FRACTION: Self = Self(8);
    pub(crate) const NUMBER: Self = Self(4 | 8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    pub(crate) const ALL: Self = Self(127);

    /// The kinds of a `type`; none when there is no such type.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The kind of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) => {
                Self::INTEGER
            }
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The kinds of some values.
    pub(crate) fn of_all(values: &[Value]) -> Self {
        values.iter().fold(Self::NONE, |kinds, value| kinds.or(Self::of(value)))
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The kinds without `null`, which the server treats separately.
    pub(crate) fn present(self) -> Self {
        self.minus(Self::NULL)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if the sets have a kind in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        !self.and(other).is_empty()
    }

    /// True if every kind of the other is one of these.
    pub(crate) fn covers(self, other: Self) -> bool {
        other.minus(self).is_empty()
    }
}
