//! Schemas that the server accepts for a CustomResourceDefinition, and its errors about the others.
//!
//! The checks come in the server's order, each hiding those after it: does the document decode (`decode`), are
//! its keywords allowed (`keywords`), can it be read as a structural schema (`conversion_error`), is it one
//! (`invariants`, `completeness`), and are its `defaults` values that it allows.

mod completeness;
mod decode;
mod defaults;
mod error_reporting;
mod invariants;
mod keywords;
mod lists;
mod options;
mod root;
mod values;

use kvrules_cel::Expressions;
use kvrules_kubernetes::keywords::PRESERVE_UNKNOWN_FIELDS;
use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};
use crate::node::{bool_keyword, child_nodes, is_set, is_zero, value_of};
use crate::server::ServerFeatures;

pub(crate) use decode::{
    collect_unknown_keywords as unknown_keywords, decode_schema as schema_meaning,
    find_decode_error as schema_mistake, have_same_meaning,
};
pub(crate) use lists::{has_loose_keys, has_loose_set};
pub use options::{Leniency, SchemaOptions, StoredExpressions};

/// Errors of a schema apart from those of its rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructuralReport {
    /// The errors, by field, kind and words.
    pub errors: Vec<FieldError>,
    /// True if rules can be checked: the schema could be read as a structural one.
    pub is_structural: bool,
}

/// Checks a schema, the value of `openAPIV3Schema`.
///
/// `prefix` is what the server puts before the fields of errors, `spec.validation` or `spec.versions[0].schema`;
/// `has_status` says whether the version has the status subresource.
///
/// ```
/// use kvrules_apiserver::structural::check_schema;
/// let schema = serde_json::json!({"type": "object", "properties": {"a": {"description": "no type"}}});
/// let report = check_schema(&schema, "spec.validation", false);
/// assert_eq!(report.errors[0].field, "spec.validation.openAPIV3Schema.properties[a].type");
/// assert_eq!(report.errors[0].detail, "must not be empty for specified object fields");
/// ```
pub fn check_schema(schema: &Value, prefix: &str, has_status: bool) -> StructuralReport {
    check_schema_with(schema, prefix, &SchemaOptions::new(has_status))
}

/// Checks a schema with options; see [`check_schema`].
pub fn check_schema_with(schema: &Value, prefix: &str, options: &SchemaOptions) -> StructuralReport {
    check_schema_sharing(schema, prefix, options, &Expressions::default())
}

/// As [`check_schema_with`], with expressions that others have parsed: defaults must satisfy the rules.
// apiextensions validation.go, validateCustomResourceDefinitionValidation
pub fn check_schema_sharing(
    schema: &Value,
    prefix: &str,
    options: &SchemaOptions,
    expressions: &Expressions,
) -> StructuralReport {
    if let Some(detail) = decode::find_decode_error(schema) {
        let error = FieldError::new(ErrorType::BadRequest, "", detail);
        return StructuralReport { errors: vec![error], is_structural: false };
    }
    let path = format!("{prefix}.openAPIV3Schema");
    let mut errors = root::check_root_fields(schema, &path, options.has_status);
    keywords::check_root(schema, &path, options, &mut errors);
    let is_structural = !options.has_leniency(Leniency::NonStructural)
        && structural_errors(schema, &path, options, expressions, &mut errors);
    errors.sort_by(|a, b| {
        (&a.field, a.error_type.cause_name(), &a.detail).cmp(&(
            &b.field,
            b.error_type.cause_name(),
            &b.detail,
        ))
    });
    StructuralReport { errors, is_structural }
}

/// Returns the errors of the defaults of a schema alone; the server checks them if nothing else is wrong.
///
/// See [`check_schema`] for `prefix`.
pub fn check_defaults(
    schema: &Value,
    prefix: &str,
    options: &SchemaOptions,
    expressions: &Expressions,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let pruned = !options.has_leniency(Leniency::UnprunedDefaults);
    defaults::check_root(
        schema,
        &format!("{prefix}.openAPIV3Schema"),
        pruned,
        expressions,
        &options.server,
        &mut errors,
    );
    errors
}

/// True if a schema can be read as a structural one and is one.
// apiextensions validation.go, schemaIsNonStructural
pub(crate) fn is_structural(schema: &Value) -> bool {
    let mut errors = Vec::new();
    if conversion_error(schema).is_none() {
        invariants::check_root(schema, "", &ServerFeatures::default(), &mut errors);
        completeness::check_completeness(schema, "", &mut errors);
        return errors.is_empty();
    }
    false
}

/// True if the defaults of a structural schema have fields that it does not declare.
// apiextensions validation.go, schemaHasUnprunedDefaults, which prunes and compares. A schema that is not structural has
// none, since the server counts an error as no.
pub(crate) fn has_unpruned_defaults(schema: &Value) -> bool {
    let mut errors = Vec::new();
    if is_structural(schema) {
        defaults::check_root(
            schema,
            "",
            true,
            &Expressions::default(),
            &ServerFeatures::default(),
            &mut errors,
        );
    }
    errors.iter().any(|error| error.detail == defaults::UNPRUNED)
}

/// True if a node names an unknown type.
pub(crate) fn is_unknown_type(node: &Value) -> bool {
    keywords::is_unknown_type(node)
}

/// Returns the reason why a schema cannot be read as a structural one, in the server's words; `None` if it can.
pub(crate) fn find_unreadable_reason(schema: &Value) -> Option<String> {
    conversion_error(schema)
}

/// Adds what keeps the schema from being structural; gives whether nothing does.
fn structural_errors(
    schema: &Value,
    path: &str,
    options: &SchemaOptions,
    expressions: &Expressions,
    errors: &mut Vec<FieldError>,
) -> bool {
    if let Some(detail) = conversion_error(schema) {
        // structuralSchemaInitErrs: shown only if nothing else is wrong, since both checks find the same keywords.
        if errors.is_empty() {
            errors.push(FieldError::new(ErrorType::Invalid, path, detail));
        }
        return false;
    }
    let before = errors.len();
    invariants::check_root(schema, path, &options.server, errors);
    completeness::check_completeness(schema, path, errors);
    // An invalid pattern or a missing type keeps the server from validating defaults and rules.
    let has_bad_pattern = errors.iter().any(|error| error.detail.starts_with(keywords::BAD_PATTERN));
    if errors.len() > before || has_bad_pattern {
        return false;
    }
    let pruned = !options.has_leniency(Leniency::UnprunedDefaults);
    defaults::check_root(schema, path, pruned, expressions, &options.server, errors);
    true
}

/// Keywords that no structural schema can hold, with the name the server has for them.
const UNREADABLE: &[(&str, &str)] = &[
    ("id", "id"),
    ("$schema", "schema"),
    ("$ref", "$ref"),
    ("additionalItems", "additionalItems"),
    ("patternProperties", "patternProperties"),
    ("definitions", "definitions"),
    ("dependencies", "dependencies"),
];

/// True if a node is `false` where only `true` or nothing is allowed.
fn refuses_to_preserve(node: &Value) -> bool {
    is_set(node, PRESERVE_UNKNOWN_FIELDS) && !bool_keyword(node, PRESERVE_UNKNOWN_FIELDS)
}

/// Returns the reason why a schema cannot be read as a structural one.
// apiextensions-apiserver schema/convert.go, NewStructural
fn conversion_error(schema: &Value) -> Option<String> {
    let present = |keyword: &str| value_of(schema, keyword).is_some_and(|value| !is_zero(value));
    let mut keywords = schema.as_object().into_iter().flatten();
    let may_be_unreadable = |(keyword, value): (&String, &Value)| {
        UNREADABLE.iter().any(|(known, _)| keyword == known)
            || keyword == PRESERVE_UNKNOWN_FIELDS
            || (keyword == "items" && value.is_array())
    };
    // Fast path: most nodes have none of these keywords.
    if keywords.any(may_be_unreadable) {
        if let Some((_, name)) = UNREADABLE.iter().find(|(keyword, _)| present(keyword)) {
            return Some(format!("OpenAPIV3Schema '{name}' is not supported"));
        }
        if refuses_to_preserve(schema) {
            return Some(format!("internal error: '{PRESERVE_UNKNOWN_FIELDS}' must be true or undefined"));
        }
        if value_of(schema, "items").is_some_and(Value::is_array) {
            return Some("OpenAPIV3Schema 'items' must be a schema and not an array".to_owned());
        }
    }
    child_nodes(schema).find_map(|(_, below)| conversion_error(below))
}
