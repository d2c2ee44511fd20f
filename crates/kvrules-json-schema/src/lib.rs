//! Checks of JSON Schemas (drafts 4, 6, 7, 2019-09 and 2020-12) and of the schemas in OpenAPI (3.0, 3.1) and Swagger 2.0 documents.
//!
//! `tree` finds every schema of a document with its dialect and resolves references. Each file in `checks` reads that tree and
//! raises its findings; `proof` writes a schema and what it refers to as one small schema in draft 2020-12, which the `jsonschema`
//! crate compares with values and proves contradictory.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_json_schema::{SchemaLanguage, check_schemas, schema_language};
//! use kvrules_syntax::parse_stream;
//!
//! let text = "type: object\nproperties:\n  port: {type: integer, minimum: 9, maximum: 1}\n";
//! let stream = parse_stream(FileId(0), text);
//! let document = &stream.documents[0];
//! assert_eq!(schema_language(document.root().unwrap()), Some(SchemaLanguage::JsonSchema));
//!
//! let checked = check_schemas(document);
//! assert_eq!((checked.schemas, checked.findings.len()), (2, 1));
//! assert_eq!(checked.findings[0].message, "no value satisfies `minimum` and `maximum`");
//! ```

mod bundle;
mod checks;
mod dialect;
mod language;
pub mod lints;
mod proof;
mod references;
mod tree;
mod value_form;

use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::Document;

pub use bundle::{SchemaBundle, bundle_files};
pub use language::{SchemaLanguage, schema_language};
pub use references::ReferenceTargets;

use dialect::detect_dialect;
use tree::SchemaTree;

/// A document after its check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedSchemas {
    /// Language of the document.
    pub language: SchemaLanguage,
    /// Number of schemas in it, inner ones included.
    pub schemas: usize,
    /// The findings, in the order of the text.
    pub findings: Vec<Diagnostic>,
}

/// Returns the findings in a document that is a JSON Schema or an OpenAPI document, and the number of its schemas. A document
/// whose language is not recognized is read as a JSON Schema.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_syntax::parse_stream;
///
/// let stream = parse_stream(FileId(0), r#"{"type": "object", "properties": {"name": {"minLength": -1}}}"#);
/// let checked = kvrules_json_schema::check_schemas(&stream.documents[0]);
/// assert_eq!(checked.findings[0].message, "`minLength` must be a non-negative integer");
/// ```
pub fn check_schemas(document: &Document<'_>) -> CheckedSchemas {
    let Some(root) = document.root() else {
        return CheckedSchemas { language: SchemaLanguage::JsonSchema, schemas: 0, findings: Vec::new() };
    };
    let language = schema_language(root).unwrap_or(SchemaLanguage::JsonSchema);
    let (schemas, mut findings) = match detect_dialect(root) {
        Ok(dialect) => {
            let tree = SchemaTree::read_document(root, language, dialect);
            (tree.sites.len(), checks::find_problems(&tree))
        }
        Err(version) => {
            let message = format!("unknown dialect `{}`: the schemas are not checked", version.text());
            (0, vec![lints::UNCHECKED_SCHEMA.diagnostic_at(version.span(), message)])
        }
    };
    findings.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    findings.dedup_by(|one, other| one.sort_key() == other.sort_key());
    CheckedSchemas { language, schemas, findings }
}
