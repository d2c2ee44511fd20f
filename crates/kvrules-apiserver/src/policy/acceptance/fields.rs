//! Places in a document, and the texts of what is wrong with them.

use kvrules_cel::go_text::{format_json_value as shown, quote_string};
use serde_json::Value as Json;

use super::PolicyRejection;
use crate::crd::Failure;
use crate::field_error::ErrorType;

/// A field of a document with its value.
#[derive(Clone, Debug)]
pub(super) struct PolicyField<'a> {
    path: String,
    json: &'a Json,
}

impl<'a> PolicyField<'a> {
    pub(super) fn root(json: &'a Json) -> Self {
        Self { path: String::new(), json }
    }

    pub(super) fn child(&self, name: &str) -> Self {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Self { path, json: self.json.get(name).unwrap_or(&Json::Null) }
    }

    /// The same place under another path.
    pub(super) fn with_path(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// The same place with another value.
    pub(super) fn with_value<'b>(&self, json: &'b Json) -> PolicyField<'b> {
        PolicyField { path: self.path.clone(), json }
    }

    /// The elements of a list below this place.
    pub(super) fn items(&self, name: &str) -> Vec<Self> {
        let list = self.child(name);
        let items = list.json.as_array().map(Vec::as_slice).unwrap_or_default();
        let item = |(index, json)| Self { path: format!("{}[{index}]", list.path), json };
        items.iter().enumerate().map(item).collect()
    }

    pub(super) fn json(&self) -> &'a Json {
        self.json
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn is_there(&self) -> bool {
        !self.json.is_null()
    }

    /// The text here; empty if missing.
    pub(super) fn text(&self) -> &'a str {
        self.json.as_str().unwrap_or_default()
    }
}

/// Refuses an empty text; whether there is one.
pub(super) fn require_text(field: &PolicyField<'_>, refusals: &mut PolicyRejections) -> bool {
    let there = !field.text().is_empty();
    if !there {
        refusals.reject_missing(field, "");
    }
    there
}

/// Errors found so far.
#[derive(Default)]
pub(super) struct PolicyRejections(Vec<PolicyRejection>);

impl PolicyRejection {
    /// The document does not decode.
    pub(super) fn bad_request(message: String) -> Self {
        Self { field: String::new(), reason: ErrorType::BadRequest.cause_name().to_owned(), message }
    }
}

impl PolicyRejections {
    fn push(&mut self, field: &PolicyField<'_>, reason: &str, words: &str, detail: &str) {
        let separator = if detail.is_empty() { "" } else { ": " };
        let message = format!("{words}{separator}{detail}");
        self.0.push(PolicyRejection {
            field: field.path.clone(),
            reason: format!("FieldValue{reason}"),
            message,
        });
    }

    pub(super) fn reject_missing(&mut self, field: &PolicyField<'_>, detail: &str) {
        self.push(field, "Required", "Required value", detail);
    }

    pub(super) fn reject_invalid(&mut self, field: &PolicyField<'_>, detail: &str) {
        self.invalid_value(field, field.json, detail);
    }

    /// Each of these is wrong with the value.
    pub(super) fn reject_each(&mut self, field: &PolicyField<'_>, problems: &[String]) {
        for problem in problems {
            self.reject_invalid(field, problem);
        }
    }

    /// The same for a text that may be unset, which the server shows as an empty one.
    pub(super) fn problems_with(&mut self, field: &PolicyField<'_>, problems: &[String]) {
        for problem in problems {
            self.invalid_value(field, &Json::from(field.text()), problem);
        }
    }

    /// With another value than in the document.
    pub(super) fn invalid_value(&mut self, field: &PolicyField<'_>, value: &Json, detail: &str) {
        self.push(field, "Invalid", &format!("Invalid value: {}", shown(value)), detail);
    }

    /// The server could not make sense of it.
    pub(super) fn reject_internal(&mut self, field: &PolicyField<'_>, detail: &str) {
        let message = format!("Internal error: {detail}");
        self.0.push(PolicyRejection {
            field: field.path.clone(),
            reason: "InternalError".to_owned(),
            message,
        });
    }

    pub(super) fn reject_forbidden(&mut self, field: &PolicyField<'_>, detail: &str) {
        self.push(field, "Forbidden", "Forbidden", detail);
    }

    pub(super) fn reject_duplicate(&mut self, field: &PolicyField<'_>, value: &str) {
        self.push(field, "Duplicate", &format!("Duplicate value: {}", quote_string(value)), "");
    }

    pub(super) fn too_many(&mut self, field: &PolicyField<'_>, count: usize, most: usize) {
        self.push(
            field,
            "TooMany",
            &format!("Too many: {count}"),
            &format!("must have at most {most} items"),
        );
    }

    /// The text must be one of these, which are in order.
    // apimachinery field/errors.go, NotSupported
    pub(super) fn one_of(&mut self, field: &PolicyField<'_>, supported: &[&str]) {
        if supported.contains(&field.text()) {
            return;
        }
        let listed: Vec<String> = supported.iter().map(|it| quote_string(it)).collect();
        let words = format!("Unsupported value: {}", quote_string(field.text()));
        self.push(field, "NotSupported", &words, &format!("supported values: {}", listed.join(", ")));
    }

    /// Takes over what is wrong with a part that is validated for every kind.
    pub(super) fn extend_from(&mut self, failures: Vec<Failure>) {
        self.0.extend(failures.into_iter().map(|failure| {
            let message = failure.to_message();
            let message =
                message.strip_prefix(&format!("{}: ", failure.field)).unwrap_or(&message).to_owned();
            PolicyRejection { field: failure.field, reason: failure.reason, message }
        }));
    }

    // The order of causes is no promise of the API, so both sides are compared sorted.
    pub(super) fn into_sorted(mut self) -> Vec<PolicyRejection> {
        self.0.sort();
        self.0
    }
}
