//! A document that contains a schema, and the resolution of references.

use std::rc::Rc;

use kvrules_kubernetes::keywords::SchemaDialect;
use kvrules_syntax::pointer::unescape_step;
use serde_json::Value;

use super::adapt;
use super::schema_validator::{InvalidSchema, SchemaValidator, cut_out};

/// A schema with the document that its references point into.
#[derive(Clone, Debug)]
pub struct SchemaSource {
    pub(super) document: Rc<Value>,
    /// The schema in it, as a JSON pointer.
    pub(super) pointer: String,
}

/// A part of a schema, and where in the document it is written.
#[derive(Clone, Debug)]
pub(super) struct SchemaPart<'s> {
    pub(super) value: &'s Value,
    pub(super) place: Vec<String>,
}

impl SchemaSource {
    /// The schemas of a document at some places, given as JSON pointers.
    pub fn from_pointers(document: &Value, pointers: &[String]) -> Vec<Self> {
        let adapted = Rc::new(adapt::adapt_document(document, SchemaDialect::of_document(document)));
        let source = |pointer: &String| Self { document: Rc::clone(&adapted), pointer: pointer.clone() };
        pointers.iter().map(source).collect()
    }

    /// The document, with the keywords of draft 2020-12.
    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    /// The JSON pointer to the schema in the document.
    pub(crate) fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The schema, ready to evaluate values; or why no validator takes it.
    pub fn build_validator(&self) -> Result<SchemaValidator, InvalidSchema> {
        SchemaValidator::new(&self.document, &self.pointer)
    }

    /// Returns the schema as a document of its own.
    pub fn to_document(&self) -> Value {
        cut_out(&self.document, &self.pointer)
    }

    /// The first reference that points to nothing in the document, with its place.
    pub fn dangling_reference(&self) -> Option<(String, Vec<String>)> {
        let root = self.root_part()?;
        find_dangling(self, root.value, &mut root.place.clone())
    }

    pub(super) fn root_part(&self) -> Option<SchemaPart<'_>> {
        self.part_at(&self.pointer)
    }

    fn part_at(&self, pointer: &str) -> Option<SchemaPart<'_>> {
        let place: Vec<String> = pointer.split('/').skip(1).map(unescape_step).collect();
        let value = place.iter().try_fold(&*self.document, |at, token| match at {
            Value::Array(parts) => parts.get(token.parse::<usize>().ok()?),
            other => other.get(token),
        })?;
        Some(SchemaPart { value, place })
    }

    /// Returns the target of a reference.
    pub(super) fn resolve_reference(&self, reference: &str) -> Option<SchemaPart<'_>> {
        let pointer = reference.strip_prefix('#')?;
        if pointer.is_empty() || pointer.starts_with('/') {
            return self.part_at(pointer);
        }
        // The reference may be to the `$anchor` of a definition.
        ["$defs", "definitions"].into_iter().find_map(|list| {
            let all = self.document.get(list)?.as_object()?;
            let (name, value) = all
                .iter()
                .find(|(_, value)| value.get("$anchor").and_then(Value::as_str) == Some(pointer))?;
            Some(SchemaPart { value, place: vec![list.to_owned(), name.clone()] })
        })
    }
}

impl<'s> SchemaPart<'s> {
    /// The part some tokens below.
    pub(super) fn part_below(&self, tokens: &[&str], value: &'s Value) -> Self {
        let tokens = tokens.iter().map(|token| (*token).to_owned());
        Self { value, place: self.place.iter().cloned().chain(tokens).collect() }
    }
}

fn find_dangling(
    source: &SchemaSource,
    value: &Value,
    place: &mut Vec<String>,
) -> Option<(String, Vec<String>)> {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref")
                && source.resolve_reference(reference).is_none()
            {
                return Some((reference.clone(), [place.as_slice(), &["$ref".to_owned()]].concat()));
            }
            fields.iter().filter(|(key, _)| !DATA.contains(&key.as_str())).find_map(|(key, below)| {
                place.push(key.clone());
                let found = find_dangling(source, below, place);
                place.pop();
                found
            })
        }
        Value::Array(parts) => parts.iter().enumerate().find_map(|(index, below)| {
            place.push(index.to_string());
            let found = find_dangling(source, below, place);
            place.pop();
            found
        }),
        _ => None,
    }
}

/// Keywords whose values are not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "example", "examples"];
