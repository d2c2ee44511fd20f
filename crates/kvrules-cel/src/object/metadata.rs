//! The name of an object. Of its metadata the server looks at more; what is not here is not judged.

use serde_json::Value as Json;

use super::failure;
use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::names::subdomain;

/// What is wrong with the name of an object.
pub(super) fn mistakes(object: &Json) -> Vec<Failure> {
    let text = |name: &str| object.pointer("/metadata").and_then(|it| it.get(name)).and_then(Json::as_str);
    let invalid = |field: &str, value: &str, detail: &str| Failure {
        value: format!("{value:?}"),
        ..failure(field, ErrorType::Invalid, detail)
    };
    let given = |name: &str| text(name).filter(|text| !text.is_empty());
    let mut errors = Vec::new();
    if let Some(name) = given("name") {
        errors.extend(subdomain(name).iter().map(|detail| invalid("metadata.name", name, detail)));
    } else if given("generateName").is_none() {
        let detail = "name or generateName is required";
        errors.push(failure("metadata.name", ErrorType::Required, detail));
    }
    errors
}
