//! Keywords that are refused wherever they stand, and values that keywords must have.

use std::collections::HashSet;

use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, PRESERVE_UNKNOWN_FIELDS};
use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use super::error_reporting::{ReportError, supported_values};
use super::lists;
use super::options::{Leniency, SchemaOptions};
use crate::node::{
    SchemaPath, SchemaStep, array_elements, bool_keyword, branch_nodes, has_keyword, is_set, is_zero,
    object_entries, schema_keyword, text_keyword, value_of,
};

/// The types a schema may name.
// apiextensions validation.go, openapiV3Types
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// Fields of every resource, which the server fills in itself.
// apiextensions validation.go, metaFields
const META_FIELDS: &[&str] = &["metadata", "kind", "apiVersion"];

/// Context of a node.
#[derive(Clone, Debug, Default)]
struct KeywordContext {
    is_root: bool,
    /// Inside of the metadata of a resource, or in its kind or version.
    in_meta: bool,
    /// Reason why no default is allowed here.
    no_default: Option<String>,
}

/// The errors of the whole schema.
pub(super) fn check_root(schema: &Value, path: &str, options: &SchemaOptions, errors: &mut Vec<FieldError>) {
    let root = KeywordContext { is_root: true, ..KeywordContext::default() };
    let mut walk = KeywordWalk { options, errors, sound_patterns: HashSet::new() };
    walk.check_node(schema, &SchemaPath::root(path), &root);
}

struct KeywordWalk<'v, 'e> {
    options: &'e SchemaOptions,
    errors: &'e mut Vec<FieldError>,
    /// Patterns that were parsed without an error. Large schemas have few of them many times.
    sound_patterns: HashSet<&'v str>,
}

impl<'v> KeywordWalk<'v, '_> {
    fn check_node(&mut self, node: &'v Value, path: &SchemaPath<'_>, place: &KeywordContext) {
        let Self { options, errors, sound_patterns } = self;
        let mut refuse = |error_type, step: &str, detail: String| {
            errors.push(FieldError::new(error_type, format!("{path}.{step}"), detail));
        };
        // Fast path: most nodes have none of these keywords.
        if has_keyword(node, may_be_refused) {
            refused_keywords(node, place, &mut refuse);
            if super::refuses_to_preserve(node) {
                refuse(ErrorType::Invalid, PRESERVE_UNKNOWN_FIELDS, "must be true or undefined".to_owned());
            }
        }
        check_type(node, options, &mut refuse);
        check_pattern(node, sound_patterns, &mut refuse);
        if has_keyword(node, lists::is_list_keyword) {
            lists::check_list_type(node, options, &mut refuse);
        }
        for_each_child(node, place, &mut |step, child, place| {
            self.check_node(child, &path.join(step), place);
        });
    }
}

/// True for the keywords without which [`refused_keywords`] and the check of [`PRESERVE_UNKNOWN_FIELDS`] find nothing.
fn may_be_refused(keyword: &str) -> bool {
    matches!(
        keyword,
        "default"
            | "items"
            | "additionalProperties"
            | PRESERVE_UNKNOWN_FIELDS
            | EMBEDDED_RESOURCE
            | "uniqueItems"
            | "id"
            | "patternProperties"
            | "definitions"
            | "additionalItems"
            | "dependencies"
            | "$ref"
    )
}

// apiextensions validation.go, (*specStandardValidatorV3).validate, and the start of
// ValidateCustomResourceDefinitionOpenAPISchema
fn refused_keywords(node: &Value, place: &KeywordContext, refuse: &mut ReportError<'_>) {
    if let Some(reason) = place.no_default.as_ref().filter(|_| is_set(node, "default")) {
        refuse(ErrorType::Forbidden, "default", format!("must not be set {reason}"));
    }
    for keyword in ["id", "patternProperties", "definitions"] {
        if value_of(node, keyword).is_some_and(|value| !is_zero(value)) {
            refuse(ErrorType::Forbidden, keyword, format!("{keyword} is not supported"));
        }
    }
    // These are pointers or maps in Go, so they count even if they are empty, unlike those above.
    for keyword in ["additionalItems", "dependencies", "$ref"] {
        if is_set(node, keyword) {
            refuse(ErrorType::Forbidden, keyword, format!("{keyword} is not supported"));
        }
    }
    if value_of(node, "items").is_some_and(Value::is_array) {
        refuse(ErrorType::Forbidden, "items", "items must be a schema object and not an array".to_owned());
    }
    if bool_keyword(node, "uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        refuse(ErrorType::Forbidden, "uniqueItems", detail.to_owned());
    }
    let values = value_of(node, "additionalProperties").filter(|values| !values.is_null());
    // `properties` describes a struct and `additionalProperties` a map; with both, unknown fields of a struct would
    // not be pruned.
    let has_properties = object_entries(node, "properties").next().is_some();
    if has_properties && values.is_some_and(|values| values.as_bool() != Some(true)) {
        let detail = "additionalProperties and properties are mutual exclusive";
        refuse(ErrorType::Forbidden, "additionalProperties", detail.to_owned());
    }
    if place.in_meta && bool_keyword(node, EMBEDDED_RESOURCE) {
        let detail = "must not be used inside of resource meta";
        refuse(ErrorType::Forbidden, EMBEDDED_RESOURCE, detail.to_owned());
    }
}

fn check_type(node: &Value, options: &SchemaOptions, refuse: &mut ReportError<'_>) {
    let ty = text_keyword(node, "type");
    if !options.has_leniency(Leniency::UnknownTypes) && is_unknown_type(node) {
        refuse(ErrorType::NotSupported, "type", supported_values(TYPES));
    }
    if ty == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        refuse(ErrorType::Forbidden, "type", detail.to_owned());
    }
}

// apiextensions schema/validation.go, validateValueValidation
fn check_pattern<'v>(node: &'v Value, sound: &mut HashSet<&'v str>, refuse: &mut ReportError<'_>) {
    let pattern = text_keyword(node, "pattern");
    if pattern.is_empty() || sound.contains(pattern) {
        return;
    }
    match kvrules_regex::parse(pattern) {
        Ok(_) => _ = sound.insert(pattern),
        Err(error) => {
            let detail = format!("{BAD_PATTERN}, but isn't: {}", error.go_text());
            refuse(ErrorType::Invalid, "pattern", detail);
        }
    }
}

/// Start of the server's message about a pattern.
pub(super) const BAD_PATTERN: &str = "must be a valid regular expression";

/// True if a node names an unknown type.
pub(super) fn is_unknown_type(node: &Value) -> bool {
    let ty = text_keyword(node, "type");
    !ty.is_empty() && !TYPES.contains(&ty)
}

/// Calls a function with each node below a node.
fn for_each_child<'v>(
    node: &'v Value,
    place: &KeywordContext,
    visit: &mut dyn FnMut(SchemaStep<'_>, &'v Value, &KeywordContext),
) {
    let inner = KeywordContext { is_root: false, ..place.clone() };
    let is_resource = place.is_root || bool_keyword(node, EMBEDDED_RESOURCE);
    for (name, child) in object_entries(node, "properties") {
        if is_resource && META_FIELDS.contains(&name.as_str()) {
            // apiextensions validation.go, withForbiddenDefaults: an inner reason replaces an outer one.
            let no_default = place.is_root.then(|| format!("in top-level {name}"));
            let no_default = no_default.or_else(|| inner.no_default.clone());
            visit(
                SchemaStep::Property(name),
                child,
                &KeywordContext { is_root: false, in_meta: true, no_default },
            );
        } else {
            visit(SchemaStep::Property(name), child, &inner);
        }
    }
    if let Some(values) = schema_keyword(node, "additionalProperties") {
        let step = SchemaStep::Keyword("additionalProperties");
        // Without a value to look at, what pruning would leave of such a default is ambiguous.
        if place.in_meta {
            let reason = "inside additionalProperties applying to object metadata".to_owned();
            visit(step, values, &KeywordContext { no_default: Some(reason), ..inner.clone() });
        } else {
            visit(step, values, &inner);
        }
    }
    if let Some(items) = schema_keyword(node, "items") {
        visit(SchemaStep::Keyword("items"), items, &inner);
    }
    let items =
        array_elements(node, "items").map(|(index, child)| (SchemaStep::Element("items", index), child));
    items.chain(branch_nodes(node)).for_each(|(step, child)| visit(step, child, &inner));
}
