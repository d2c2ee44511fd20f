//! Emitted JSON Schemas of definitions with generated objects and verdicts, for other implementations of JSON Schema.

use kvrules::{FileId, SourceFile};
use kvrules_apiserver::definition::ResourceVersion;
use kvrules_emit::resource_schema::{
    OptionalNulls, ResourceSchemaOptions, UnknownFields, convert_resource, set_name,
};
use kvrules_emit::schema::Dialect;
use kvrules_generate::ObjectGenerator;
use kvrules_syntax::parse_stream;
use kvrules_syntax::value::ValueReader;
use serde_json::{Value, json};

/// Number of objects for each schema, half of them meant to be valid.
const OBJECTS: usize = 100;

/// The schemas of the definitions in a text, each once, as lines of JSON: `schema`, `objects`, and in `accepted` the verdicts of the
/// crate `jsonschema`. Open and closed schemas alternate, from `number`.
///
/// # Errors
///
/// The text has no value, or a schema is invalid for `jsonschema`.
pub fn schema_verdicts(file: &SourceFile, number: usize) -> Result<Vec<Value>, String> {
    let stream = parse_stream(FileId(0), file.text());
    let mut versions: Vec<ResourceVersion> = Vec::new();
    for root in stream.documents.iter().filter_map(kvrules_syntax::Document::root) {
        let value = ValueReader::for_kubernetes()
            .read_value(root)
            .map_err(|_| format!("{}: a document has no value", file.name()))?;
        for version in ResourceVersion::of_definition(&value) {
            if !versions.iter().any(|known| known.schema == version.schema) {
                versions.push(version);
            }
        }
    }
    versions.iter().enumerate().map(|(index, version)| verdicts_of(version, number + index)).collect()
}

fn verdicts_of(version: &ResourceVersion, number: usize) -> Result<Value, String> {
    let (unknown_fields, nulls) = if number.is_multiple_of(2) {
        (UnknownFields::Accept, OptionalNulls::Accept)
    } else {
        (UnknownFields::Reject, OptionalNulls::Reject)
    };
    let options = ResourceSchemaOptions { dialect: Dialect::JsonSchema202012, unknown_fields, nulls };
    let schema = convert_resource(version, options).schema;
    let name = set_name(version);
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(false)
        .build(&schema)
        .map_err(|error| format!("{name}: invalid schema: {error}"))?;
    let mut generator = ObjectGenerator::new(&version.schema);
    let mut generate = |index: usize| {
        let is_valid = index.is_multiple_of(2);
        let mut object =
            if is_valid { generator.generate_valid(index) } else { generator.generate_object(index) };
        add_head(&mut object, version);
        object
    };
    let objects: Vec<Value> = (0..OBJECTS).map(&mut generate).collect();
    let accepted: Vec<bool> = objects.iter().map(|object| validator.is_valid(object)).collect();
    Ok(json!({"name": name, "schema": schema, "objects": objects, "accepted": accepted}))
}

/// The fields that every resource has.
fn add_head(object: &mut Value, version: &ResourceVersion) {
    let Some(fields) = object.as_object_mut() else { return };
    fields.insert("apiVersion".to_owned(), version.api_version().into());
    fields.insert("kind".to_owned(), version.kind.clone().into());
    fields.insert("metadata".to_owned(), json!({"name": "example"}));
}
