//! Checks that defaults are values that their own schemas allow.

use kvrules_cel::Expressions;
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, PRESERVE_UNKNOWN_FIELDS};
use serde_json::Value;

use crate::crd::{CompiledSchema, has_rules};
use crate::field_error::{ErrorType, FieldError};
use crate::server::{ObjectFeatures, ServerFeatures};

use super::values;
use crate::node::{SchemaPath, SchemaStep, bool_keyword, object_entries, schema_keyword, value_of};
use crate::object::embedded;

/// Fields of every resource, whether its schema names them or not.
const META_FIELDS: &[&str] = &["apiVersion", "kind", "metadata"];

/// Adds the errors of all defaults of a schema that is structural.
// apiextensions schema/defaulting/validation.go, ValidateDefaults: the root counts as a resource.
pub(super) fn check_root(
    root: &Value,
    path: &str,
    pruned: bool,
    expressions: &Expressions,
    server: &ServerFeatures,
    errors: &mut Vec<FieldError>,
) {
    let features = server.objects;
    let place = DefaultContext { is_resource: true, pruned, inside: None, expressions, features };
    check_defaults(root, &SchemaPath::root(path), &place, errors);
}

/// Context of a node that may have a default.
struct DefaultContext<'a> {
    /// True for the root and for embedded resources.
    is_resource: bool,
    /// True if defaults must not have unknown fields.
    pruned: bool,
    /// Location of the node in a resource, if it is one of the fields of every resource or in one of them.
    inside: Option<MetadataLocation<'a>>,
    /// Expressions of the schema.
    expressions: &'a Expressions,
    features: ObjectFeatures,
}

/// A place in the fields that every resource has.
#[derive(Clone)]
struct MetadataLocation<'a> {
    /// The schema of the resource.
    resource: &'a Value,
    /// The fields that lead to the place; none for the elements of a list.
    steps: Vec<Option<&'a str>>,
}

fn check_defaults<'a>(
    node: &'a Value,
    path: &SchemaPath<'_>,
    place: &DefaultContext<'a>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(default) = value_of(node, "default").filter(|default| !default.is_null()) {
        errors.extend(default_errors(node, default, &format!("{path}.default"), place));
    }
    let below = |child: &Value, step: Option<&'a str>| {
        // Each embedded resource starts anew: insideMeta is reset, and it is the root of what surrounds a default.
        let is_resource = bool_keyword(child, EMBEDDED_RESOURCE);
        let mut inside = place.inside.clone();
        if place.is_resource {
            let is_meta = step.is_some_and(|name| META_FIELDS.contains(&name));
            inside = is_meta.then(|| MetadataLocation { resource: node, steps: Vec::new() });
        }
        if let Some(inside) = &mut inside {
            inside.steps.push(step);
        }
        DefaultContext { is_resource, inside: inside.filter(|_| !is_resource), ..*place }
    };
    for (name, child) in object_entries(node, "properties") {
        check_defaults(child, &path.join(SchemaStep::Property(name)), &below(child, Some(name)), errors);
    }
    // The server does not go into `additionalProperties`, so a default there may be anything.
    if let Some(items) = schema_keyword(node, "items") {
        check_defaults(items, &path.join(SchemaStep::Keyword("items")), &below(items, None), errors);
    }
}

/// Server's message about a default with fields that its schema does not declare.
pub(super) const UNPRUNED: &str = "must not have unknown fields";

/// The errors of one default. Each kind hides those after it, except for the first.
// schema/defaulting/validation.go, validate
fn default_errors(node: &Value, default: &Value, path: &str, place: &DefaultContext<'_>) -> Vec<FieldError> {
    let mut unpruned = Vec::new();
    let mut errors = Vec::new();
    let is_resource = place.is_resource;
    if let Some(inside) = &place.inside {
        errors.extend(metadata_error(inside, default, path, place.features));
    } else {
        if place.pruned && !has_only_known(node, default, is_resource) {
            unpruned.push(FieldError::new(ErrorType::Invalid, path, UNPRUNED));
        }
        errors.extend(
            embedded::resource_violations(default, node, is_resource, path, place.features)
                .into_iter()
                .map(values::to_field_error),
        );
    }
    if errors.is_empty() {
        errors = values::check_default(node, default, path);
    }
    if errors.is_empty() {
        errors = rule_failures(node, default, path, place.expressions);
    }
    unpruned.extend(errors);
    unpruned
}

/// Returns the error of a default for a field of every resource, or in one: with it, the resource must be valid.
// schema/defaulting/surroundingobject.go; apimachinery util/errors, aggregate.Error
fn metadata_error(
    inside: &MetadataLocation<'_>,
    default: &Value,
    path: &str,
    features: ObjectFeatures,
) -> Option<FieldError> {
    let wrap = |value: Value, step: Option<&str>| match step {
        Some(name) => Value::Object([(name.to_owned(), value)].into_iter().collect()),
        None => Value::Array(vec![value]),
    };
    let mut resource = inside.steps.iter().rev().copied().fold(default.clone(), wrap);
    // The type that ValidateDefaults gives to the object around a default.
    for (name, value) in [("apiVersion", "validation/v1"), ("kind", "Validation")] {
        if let Some(fields) = resource.as_object_mut() {
            fields.entry(name).or_insert_with(|| value.into());
        }
    }
    let mut texts: Vec<String> = Vec::new();
    for failure in embedded::resource_violations(&resource, inside.resource, true, "", features) {
        let text = failure.to_message();
        let text = text.trim_start_matches('.').to_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let all = match texts.as_slice() {
        [] => return None,
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    Some(FieldError::new(ErrorType::Invalid, path, format!("must result in valid metadata: {all}")))
}

/// A default is checked against rules as a value that stays as it is, and if nothing is wrong with that, as one that is new:
/// a rule with `optionalOldSelf` may say otherwise then.
// apiextensions schema/defaulting/validation.go, validate
fn rule_failures(node: &Value, default: &Value, path: &str, expressions: &Expressions) -> Vec<FieldError> {
    if !has_rules(node) {
        return Vec::new();
    }
    let schema = CompiledSchema::sharing(node, expressions);
    let failures = |old: Option<&Value>| {
        let report = schema.validate_object(default, old);
        report
            .errors
            .into_iter()
            .chain(report.excused)
            .map(|failure| values::of_rule(path, failure))
            .collect()
    };
    let unchanged: Vec<FieldError> = failures(Some(default));
    if unchanged.is_empty() { failures(None) } else { unchanged }
}

/// True if pruning would leave the value as it is.
// apiextensions schema/pruning/algorithm.go, prune
fn has_only_known(node: &Value, value: &Value, is_resource: bool) -> bool {
    match value {
        Value::Object(fields) => fields.iter().all(|(name, value)| {
            if is_resource && META_FIELDS.contains(&name.as_str()) {
                return true;
            }
            match find_property_schema(node, name) {
                PropertySchema::Schema(schema) => {
                    has_only_known(schema, value, bool_keyword(schema, EMBEDDED_RESOURCE))
                }
                PropertySchema::Anything => true,
                PropertySchema::Undeclared => false,
            }
        }),
        Value::Array(items) => {
            let Some(schema) = schema_keyword(node, "items") else { return true };
            items.iter().all(|item| has_only_known(schema, item, bool_keyword(schema, EMBEDDED_RESOURCE)))
        }
        _ => true,
    }
}

enum PropertySchema<'a> {
    Schema(&'a Value),
    Anything,
    Undeclared,
}

fn find_property_schema<'a>(node: &'a Value, name: &str) -> PropertySchema<'a> {
    const NO_FIELDS: &Value = &Value::Null;
    if let Some((_, property)) = object_entries(node, "properties").find(|(known, _)| *known == name) {
        return PropertySchema::Schema(property);
    }
    if bool_keyword(node, PRESERVE_UNKNOWN_FIELDS) {
        return PropertySchema::Anything;
    }
    match value_of(node, "additionalProperties") {
        Some(values @ Value::Object(_)) => PropertySchema::Schema(values),
        // Pruning keeps the keys, but their values have no schema.
        Some(Value::Bool(true)) => PropertySchema::Schema(NO_FIELDS),
        _ => PropertySchema::Undeclared,
    }
}
