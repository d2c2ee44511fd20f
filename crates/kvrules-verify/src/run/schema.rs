//! JSON Schemas, run by the `jsonschema` crate as draft 2020-12.

use jsonschema::Validator;
use kvrules_emit::OutputFile;
use serde_json::Value;

use super::translate::{SchemaOrigin, translate_schema};
use super::{RunError, documents, lines};
use crate::claims::ObjectVerdict;
use crate::synthesise::SizeLimits;

/// Schemas, all of which an object must satisfy.
#[derive(Debug)]
pub(crate) struct Schemas {
    validators: Vec<Validator>,
    lines: SizeLimits,
}

impl Schemas {
    /// The schema at a pointer in each file.
    pub(super) fn new(files: &[OutputFile], pointer: &str) -> Result<Self, RunError> {
        let documents = documents::parse_documents(files)?;
        let mut schemas = Self { validators: Vec::new(), lines: SizeLimits::default() };
        for document in &documents {
            if let Some(schema) = documents::value_at_pointer(document, pointer) {
                let schema = lines::drawn_near(schema);
                schemas.validators.push(compile_schema(&schema, SchemaOrigin::of(document))?);
                lines::collect_lines(&schema, &mut schemas.lines);
            }
        }
        if schemas.validators.is_empty() {
            return Err(RunError(format!("no file has a schema at `{pointer}`")));
        }
        Ok(schemas)
    }

    /// The lines that the schemas draw.
    pub(super) fn lines(&self) -> SizeLimits {
        self.lines.clone()
    }

    /// A schema can only reject.
    pub(super) fn object_verdict(&self, object: &Value) -> ObjectVerdict {
        ObjectVerdict { rejects: !self.validators.iter().all(|schema| schema.is_valid(object)), warns: false }
    }
}

/// The validator of the schema at a pointer in the only file. Formats are not checked, as the dialect has it.
pub(crate) fn schema_in_files(files: &[OutputFile], pointer: &str) -> Result<Validator, RunError> {
    let documents = documents::parse_documents(files)?;
    let found = documents.iter().find_map(|it| Some((it, documents::value_at_pointer(it, pointer)?)));
    let Some((document, schema)) = found else {
        return Err(RunError(format!("no file has a schema at `{pointer}`")));
    };
    let schema = translate_schema(schema, SchemaOrigin::of(document));
    let built = jsonschema::draft202012::options().should_validate_formats(false).build(&schema);
    built.map_err(|error| RunError(format!("the schema cannot be used: {error}")))
}

/// A validator of a JSON Schema that stands by itself.
pub(crate) fn json_schema(schema: &Value) -> Result<Validator, RunError> {
    compile_schema(schema, SchemaOrigin::JsonSchema)
}

/// A validator of a schema.
pub(super) fn compile_schema(schema: &Value, origin: SchemaOrigin) -> Result<Validator, RunError> {
    let schema = translate_schema(schema, origin);
    jsonschema::draft202012::new(&schema).map_err(|error| match error.instance().as_str() {
        Some(pattern) if is_large(pattern) => RunError::too_large(),
        _ => RunError(format!("the schema cannot be used: {error}")),
    })
}

/// The engine of `jsonschema` refuses expressions that take more bytes than this.
const ENGINE_LIMIT: usize = 10 << 20;

/// It refuses deeper nesting too, at 250 levels of its own, of which a group and its repetition are two.
const ENGINE_DEPTH: usize = 120;

/// The greatest number of parentheses within one another; escaped ones are few enough to be counted too.
fn group_depth(pattern: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in pattern.bytes() {
        match byte {
            b'(' => open += 1,
            b')' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// True if a string is an expression of ECMA-262, as emitters write it, that is too large for the engine.
fn is_large(pattern: &str) -> bool {
    let go = pattern.replace(r"\u{", r"\x{");
    kvrules_regex::compile_matcher(&go)
        .is_ok_and(|matcher| matcher.byte_size() > ENGINE_LIMIT || group_depth(&go) > ENGINE_DEPTH)
}
