//! Resources inside of an object: they say what they are, as every resource does.

use serde_json::{Map, Value as Json};

use super::{below, failure, field_schema, flag};
use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::names::label_1035;

/// What is wrong with the resources inside of an object.
pub(super) fn mistakes(object: &Json, schema: &Json) -> Vec<Failure> {
    let mut errors = Vec::new();
    check(object, schema, "", &mut errors);
    errors
}

fn check(value: &Json, schema: &Json, path: &str, errors: &mut Vec<Failure>) {
    match value {
        Json::Object(fields) => {
            if flag(schema, "x-kubernetes-embedded-resource") {
                resource(fields, path, errors);
            }
            for (name, value) in fields {
                if let Some(child) = field_schema(schema, name) {
                    check(value, child, &below(path, name, schema), errors);
                }
            }
        }
        Json::Array(items) => {
            let Some(child) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                check(item, child, &format!("{path}[{index}]"), errors);
            }
        }
        _ => {}
    }
}

fn resource(fields: &Map<String, Json>, path: &str, errors: &mut Vec<Failure>) {
    for name in ["apiVersion", "kind"] {
        let field = format!("{path}.{name}");
        let detail = match fields.get(name) {
            None => {
                errors.push(failure(&field, ErrorType::Required, ""));
                continue;
            }
            Some(Json::String(text)) if text.is_empty() => "must not be empty".to_owned(),
            Some(Json::String(text)) if name == "kind" => match label_1035(&text.to_lowercase()).as_slice() {
                [] => continue,
                problems => {
                    format!("may have mixed case, but should otherwise match: {}", problems.join(","))
                }
            },
            Some(Json::String(text)) if text.matches('/').count() > 1 => {
                format!("unexpected GroupVersion string: {text}")
            }
            Some(Json::String(_)) => continue,
            Some(_) => "must be a string".to_owned(),
        };
        let value = fields.get(name).map(Json::to_string).unwrap_or_default();
        errors.push(Failure { value, ..failure(&field, ErrorType::Invalid, &detail) });
    }
}
