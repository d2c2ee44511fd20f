//! The kinds of values that are ordered among themselves.

use kvrules_cel::types::keyword_value;
use serde_json::Value as Json;

use super::terms::KnownTerm;

/// Values that are ordered among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OrderedKind {
    Integer,
    /// In nanoseconds.
    Duration,
    /// In nanoseconds since 1970.
    Timestamp,
    Number,
    Text,
    Boolean,
    Quantity,
    Semver,
}

impl OrderedKind {
    /// The name of its type in CEL.
    pub(super) fn type_name(self) -> Option<&'static str> {
        match self {
            Self::Integer => Some("int"),
            Self::Text => Some("string"),
            Self::Boolean => Some("bool"),
            _ => None,
        }
    }
}

/// The kind of all values that a term may have, by its schema.
pub(super) fn kind_of_values(known: &KnownTerm<'_>) -> Option<OrderedKind> {
    let node = known.node?;
    if known.may_be_null || known.has_two_types() {
        return None;
    }
    let format = || keyword_value(node, "format").and_then(Json::as_str).unwrap_or_default();
    match keyword_value(node, "type")?.as_str()? {
        "integer" => Some(OrderedKind::Integer),
        "number" => Some(OrderedKind::Number),
        "boolean" => Some(OrderedKind::Boolean),
        "string" => match format() {
            "duration" => Some(OrderedKind::Duration),
            "date" | "date-time" => Some(OrderedKind::Timestamp),
            "byte" => None,
            _ => Some(OrderedKind::Text),
        },
        _ => None,
    }
}
