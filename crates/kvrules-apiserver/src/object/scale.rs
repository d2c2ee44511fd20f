//! The subresource for scaling: the fields that it names must hold what it reads.

use kvrules_cel::go_text;
use kvrules_cel::value::go_type;
use serde_json::Value as Json;

use crate::crd::Failure;
use crate::field_error::ErrorType;

/// The paths that the subresource `scale` of a version names.
#[derive(Clone, Debug)]
pub struct ScalePaths {
    spec_replicas: String,
    status_replicas: String,
    label_selector: Option<String>,
}

impl ScalePaths {
    /// Reads `subresources.scale`.
    pub(super) fn from_json(scale: &Json) -> Option<Self> {
        let path = |name: &str| scale.get(name).and_then(Json::as_str).map(str::to_owned);
        scale.is_object().then(|| Self {
            spec_replicas: path("specReplicasPath").unwrap_or_default(),
            status_replicas: path("statusReplicasPath").unwrap_or_default(),
            label_selector: path("labelSelectorPath"),
        })
    }

    // apiextensions customresource/validator.go, ValidateScaleSpec
    pub(super) fn spec_violations(&self, object: &Json) -> Option<Failure> {
        check_replicas(object, &self.spec_replicas)
    }

    // validator.go, ValidateScaleStatus
    pub(super) fn status_violations(&self, object: &Json) -> Vec<Failure> {
        let selector = self.label_selector.as_deref().and_then(|path| check_selector(object, path));
        check_replicas(object, &self.status_replicas).into_iter().chain(selector).collect()
    }
}

fn invalid(field: &str, value: &str, detail: &str) -> Failure {
    Failure { value: value.to_owned(), ..Failure::new(field, ErrorType::Invalid, detail) }
}

// apimachinery unstructured/helpers.go, NestedInt64: a float is an error even if it is whole, and a missing field is 0.
fn check_replicas(object: &Json, path: &str) -> Option<Failure> {
    let value = match nested_value(object, path) {
        Ok(value) => value?,
        Err(error) => return Some(invalid(path, "0", &error)),
    };
    let Some(count) = value.as_i64().filter(|_| value.is_i64()) else {
        return Some(invalid(path, "0", &type_mismatch(path, value, "int64")));
    };
    let detail = match i32::try_from(count) {
        Ok(0..) => return None,
        Err(_) if count > 0 => format!("should be less than or equal to {}", i32::MAX),
        _ => "should be a non-negative integer".to_owned(),
    };
    Some(invalid(path, &count.to_string(), &detail))
}

// unstructured/helpers.go, NestedString
fn check_selector(object: &Json, path: &str) -> Option<Failure> {
    let error = match nested_value(object, path) {
        Ok(value) => {
            value.filter(|value| !value.is_string()).map(|value| type_mismatch(path, value, "string"))?
        }
        Err(error) => error,
    };
    Some(invalid(path, "\"\"", &error))
}

/// The value at a path; nothing if a part of it is absent.
// apimachinery unstructured/helpers.go, NestedFieldNoCopy
fn nested_value<'a>(object: &'a Json, path: &str) -> Result<Option<&'a Json>, String> {
    let mut value = object;
    let mut walked = String::new();
    for name in path.strip_prefix('.').unwrap_or(path).split('.') {
        walked.push('.');
        walked.push_str(name);
        value = match value {
            Json::Null => return Ok(None),
            Json::Object(fields) => match fields.get(name) {
                Some(value) => value,
                None => return Ok(None),
            },
            other => return Err(type_mismatch(&walked, other, "map[string]interface{}")),
        };
    }
    Ok(Some(value))
}

fn type_mismatch(path: &str, value: &Json, expected: &str) -> String {
    let path = path.strip_prefix('.').unwrap_or(path);
    let (shown, ty) = (go_text::format_plain(value), go_type(value));
    format!(".{path} accessor error: {shown} is of the type {ty}, expected {expected}")
}
