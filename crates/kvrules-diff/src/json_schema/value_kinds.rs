//! The kinds of values, with integers separate from other numbers.

use serde_json::Value;

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ValueKinds(u8);

impl ValueKinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(0b111_1111);
    pub(super) const OBJECT: Self = Self(1);
    pub(super) const ARRAY: Self = Self(2);
    pub(super) const STRING: Self = Self(4);
    pub(super) const INTEGER: Self = Self(8);
    pub(super) const FRACTION: Self = Self(16);
    pub(super) const BOOLEAN: Self = Self(32);
    pub(super) const NULL: Self = Self(64);

    /// Each kind by itself, those first that objects are mostly made of.
    pub(super) const EACH: [Self; 7] =
        [Self::OBJECT, Self::ARRAY, Self::STRING, Self::INTEGER, Self::FRACTION, Self::BOOLEAN, Self::NULL];

    pub(super) fn intersection_with(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn union_with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn intersects_with(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Those of a set, each by itself.
    pub(super) fn each_kind(self) -> impl Iterator<Item = Self> {
        Self::EACH.into_iter().filter(move |kind| kind.intersects_with(self))
    }

    /// Returns the kinds that a `type` names; all kinds if it names no known one.
    pub(super) fn of_types(types: &Value) -> Self {
        match types {
            Value::String(name) => Self::from_type_name(name),
            Value::Array(names) => names
                .iter()
                .filter_map(Value::as_str)
                .map(Self::from_type_name)
                .fold(Self::NONE, Self::union_with),
            _ => Self::ALL,
        }
    }

    fn from_type_name(name: &str) -> Self {
        match name {
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            "string" => Self::STRING,
            "integer" => Self::INTEGER,
            "number" => Self::INTEGER.union_with(Self::FRACTION),
            "boolean" => Self::BOOLEAN,
            "null" => Self::NULL,
            _ => Self::ALL,
        }
    }

    /// The kind of a value; 10.0 is an integer.
    pub(super) fn kind_of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() != 0.0) => {
                Self::FRACTION
            }
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }
}
