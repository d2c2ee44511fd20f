//! Schemas in JSON Schema and OpenAPI as units: the root of a document, or each of its definitions.

use kvrules_diagnostics::SourceFile;
use kvrules_json_schema::ReferenceTargets;
use kvrules_sources::SchemaLanguage;
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Node, pointer};

use super::{ComparableUnit, SideFile, UnitContent, UnreadableError};
use crate::json_schema::SchemaSource;

/// A schema in JSON Schema or OpenAPI.
#[derive(Debug)]
pub struct PlainSchema {
    /// The schema.
    pub source: SchemaSource,
    /// The reference that other schemas of the document name it by; empty for the root.
    pub reference: String,
    /// Index of its document in the text, from 0.
    pub(super) number: usize,
}

/// The schemas of a document: each schema of an OpenAPI document, else the root, or each definition if the root has
/// no constraints.
pub(super) fn read_units(
    source: &SourceFile,
    number: usize,
    root: Node<'_>,
    language: SchemaLanguage,
) -> Result<Vec<ComparableUnit>, UnreadableError> {
    let document = ValueReader::for_yaml12()
        .read_value(root)
        .map_err(|error| UnreadableError::at_offset(source, error.span.start, error.message))?;
    let document = ReferenceTargets::of_document(root).localize_document(root, &document);
    let lists: &[&[&str]] = match language {
        SchemaLanguage::OpenApi => &[&["components", "schemas"], &["definitions"]],
        SchemaLanguage::JsonSchema if is_about_something(root) => &[],
        SchemaLanguage::JsonSchema => &[&["$defs"], &["definitions"]],
    };
    let mut found = Vec::new();
    for list in lists {
        let map = list.iter().try_fold(root, |at, key| at.get(key));
        for entry in map.into_iter().flat_map(Node::entries) {
            let name = entry.key.text().to_owned();
            let steps = list.iter().copied().map(str::to_owned).chain([pointer::escape_step(&name)]);
            let place: String = steps.flat_map(|step| ["/".to_owned(), step]).collect();
            found.push((name, place, entry.key.span().start));
        }
    }
    if found.is_empty() && language == SchemaLanguage::JsonSchema {
        found.push((name_of(source, root), String::new(), root.span().start));
    }
    let pointers: Vec<String> = found.iter().map(|(_, place, _)| place.clone()).collect();
    let sources = SchemaSource::from_pointers(&document, &pointers);
    let unit = |((name, place, at), schema): ((String, String, u32), SchemaSource)| {
        check_references(source, root, &schema)?;
        let reference = if place.is_empty() { place } else { format!("#{place}") };
        Ok(ComparableUnit {
            name,
            content: UnitContent::JsonSchema(Box::new(PlainSchema { source: schema, reference, number })),
            at,
        })
    };
    found.into_iter().zip(sources).map(unit).collect()
}

/// True if the root itself constrains values.
fn is_about_something(root: Node<'_>) -> bool {
    let beside = ["$schema", "$id", "id", "$defs", "definitions", "title", "description", "$comment"];
    root.entries().any(|entry| !beside.contains(&entry.key.text()))
}

/// The title, else the name of the file.
fn name_of(source: &SourceFile, root: Node<'_>) -> String {
    let title = root.get("title").and_then(Node::as_str).map(str::trim).filter(|title| !title.is_empty());
    let file = || source.name().rsplit(['/', '\\', ':']).next().unwrap_or_default().to_owned();
    title.map_or_else(file, str::to_owned)
}

/// Every reference must lead somewhere.
fn check_references(
    source: &SourceFile,
    root: Node<'_>,
    schema: &SchemaSource,
) -> Result<(), UnreadableError> {
    let Some((reference, place)) = schema.dangling_reference() else { return Ok(()) };
    let at = super::locate::find_node(root, &place).span().start;
    let is_here = reference.starts_with('#');
    let what = if is_here { "points to nothing" } else { "points to another document" };
    let help = (!is_here).then(|| {
        "only references within the document are followed; bundle the schemas into one file".to_owned()
    });
    Err(UnreadableError {
        help,
        ..UnreadableError::at_offset(source, at, format!("the reference `{reference}` {what}"))
    })
}

/// True if one of the schemas of a text, which are compared by themselves, is named by a reference.
pub(super) fn refers_to_schema(part: &SideFile, reference: &str) -> bool {
    part.units.iter().any(
        |unit| matches!(&unit.content, UnitContent::JsonSchema(schema) if !reference.is_empty() && schema.reference == reference),
    )
}
