//! JSON Schemas and OpenAPI documents.

use kvrules_syntax::Node;

use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source, find_whole_documents};
use crate::units::{Operation, Unit, UnitCount, UnitKind, start_span};

pub(crate) static SOURCE: Source = Source { name: "schemas", kinds: &[&JSON_SCHEMA, &OPENAPI], find, check };

static JSON_SCHEMA: UnitKind = UnitKind {
    singular: "JSON Schema",
    plural: "JSON Schemas",
    count: UnitCount::Units,
    subject: "JSON Schemas",
    operations: OPERATIONS,
};

static OPENAPI: UnitKind = UnitKind {
    singular: "OpenAPI document",
    plural: "OpenAPI documents",
    count: UnitCount::Units,
    subject: "OpenAPI documents",
    operations: OPERATIONS,
};

const OPERATIONS: &[Operation] = &[Operation::Compare, Operation::Import];

fn find(file: &ParsedFile<'_>, claimed: &[bool]) -> Vec<Unit> {
    find_whole_documents(file, claimed, |index, document| {
        let unit = |root: Node<'_>| {
            let kind = schema_kind(root)?;
            Some(Unit { kind, span: start_span(root.span()), parts: 0, document: index })
        };
        document.root().and_then(unit).into_iter().collect()
    })
}

fn check(_: &ParsedFile<'_>, _: &ReadContext<'_>, _: &mut FileReading) {}

/// The kind of a document that is a schema beyond doubt; none for any other. A file that only refers to a schema by
/// `$schema`, as configurations do, is none.
fn schema_kind(root: Node<'_>) -> Option<&'static UnitKind> {
    let is_object = root.get("kind").is_some() && root.get("apiVersion").is_some();
    let version = |key: &str| root.get(key).is_some_and(|version| !version.is_map() && !version.is_list());
    let parts = ["paths", "components", "definitions", "webhooks", "info"];
    if (version("openapi") || version("swagger")) && parts.iter().any(|part| root.get(part).is_some()) {
        return Some(&OPENAPI);
    }
    let names_draft = root.get("$schema").is_some_and(|draft| draft.text().contains("json-schema.org"));
    let describes = root.get("type").is_some_and(|kind| kind.text() == "object")
        && root.get("properties").is_some_and(|all| all.entries().any(|entry| entry.value.is_map()));
    (!is_object && (names_draft || describes)).then_some(&JSON_SCHEMA)
}
