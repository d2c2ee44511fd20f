//! Places in a document, and the texts of what is wrong with them.

use serde_json::Value as Json;

use super::Refusal;
use crate::go_text::quote;

/// A place in a document with what stands there.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    path: String,
    json: &'a Json,
}

impl<'a> Field<'a> {
    pub(super) fn root(json: &'a Json) -> Self {
        Self { path: String::new(), json }
    }

    pub(super) fn child(&self, name: &str) -> Self {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Self { path, json: self.json.get(name).unwrap_or(&Json::Null) }
    }

    /// The elements of a list below this place.
    pub(super) fn items(&self, name: &str) -> Vec<Self> {
        let list = self.child(name);
        let items = list.json.as_array().map(Vec::as_slice).unwrap_or_default();
        let item = |(index, json)| Self { path: format!("{}[{index}]", list.path), json };
        items.iter().enumerate().map(item).collect()
    }

    /// The fields of an object here.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a String, &'a Json)> {
        self.json.as_object().into_iter().flatten()
    }

    pub(super) fn is_there(&self) -> bool {
        !self.json.is_null()
    }

    /// The text here; empty when there is none.
    pub(super) fn text(&self) -> &'a str {
        self.json.as_str().unwrap_or_default()
    }
}

/// Refuses an empty text; whether there is one.
pub(super) fn required(field: &Field<'_>, refusals: &mut Refusals) -> bool {
    let there = !field.text().is_empty();
    if !there {
        refusals.required(field, "");
    }
    there
}

/// What is wrong so far.
#[derive(Default)]
pub(super) struct Refusals(Vec<Refusal>);

impl Refusals {
    fn push(&mut self, field: &Field<'_>, reason: &str, words: &str, detail: &str) {
        let separator = if detail.is_empty() { "" } else { ": " };
        let message = format!("{words}{separator}{detail}");
        self.0.push(Refusal { field: field.path.clone(), reason: format!("FieldValue{reason}"), message });
    }

    pub(super) fn required(&mut self, field: &Field<'_>, detail: &str) {
        self.push(field, "Required", "Required value", detail);
    }

    pub(super) fn invalid(&mut self, field: &Field<'_>, detail: &str) {
        self.invalid_value(field, field.json, detail);
    }

    /// Each of these is wrong with the value.
    pub(super) fn problems(&mut self, field: &Field<'_>, problems: &[String]) {
        for problem in problems {
            self.invalid(field, problem);
        }
    }

    /// With another value than stands there.
    pub(super) fn invalid_value(&mut self, field: &Field<'_>, value: &Json, detail: &str) {
        let shown = match value {
            Json::String(text) => quote(text),
            other => other.to_string(),
        };
        self.push(field, "Invalid", &format!("Invalid value: {shown}"), detail);
    }

    /// The server could not make sense of it.
    pub(super) fn internal(&mut self, field: &Field<'_>, detail: &str) {
        let message = format!("Internal error: {detail}");
        self.0.push(Refusal { field: field.path.clone(), reason: "InternalError".to_owned(), message });
    }

    pub(super) fn forbidden(&mut self, field: &Field<'_>, detail: &str) {
        self.push(field, "Forbidden", "Forbidden", detail);
    }

    pub(super) fn duplicate(&mut self, field: &Field<'_>, value: &str) {
        self.push(field, "Duplicate", &format!("Duplicate value: {}", quote(value)), "");
    }

    pub(super) fn too_many(&mut self, field: &Field<'_>, count: usize, most: usize) {
        self.push(
            field,
            "TooMany",
            &format!("Too many: {count}"),
            &format!("must have at most {most} items"),
        );
    }

    /// The text must be one of these, which are in order.
    pub(super) fn one_of(&mut self, field: &Field<'_>, supported: &[&str]) {
        if supported.contains(&field.text()) {
            return;
        }
        let listed: Vec<String> = supported.iter().map(|it| quote(it)).collect();
        let words = format!("Unsupported value: {}", quote(field.text()));
        self.push(field, "NotSupported", &words, &format!("supported values: {}", listed.join(", ")));
    }

    pub(super) fn sorted(mut self) -> Vec<Refusal> {
        self.0.sort();
        self.0
    }
}
