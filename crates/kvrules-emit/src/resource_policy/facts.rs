//! Facts about schemas: what the data of a schema is in a rule, and what it is in a policy, which knows no schema.

use std::sync::LazyLock;

use kvrules_cel::types::{escape_property, is_embedded, keyword_value, unescape_property};
use kvrules_kubernetes::keywords::{INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, PRESERVE_UNKNOWN_FIELDS};
use serde_json::{Map, Value, json};

/// A form that data has in the rules of a definition, and not in a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypedForm {
    Double,
    Timestamp,
    Date,
    Duration,
    Bytes,
}

/// The kinds of values, as schemas distinguish them.
#[derive(Clone, Copy, Debug)]
pub(super) enum DataKind<'s> {
    /// A scalar that is the same in rules and policies.
    Scalar,
    /// A scalar of another type in rules.
    Typed(TypedForm),
    /// A list with the schema of its items.
    List(&'s Value, ListType<'s>),
    /// A map with the schema of its values.
    Map(&'s Value),
    /// An object with declared fields.
    Object,
    /// Data that rules cannot see.
    Hidden,
}

/// `x-kubernetes-list-type`, with the keys of `map`.
#[derive(Clone, Copy, Debug)]
pub(super) enum ListType<'s> {
    Atomic,
    Set,
    Map(&'s [Value]),
}

// apiserver pkg/cel/common values.go, UnstructuredToVal
pub(super) fn data_kind(schema: &Value) -> DataKind<'_> {
    if has_flag(schema, INT_OR_STRING) {
        return DataKind::Scalar;
    }
    match keyword_value(schema, "type").and_then(Value::as_str) {
        Some("object") => {
            match keyword_value(schema, "additionalProperties").filter(|values| values.is_object()) {
                Some(values) => DataKind::Map(values),
                None => DataKind::Object,
            }
        }
        Some("array") => {
            DataKind::List(keyword_value(schema, "items").unwrap_or(&Value::Null), list_type(schema))
        }
        Some("number") => DataKind::Typed(TypedForm::Double),
        Some("string") => match keyword_value(schema, "format").and_then(Value::as_str).unwrap_or_default() {
            "byte" => DataKind::Typed(TypedForm::Bytes),
            "date" => DataKind::Typed(TypedForm::Date),
            "date-time" | "datetime" => DataKind::Typed(TypedForm::Timestamp),
            "duration" => DataKind::Typed(TypedForm::Duration),
            _ => DataKind::Scalar,
        },
        Some("integer" | "boolean") => DataKind::Scalar,
        _ => DataKind::Hidden,
    }
}

fn list_type(schema: &Value) -> ListType<'_> {
    match keyword_value(schema, LIST_TYPE).and_then(Value::as_str) {
        Some("set") => ListType::Set,
        Some("map") => match keyword_value(schema, LIST_MAP_KEYS).and_then(Value::as_array) {
            Some(keys) => ListType::Map(keys),
            None => ListType::Atomic,
        },
        _ => ListType::Atomic,
    }
}

pub(super) fn has_flag(schema: &Value, keyword: &str) -> bool {
    keyword_value(schema, keyword) == Some(&Value::Bool(true))
}

/// True if the data may be null.
pub(super) fn is_nullable(schema: &Value) -> bool {
    has_flag(schema, "nullable")
}

/// True if an object may have fields that the schema does not name.
pub(super) fn has_unknown_fields(schema: &Value) -> bool {
    has_flag(schema, PRESERVE_UNKNOWN_FIELDS)
        || is_embedded(schema)
        || keyword_value(schema, "additionalProperties").is_some_and(Value::is_boolean)
}

/// The fields that a schema declares.
pub(super) fn declared_fields(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    keyword_value(schema, "properties").and_then(Value::as_object).into_iter().flatten()
}

/// The schema of a field by the name that rules have for it, and its name.
// apiserver pkg/cel/common schemas.go, WithTypeAndObjectMeta, for the fields that every resource has
pub(super) fn field_by_escaped_name<'s>(schema: &'s Value, escaped: &str) -> Option<(String, &'s Value)> {
    let name = unescape_property(escaped).unwrap_or_else(|| escaped.to_owned());
    let always = RESOURCE_FIELDS.get(&name).filter(|_| is_embedded(schema));
    let declared = keyword_value(schema, "properties").and_then(|properties| properties.get(&name));
    let found = declared.filter(|declared| always.is_none() || declares_names(&name, declared)).or(always)?;
    Some((name, found))
}

/// True if a declaration of a field that every resource has names what rules see in it.
fn declares_names(name: &str, declared: &Value) -> bool {
    name != "metadata" || declared.pointer("/properties/generateName").is_some()
}

static RESOURCE_FIELDS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let string = json!({"type": "string"});
    let metadata = json!({"type": "object", "properties": {"name": string, "generateName": string},
        PRESERVE_UNKNOWN_FIELDS: true});
    Map::from_iter([
        ("apiVersion".to_owned(), string.clone()),
        ("kind".to_owned(), string),
        ("metadata".to_owned(), metadata),
    ])
});

/// True if the data is in every expression the same in a policy as in a rule: nothing in it has another type, a name to be
/// escaped, another equality, or nulls that rules do not see.
pub(super) fn is_same_in_policies(schema: &Value) -> bool {
    match data_kind(schema) {
        DataKind::Scalar => true,
        DataKind::List(items, ListType::Atomic) => is_same_in_policies(items),
        DataKind::Map(values) => is_same_in_policies(values),
        DataKind::Object => {
            let is_same = |(name, field): (&String, &Value)| {
                escape_property(name).as_ref() == Some(name)
                    && !is_nullable(field)
                    && is_same_in_policies(field)
            };
            !has_unknown_fields(schema) && declared_fields(schema).all(is_same)
        }
        DataKind::List(..) | DataKind::Typed(_) | DataKind::Hidden => false,
    }
}

/// True if two values are equal in a rule exactly if they are in a policy.
pub(super) fn has_same_equality(schema: &Value) -> bool {
    match data_kind(schema) {
        // Numbers are compared by their values, whatever their types are.
        DataKind::Scalar | DataKind::Typed(TypedForm::Double) => true,
        DataKind::List(items, ListType::Atomic) => has_same_equality(items),
        DataKind::Map(values) => has_same_equality(values),
        DataKind::Object => {
            !has_unknown_fields(schema)
                && declared_fields(schema).all(|(_, field)| !is_nullable(field) && has_same_equality(field))
        }
        DataKind::List(..) | DataKind::Typed(_) | DataKind::Hidden => false,
    }
}

/// True if data that is equal in a policy is unchanged to a server that decides whether to excuse a violation, and the other
/// way round.
// apiserver cel/common/equality.go, CachedDeepEqual: items of lists without keys are compared as they are
pub(super) fn is_unchanged_if_equal(schema: &Value) -> bool {
    match data_kind(schema) {
        DataKind::Scalar | DataKind::Typed(_) | DataKind::List(_, ListType::Atomic | ListType::Set) => true,
        DataKind::List(_, ListType::Map(_)) | DataKind::Hidden => false,
        DataKind::Map(values) => is_unchanged_if_equal(values),
        DataKind::Object => {
            !has_unknown_fields(schema)
                && declared_fields(schema).all(|(_, field)| is_unchanged_if_equal(field))
        }
    }
}
