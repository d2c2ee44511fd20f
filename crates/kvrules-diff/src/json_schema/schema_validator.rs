//! Validates values with the `jsonschema` crate: draft 2020-12, formats checked.

use std::collections::BTreeSet;

use jsonschema::Validator;
use jsonschema::paths::LocationSegment;
use kvrules_syntax::pointer::unescape_step;
use serde_json::{Map, Value, json};

use crate::schema::{ObjectStep, path_text};

/// A compiled schema that validates values.
#[derive(Debug)]
pub struct SchemaValidator(Validator);

/// Reason why no validator accepts a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSchema {
    /// Location in the document.
    pub place: Vec<String>,
    /// Reason, in a sentence.
    pub message: String,
}

/// One reason to refuse a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRefusal {
    /// Location in the value.
    pub path: Vec<ObjectStep>,
    /// Cause of the rejection: the last two steps to it in the schema, a keyword or what is below one.
    pub by: Vec<String>,
    /// Reason, in a few words.
    pub text: String,
}

impl ValueRefusal {
    /// The reason with its place.
    pub fn to_message(&self) -> String {
        let at = path_text(&self.path);
        if at.is_empty() { self.text.clone() } else { format!("{at}: {}", self.text) }
    }
}

impl SchemaValidator {
    /// Makes the schema at a place of a document ready, or says why no validator takes it.
    pub(super) fn new(document: &Value, pointer: &str) -> Result<Self, InvalidSchema> {
        let schema = cut_out(document, pointer);
        jsonschema::draft202012::options()
            .should_validate_formats(true)
            .offline()
            .build(&schema)
            .map(Self)
            .map_err(|error| schema_error(&error))
    }

    /// True if the validator accepts a value.
    pub fn accepts_value(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Returns the reasons why the validator rejects a value; empty if it accepts it.
    pub fn find_refusals(&self, value: &Value) -> Vec<ValueRefusal> {
        self.0.iter_errors(value).map(|error| to_refusal(&error)).collect()
    }
}

fn schema_error(error: &jsonschema::ValidationError<'_>) -> InvalidSchema {
    let place: Vec<String> = error.instance_path().as_str().split('/').skip(1).map(unescape_step).collect();
    let message = match (place.last().map(String::as_str), error.instance().as_str()) {
        (Some("type"), Some(name)) => {
            format!(
                "unknown type `{name}`; known types are string, number, integer, boolean, object, array and null"
            )
        }
        _ => format!("no validator accepts this schema: {error}"),
    };
    InvalidSchema { place, message }
}

fn to_refusal(error: &jsonschema::ValidationError<'_>) -> ValueRefusal {
    let step = |segment: LocationSegment<'_>| match segment {
        LocationSegment::Property(name) => ObjectStep::Field(name.to_string()),
        LocationSegment::Index(index) => ObjectStep::Item(index),
    };
    let path = error.instance_path().segments().map(step).collect();
    let by: Vec<&str> = error.schema_path().as_str().rsplit('/').take(2).collect();
    ValueRefusal { path, by: by.into_iter().map(unescape_step).collect(), text: error.to_string() }
}

/// A document with the schemas that one of them needs, and no others: documents have hundreds.
pub(super) fn cut_out(document: &Value, pointer: &str) -> Value {
    if pointer.is_empty() {
        return document.clone();
    }
    let mut made = json!({"$ref": format!("#{pointer}")});
    let (mut open, mut seen) = (vec![pointer.to_owned()], BTreeSet::new());
    while let Some(pointer) = open.pop() {
        let path = unit_of(&pointer);
        if !seen.insert(path.clone()) {
            continue;
        }
        let found = path.iter().try_fold(document, |at, token| at.get(token));
        let Some(found) = found else { continue };
        set_value(&mut made, &path, found);
        collect_references(found, &mut |reference| {
            open.extend(reference.strip_prefix('#').map(str::to_owned));
        });
    }
    made
}

/// The part of a document that is taken whole for what a reference points into: a definition, or all under a key.
fn unit_of(pointer: &str) -> Vec<String> {
    let tokens: Vec<String> = pointer.split('/').skip(1).map(unescape_step).collect();
    let length = match tokens.first().map(String::as_str) {
        Some("components") => 3,
        Some("definitions" | "$defs") => 2,
        _ => 1,
    };
    tokens.into_iter().take(length).collect()
}

fn collect_references(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found(reference);
            }
            fields.values().for_each(|below| collect_references(below, found));
        }
        Value::Array(parts) => parts.iter().for_each(|below| collect_references(below, found)),
        _ => {}
    }
}

fn set_value(made: &mut Value, path: &[String], value: &Value) {
    let (Some((first, rest)), Some(fields)) = (path.split_first(), made.as_object_mut()) else { return };
    if rest.is_empty() {
        fields.insert(first.clone(), value.clone());
        return;
    }
    set_value(fields.entry(first.clone()).or_insert_with(|| Value::Object(Map::new())), rest, value);
}
