//! The metadata of objects: how the server reads it, and what it requires of it.
//!
//! Every kind of object shares these rules: custom resources, resources embedded in them, and definitions themselves.

mod complete;
mod decode;
mod references;
mod update;

use kvrules_cel::go_text;
use kvrules_cel::names::{label_errors, label_value, qualified_name, subdomain_errors};
use serde_json::Value as Json;

use crate::crd::Failure;
use crate::field_error::ErrorType;

pub(crate) use complete::complete_metadata;
pub(crate) use decode::{TypeErrorHandling, decode_metadata};
pub(crate) use update::update_violations;

/// Required form of an object's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// A DNS subdomain, as for custom resources and definitions.
    Subdomain,
    /// Any valid segment of a URL path, as for embedded resources.
    PathSegment,
}

/// Scope of the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResourceScope {
    /// In a namespace, which must be given.
    Namespaced,
    /// In none, and none may be given.
    Cluster,
}

/// Returns the errors of metadata, which has the types of `ObjectMeta` (see [`decode_metadata`]); fields are reported below `base`.
// apimachinery api/validation/objectmeta.go, ValidateObjectMetaAccessor
pub(crate) fn metadata_violations(
    metadata: &Json,
    scope: ResourceScope,
    rule: NameRule,
    base: &str,
) -> Vec<Failure> {
    let mut errors = Vec::new();
    let field = |name: &str| format!("{base}.{name}");
    let generate_name = text_field(metadata, "generateName");
    if !generate_name.is_empty() {
        let problems = rule.prefix_problems(generate_name);
        errors.extend(
            problems.iter().map(|problem| invalid_failure(&field("generateName"), generate_name, problem)),
        );
    }
    // Both the given prefix and the generated name are validated, so one error may be reported twice.
    match text_field(metadata, "name") {
        "" => errors.push(required_failure(&field("name"), "name or generateName is required")),
        name => {
            errors.extend(
                rule.name_problems(name).iter().map(|problem| invalid_failure(&field("name"), name, problem)),
            );
        }
    }
    errors.extend(common_violations(metadata, scope, base));
    errors
}

/// Returns the errors of the parts of metadata that are not names.
// objectmeta.go, validateObjectMetaAccessorWithOptsCommon
fn common_violations(metadata: &Json, scope: ResourceScope, base: &str) -> Vec<Failure> {
    let mut errors = Vec::new();
    let field = |name: &str| format!("{base}.{name}");
    let namespace = text_field(metadata, "namespace");
    match (scope, namespace) {
        (ResourceScope::Namespaced, "") => errors.push(required_failure(&field("namespace"), "")),
        (ResourceScope::Namespaced, namespace) => {
            let problems = label_errors(namespace);
            errors.extend(
                problems.iter().map(|problem| invalid_failure(&field("namespace"), namespace, problem)),
            );
        }
        (ResourceScope::Cluster, "") => {}
        (ResourceScope::Cluster, _) => {
            errors.push(Failure::new(&field("namespace"), ErrorType::Forbidden, "not allowed on this type"));
        }
    }
    if let Some(generation) = metadata.get("generation").and_then(Json::as_i64).filter(|it| *it < 0) {
        let detail = "must be greater than or equal to 0";
        errors.push(failure_with_value(&field("generation"), generation.to_string(), detail));
    }
    errors.extend(label_violations(metadata, &field("labels")));
    errors.extend(annotation_violations(metadata, &field("annotations")));
    errors.extend(references::reference_violations(metadata, &field("ownerReferences")));
    errors.extend(finalizer_violations(metadata, &field("finalizers")));
    errors.extend(references::managed_fields_violations(metadata, &field("managedFields")));
    errors
}

/// Returns the errors of the labels of metadata.
// apis/meta/v1/validation/validation.go, ValidateLabels
pub(crate) fn label_violations(metadata: &Json, field: &str) -> Vec<Failure> {
    let mut errors = Vec::new();
    for (key, value) in text_map_field(metadata, "labels") {
        errors.extend(qualified_name(key).iter().map(|problem| invalid_failure(field, key, problem)));
        errors.extend(label_value(value).iter().map(|problem| invalid_failure(field, value, problem)));
    }
    errors
}

/// The bytes that the keys and values of all annotations may have together.
// objectmeta.go, TotalAnnotationSizeLimitB
const ANNOTATIONS_LIMIT: usize = 256 * 1024;

// objectmeta.go, ValidateAnnotations
fn annotation_violations(metadata: &Json, field: &str) -> Vec<Failure> {
    let mut errors = Vec::new();
    let mut size = 0;
    for (key, value) in text_map_field(metadata, "annotations") {
        size += key.len() + value.len();
        // Keys of annotations may have upper case in the domain, keys of labels may not.
        let problems = qualified_name(&key.to_lowercase());
        errors.extend(problems.iter().map(|problem| invalid_failure(field, key, problem)));
    }
    if size > ANNOTATIONS_LIMIT {
        let detail = format!("may not be more than {ANNOTATIONS_LIMIT} bytes");
        errors.push(Failure::new(field, ErrorType::TooLong, &detail));
    }
    errors
}

/// The finalizers that garbage collection understands; an object has one of them at most.
const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

// objectmeta.go, ValidateFinalizers
fn finalizer_violations(metadata: &Json, field: &str) -> Vec<Failure> {
    let finalizers = finalizers(metadata);
    let mut errors = Vec::new();
    for finalizer in &finalizers {
        errors.extend(
            qualified_name(finalizer).iter().map(|problem| invalid_failure(field, finalizer, problem)),
        );
    }
    if finalizers.contains(&ORPHAN) && finalizers.contains(&FOREGROUND) {
        let value = go_text::encode_json(&finalizers.iter().copied().collect::<Json>());
        let detail = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        errors.push(failure_with_value(field, value, &detail));
    }
    errors
}

/// Returns the server's warnings about finalizers that a write adds.
// apiextensions customresource/validator.go, validateKubeFinalizerName
pub(crate) fn finalizer_warnings(metadata: &Json, old: Option<&Json>) -> Vec<String> {
    let known = old.map(finalizers).unwrap_or_default();
    let mut warnings = Vec::new();
    for finalizer in finalizers(metadata).into_iter().filter(|it| !known.contains(it)) {
        let warn =
            |problem: &str| format!("metadata.finalizers: {}: {problem}", go_text::quote_string(finalizer));
        warnings.extend(qualified_name(finalizer).iter().map(|problem| warn(problem)));
        if !finalizer.contains('/') && ![ORPHAN, FOREGROUND, "kubernetes"].contains(&finalizer) {
            warnings.push(warn(
                "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other \
                 finalizer writers",
            ));
        }
    }
    warnings
}

fn finalizers(metadata: &Json) -> Vec<&str> {
    let list = metadata.get("finalizers").and_then(Json::as_array);
    list.into_iter().flatten().filter_map(Json::as_str).collect()
}

impl NameRule {
    fn name_problems(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => subdomain_errors(name),
            Self::PathSegment => path_segment(name),
        }
    }

    /// The problems of a name that the server completes.
    fn prefix_problems(self, prefix: &str) -> Vec<String> {
        match self {
            // A dash at the end is followed by letters in the whole name.
            // apimachinery api/validation/generic.go, maskTrailingDash
            Self::Subdomain => match prefix.strip_suffix('-').filter(|rest| !rest.is_empty()) {
                Some(rest) => subdomain_errors(&format!("{}a", without_last(rest))),
                None => subdomain_errors(prefix),
            },
            Self::PathSegment => path_segment_prefix(prefix),
        }
    }
}

/// A name that is valid as a segment of a URL path.
// apimachinery api/validation/path/name.go, IsValidPathSegmentName
pub(crate) fn path_segment(text: &str) -> Vec<String> {
    if [".", ".."].contains(&text) { vec![format!("may not be '{text}'")] } else { path_segment_prefix(text) }
}

/// The beginning of such a name.
// apimachinery api/validation/path/name.go, IsValidPathSegmentPrefix
pub(crate) fn path_segment_prefix(text: &str) -> Vec<String> {
    let illegal = ["/", "%"].into_iter().filter(|part| text.contains(part));
    illegal.map(|part| format!("may not contain '{part}'")).collect()
}

/// The server cuts off two bytes; of a character with several none is a letter of a name anyway.
fn without_last(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next_back();
    chars.as_str()
}

/// A text of metadata; empty if it is absent.
pub(crate) fn text_field<'a>(metadata: &'a Json, name: &str) -> &'a str {
    metadata.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn text_map_field<'a>(metadata: &'a Json, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let map = metadata.get(name).and_then(Json::as_object);
    map.into_iter().flatten().map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

fn required_failure(field: &str, detail: &str) -> Failure {
    Failure::new(field, ErrorType::Required, detail)
}

fn failure_with_value(field: &str, value: String, detail: &str) -> Failure {
    Failure { value, ..Failure::new(field, ErrorType::Invalid, detail) }
}

fn invalid_failure(field: &str, value: &str, detail: &str) -> Failure {
    failure_with_value(field, go_text::quote_string(value), detail)
}

#[cfg(test)]
mod tests;
