//! JSON Schemas and OpenAPI documents.

use kvrules_json_schema::{SchemaLanguage, check_schemas, schema_language};
use kvrules_syntax::Node;

use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::source::{ReadContext, Source, add_findings, checkable_documents, find_whole_documents};
use crate::units::{FileContents, Operation, Unit, UnitCount, UnitKind};

pub(crate) static SOURCE: Source = Source { name: "schemas", kinds: &[&JSON_SCHEMA, &OPENAPI], find, check };

static JSON_SCHEMA: UnitKind = UnitKind {
    singular: "JSON Schema",
    plural: "JSON Schemas",
    count: UnitCount::Units,
    subject: "JSON Schemas",
    engine: None,
    operations: OPERATIONS,
};

static OPENAPI: UnitKind = UnitKind {
    singular: "OpenAPI document",
    plural: "OpenAPI documents",
    count: UnitCount::UnitsWithParts("schema"),
    subject: "OpenAPI documents",
    engine: None,
    operations: OPERATIONS,
};

const OPERATIONS: &[Operation] =
    &[Operation::Check, Operation::Compare, Operation::Import, Operation::Restate];

fn find(file: &ParsedFile<'_>, claimed: &[bool]) -> Vec<Unit> {
    find_whole_documents(file, claimed, |index, document| {
        let unit = |root: Node<'_>| {
            let kind = match schema_language(root)? {
                SchemaLanguage::JsonSchema => &JSON_SCHEMA,
                SchemaLanguage::OpenApi => &OPENAPI,
            };
            Some(Unit { kind, span: root.span().first_byte(), parts: 0, document: index })
        };
        document.root().and_then(unit).into_iter().collect()
    })
}

fn check(file: &ParsedFile<'_>, _: &ReadContext<'_>, reading: &mut FileReading) {
    for (index, document) in checkable_documents(file, SOURCE.kinds, reading) {
        let checked = check_schemas(document);
        if let Some(unit) = reading.contents.units.get_mut(index) {
            unit.parts = checked.schemas;
        }
        add_findings(document, checked.findings, reading);
    }
}

impl Unit {
    /// Returns the language of a JSON Schema or an OpenAPI document; `None` for any other unit.
    pub fn schema_language(&self) -> Option<SchemaLanguage> {
        let languages = [(&JSON_SCHEMA, SchemaLanguage::JsonSchema), (&OPENAPI, SchemaLanguage::OpenApi)];
        languages.into_iter().find(|(kind, _)| **kind == *self.kind).map(|(_, language)| language)
    }
}

impl FileContents {
    /// True if there are JSON Schemas or OpenAPI documents in the file.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, detect_contents};
    ///
    /// let text = "type: object\nproperties: {port: {type: integer}}\n";
    /// assert!(detect_contents(&SourceFile::new(FileId(0), "server.yaml", text)).has_json_schemas());
    /// ```
    pub fn has_json_schemas(&self) -> bool {
        self.units.iter().any(|unit| unit.schema_language().is_some())
    }
}
