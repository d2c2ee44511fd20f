//! Reasons why an object is rejected, as readers need them: by location, and without remarks.

use super::{Admission, NOWHERE, RULES_NOT_CHECKED};
use crate::crd::Failure;

impl Admission {
    /// The errors that are about something in the object: all except the remark that rules were not asked.
    pub fn object_errors(&self) -> impl Iterator<Item = &Failure> {
        self.errors.iter().filter(|error| error.detail != RULES_NOT_CHECKED)
    }
}

/// The path of the value that an error is about, also if the server reports it only in the message.
///
/// ```
/// use kvrules_apiserver::object::{ObjectSchema, error_path};
/// use serde_json::json;
///
/// let either = json!([{"required": ["a"]}, {"required": ["b"]}]);
/// let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "anyOf": either}}});
/// let answer = ObjectSchema::new(&schema).admit_object(&json!({"metadata": {"name": "a"}, "spec": {}}), None);
/// assert_eq!((answer.errors[0].field.as_str(), error_path(&answer.errors[0])), ("<nil>", "spec"));
/// ```
// Errors of branches have no field: kube-openapi validate/schema_messages.go puts the path into the text.
pub fn error_path(error: &Failure) -> &str {
    if error.field != NOWHERE {
        return &error.field;
    }
    let quoted = error.detail.strip_prefix('"').and_then(|rest| rest.split_once("\" "));
    let ending = || error.detail.contains("must be of type").then(|| error.detail.rsplit_once(" in "))?;
    let path = quoted.map(|(path, _)| path).or_else(|| ending().map(|(_, path)| path)).unwrap_or_default();
    path.strip_prefix('.').unwrap_or(path)
}
