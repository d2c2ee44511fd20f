//! The reading of values that are compared with each other or with a constant: `1Gi` and `1024Mi` are one quantity and two texts.

use std::cmp::Ordering;
use std::sync::Arc;

use kvrules_cel::value::duration::parse_duration;
use kvrules_cel::value::quantity::KubeQuantity;
use kvrules_cel::value::semver::Semver;
use kvrules_cel::value::{Value, from_schema};
use serde_json::{Value as Json, json};

use crate::shape::ValueType;

/// The reading of values that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedAs {
    /// Numbers and booleans by their value, strings by their characters.
    Plain,
    /// Resource quantities, such as `1.5Gi`, in a string or an integer.
    Quantity,
    /// Semantic versions, such as `1.2.3-rc.1`, in a string.
    Version,
    /// Durations as Go writes them, such as `1h30m`, in a string without a format.
    Duration,
    /// Strings that servers read by the `format` of their schema.
    OfFormat(&'static str),
}

/// The formats of strings that have a type of their own in CEL.
// apiserver pkg/cel/common/values.go, UnstructuredToVal
const FORMATS: [&str; 4] = ["byte", "date", "date-time", "duration"];

/// The pattern that controller-gen gives to quantities.
// apimachinery pkg/api/resource quantity.go, the marker of Quantity
const QUANTITY_PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

impl ComparedAs {
    /// The names by which rules choose a reading.
    pub(crate) const NAMES: [(&str, Self); 4] = [
        ("quantity", Self::Quantity),
        ("version", Self::Version),
        ("duration", Self::Duration),
        ("text", Self::Plain),
    ];

    /// The reading of values with a schema.
    pub(crate) fn of_schema(schema: &Json) -> Self {
        let keyword = |name: &str| schema.get(name).and_then(Json::as_str);
        let of_type = ValueType::of_schema(schema);
        if !matches!(of_type, ValueType::String | ValueType::IntOrString) {
            return Self::Plain;
        }
        let format = keyword("format");
        if format == Some("quantity") || keyword("pattern") == Some(QUANTITY_PATTERN) {
            return Self::Quantity;
        }
        let known = FORMATS.into_iter().find(|known| of_type == ValueType::String && format == Some(known));
        known.map_or(Self::Plain, Self::OfFormat)
    }

    /// The values, in the plural.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Plain => "texts",
            Self::Quantity => "quantities",
            Self::Version => "versions",
            Self::Duration | Self::OfFormat("duration") => "durations",
            Self::OfFormat("byte") => "bytes",
            Self::OfFormat(_) => "times",
        }
    }

    /// True if values of a type have the reading.
    pub(crate) fn is_for(self, of_type: ValueType) -> bool {
        match self {
            Self::Quantity => {
                matches!(of_type, ValueType::String | ValueType::IntOrString | ValueType::Integer)
            }
            _ => of_type == ValueType::String,
        }
    }

    /// The value as it is compared; `None` if it is not readable.
    fn read(self, value: &Json) -> Option<Value> {
        Some(match self {
            Self::Plain => return None,
            Self::Quantity => {
                let text = quantity_text(value)?;
                Value::Quantity(Arc::new(KubeQuantity::parse(&text).ok()?))
            }
            Self::Version => Value::Semver(Arc::new(Semver::parse(value.as_str()?, false).ok()?)),
            Self::Duration => Value::Duration(parse_duration(value.as_str()?)?),
            Self::OfFormat(format) => {
                match from_schema(value, &json!({"type": "string", "format": format})) {
                    Value::Invalid(_) => return None,
                    read => read,
                }
            }
        })
    }

    /// Compares two values that have to be readable; `None` if one is not.
    pub(crate) fn compare(self, one: &Json, other: &Json) -> Option<Ordering> {
        match (self.read(one)?, self.read(other)?) {
            (Value::Quantity(one), Value::Quantity(other)) => Some(one.compare_to(&other)),
            (Value::Semver(one), Value::Semver(other)) => Some(one.compare_precedence(&other)),
            (one, other) => one.try_compare(&other).ok().flatten(),
        }
    }
}

/// The text of a quantity, which may be an integer.
pub(crate) fn quantity_text(value: &Json) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Json::String(text) => Some(text.into()),
        Json::Number(number) if number.is_i64() => Some(number.to_string().into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_what_they_mean() {
        let compare = |how: ComparedAs, one: &str, other: &str| how.compare(&one.into(), &other.into());
        for (how, less, greater) in [
            (ComparedAs::Quantity, "512Mi", "1Gi"),
            (ComparedAs::Quantity, "900m", "1"),
            (ComparedAs::Version, "1.9.0", "1.10.0"),
            (ComparedAs::Version, "1.0.0-rc.1", "1.0.0"),
            (ComparedAs::Duration, "90s", "2m"),
            (ComparedAs::OfFormat("duration"), "23h", "1 day"),
            (ComparedAs::OfFormat("date-time"), "2026-01-01T02:00:00+02:00", "2026-01-01T01:00:00Z"),
            (ComparedAs::OfFormat("date"), "2026-01-09", "2026-01-10"),
        ] {
            assert_eq!(compare(how, less, greater), Some(Ordering::Less), "{less} {greater}");
            assert_eq!(compare(how, greater, less), Some(Ordering::Greater), "{less} {greater}");
            assert_eq!(compare(how, less, "no such value"), None);
        }
        assert_eq!(compare(ComparedAs::Quantity, "1Gi", "1024Mi"), Some(Ordering::Equal));
        assert_eq!(ComparedAs::Quantity.compare(&json!(2), &"2000m".into()), Some(Ordering::Equal));
        assert_eq!(compare(ComparedAs::OfFormat("byte"), "YQ==", "YQ=="), Some(Ordering::Equal));
    }

    #[test]
    fn schemas_name_the_reading() {
        for (schema, how) in [
            (json!({"type": "string"}), ComparedAs::Plain),
            (json!({"type": "integer"}), ComparedAs::Plain),
            (json!({"type": "string", "format": "quantity"}), ComparedAs::Quantity),
            (json!({"x-kubernetes-int-or-string": true, "pattern": QUANTITY_PATTERN}), ComparedAs::Quantity),
            (json!({"x-kubernetes-int-or-string": true}), ComparedAs::Plain),
            (json!({"type": "string", "format": "duration"}), ComparedAs::OfFormat("duration")),
            (json!({"type": "string", "format": "uuid"}), ComparedAs::Plain),
        ] {
            assert_eq!(ComparedAs::of_schema(&schema), how, "{schema}");
        }
    }
}
