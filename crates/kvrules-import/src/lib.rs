//! JSON Schema and OpenAPI, restated as the structural schema of a CustomResourceDefinition.
//!
//! A structural schema is a strict form: types and fields are on a spine, alternatives say no more than values, there are
//! no references, and what rules in CEL say has a budget. [`import_document`] writes references out, merges `allOf`, moves what
//! is in branches to the spine, says some keywords by rules, and reports for all that is not exact whether the server
//! will accept more or less. Its result is one that the server accepts, by [`kvrules_cel`]; it never guesses in silence.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_import::{ImportOptions, import_document};
//!
//! let text = "properties: {size: {type: integer, exclusiveMinimum: 0}, name: {const: a}}";
//! let stream = kvrules_syntax::parse_stream(FileId(0), text);
//! let imported = import_document(&stream.documents[0], &ImportOptions::default())?;
//! assert_eq!(imported.schema["properties"]["name"]["enum"][0], "a");
//! assert_eq!(imported.schema["properties"]["size"]["exclusiveMinimum"], true);
//! assert!(imported.notes.is_empty());
//! # Ok::<(), Vec<kvrules_import::ImportProblem>>(())
//! ```

mod accept;
mod definition;
mod emit;
mod known_keywords;
mod note;
mod read;
mod rule_set;
mod shape;
mod source;

use kvrules_diagnostics::Span;
use kvrules_syntax::{Document, ProblemKind};
use serde_json::Value;

pub use definition::{DefinitionNames, InvalidName, build_definition, to_yaml};
pub use note::{ImportNote, ImportNoteKind, ImportProblem, LocatedRule};
pub use rule_set::{
    ImportedForm, ImportedRule, ImportedRuleSet, KeywordRule, ObjectRule, import_definition_rules,
    import_object_rules, import_schema_rules, schema_keyword_rules, version_rule_set,
};

use emit::ShapeEmitter;
use read::SchemaReader;
use shape::{SchemaShape, ValueKinds};

/// Options of the import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The schema that is meant, if there are several: a name in `definitions`, `$defs` or `components.schemas`, or a
    /// version of a definition.
    pub schema: Option<String>,
    /// The field of the resource that the schema describes; none if it describes the resource.
    pub under: Option<String>,
    /// The number of times that a recursive schema is written out in itself before it ends in a schema of every value; `None` to
    /// refuse recursion.
    pub recursion: Option<usize>,
}

/// A structural schema with notes on it.
#[derive(Clone, Debug)]
pub struct ImportedSchema {
    /// The structural schema.
    pub schema: Value,
    /// The parts that are not exact, wrong in the source, or expressed by rules, in the order of the source.
    pub notes: Vec<ImportNote>,
    /// The names that the source gives.
    pub names: DefinitionNames,
}

/// Maximum depth of the recursion; it requires a stack that is large enough.
const DEPTH: usize = 1000;

/// Restates the schema in a document.
///
/// # Errors
///
/// Problems that keep the schema from being read, with locations: syntax, references that are circular or point elsewhere,
/// a schema of no object, or one that is too large.
pub fn import_document(
    document: &Document<'_>,
    options: &ImportOptions,
) -> Result<ImportedSchema, Vec<ImportProblem>> {
    let problems = document.problems().iter().filter(|it| it.kind != ProblemKind::YamlIndentation);
    let broken: Vec<_> = problems.map(|it| ImportProblem::new(it.span, it.describe())).collect();
    if !broken.is_empty() {
        return Err(broken);
    }
    let done = kvrules_cel::stack::with_room(DEPTH, || restate_schema(document, options));
    let failed = || Err(ImportProblem::new(Span::default(), "the schema nests too deep"));
    done.unwrap_or_else(failed).map_err(|problem| vec![problem])
}

fn restate_schema(document: &Document<'_>, options: &ImportOptions) -> Result<ImportedSchema, ImportProblem> {
    let empty = || ImportProblem::new(Span::default(), "the file is empty");
    let root = document.root().ok_or_else(empty)?;
    let chosen = source::choose_schema(root, options.schema.as_deref())?;
    let mut reader = SchemaReader::new(&chosen, options.recursion);
    let shape = reader.schema(chosen.schema)?;
    let shape = match &options.under {
        Some(field) => under_field(field, shape),
        None => shape::intersect_shapes(shape, &SchemaShape::of(ValueKinds::OBJECT, chosen.schema.span())),
    };
    let mut emitter = ShapeEmitter::new(reader.notes);
    let schema = emitter.root(&shape)?;
    let (mut notes, defaults) = (emitter.notes, emitter.defaults);
    let schema = accept::accept_schema(schema, &mut notes, &defaults, chosen.schema.span())?;
    notes.sort_by(|one, other| (one.span, &one.message).cmp(&(other.span, &other.message)));
    Ok(ImportedSchema { schema, notes, names: chosen.names })
}

/// The shape of a resource that has another shape in a field.
fn under_field(field: &str, shape: SchemaShape) -> SchemaShape {
    let mut root = SchemaShape::of(ValueKinds::OBJECT, shape.at);
    root.description.clone_from(&shape.description);
    root.object.required.push(field.to_owned());
    root.object.fields.set(field.to_owned(), std::rc::Rc::new(shape));
    root
}
