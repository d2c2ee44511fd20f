//! Places of errors in one form: fields with dots, items and keys as `[*]`.

use kvrules_apiserver::crd::{Failure, NOWHERE};
use serde_json::Value;

/// A place in an object that one side rejects.
#[derive(Clone, Debug)]
pub(super) struct RefusedPlace {
    pub(super) place: String,
    /// True if the reason may be a value below it.
    pub(super) is_around: bool,
    /// True if it has too many items or fields.
    pub(super) has_too_many: bool,
}

impl RefusedPlace {
    /// The place of a failure. Those of alternatives have no field: the server names the place in the text.
    // kube-openapi validate/schema_props.go, (*schemaPropsValidator).Validate
    pub(super) fn of_failure(failure: &Failure) -> Self {
        let named = failure.detail.trim_start_matches('"').split(['"', ' ']).next();
        let named = named.filter(|_| failure.field == NOWHERE);
        Self {
            place: normalize_field(named.unwrap_or(&failure.field)),
            is_around: named.is_some(),
            has_too_many: failure.reason == "FieldValueTooMany",
        }
    }
}

/// The place that a server names: `spec.ports[0].name` becomes `spec.ports[*].name`.
fn normalize_field(field: &str) -> String {
    let mut place = String::new();
    let mut depth = 0_usize;
    for char in field.trim_start_matches('.').chars() {
        match char {
            '[' => {
                if depth == 0 {
                    place.push_str("[*]");
                }
                depth += 1;
            }
            ']' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            other => place.push(other),
        }
    }
    place
}

/// The place of a JSON pointer into an object of a schema.
pub(super) fn place_of_pointer(pointer: &str, schema: &Value) -> String {
    let mut place = String::new();
    let mut node = Some(schema);
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let property =
            node.and_then(|node| node.get("properties")).and_then(|properties| properties.get(&name));
        if property.is_some() {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(&name);
            node = property;
        } else {
            place.push_str("[*]");
            node = node.and_then(|node| node.get("items").or_else(|| node.get("additionalProperties")));
        }
    }
    place
}

/// A step from a value to one below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlaceStep {
    /// A field of an object.
    Field(String),
    /// An item of a list, or the value of a key of a map.
    Any,
}

/// The steps to a place such as `spec.ports[*].name`. Names with dots are taken for several steps.
pub(super) fn parse_place(place: &str) -> Vec<PlaceStep> {
    let fields = place.split('.').filter(|part| !part.is_empty());
    fields
        .flat_map(|part| {
            let (name, items) = part.split_at(part.find("[*]").unwrap_or(part.len()));
            let field = (!name.is_empty()).then(|| PlaceStep::Field(name.to_owned()));
            field.into_iter().chain(std::iter::repeat_n(PlaceStep::Any, items.len() / 3))
        })
        .collect()
}
