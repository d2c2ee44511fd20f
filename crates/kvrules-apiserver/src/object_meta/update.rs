//! Metadata that takes the place of stored metadata.

use kvrules_cel::go_text;
use serde_json::Value as Json;

use super::{
    NameRule, ResourceScope, annotation_violations, failure_with_value, finalizers, label_violations,
    metadata_violations, references, text_field,
};
use crate::crd::Failure;
use crate::field_error::ErrorType;

/// Returns the errors of metadata that replaces `old`. An existing name must only be valid as a segment of a path. Fields that
/// the server keeps or fills in itself (generation, times of creation, the resource version) are not checked.
// apiserver registry/rest/update.go, validateCommonFields; objectmeta.go, ValidateObjectMetaAccessorUpdate
pub(crate) fn update_violations(
    metadata: &Json,
    old: &Json,
    scope: ResourceScope,
    base: &str,
) -> Vec<Failure> {
    let mut errors = metadata_violations(metadata, scope, NameRule::PathSegment, base);
    let field = |name: &str| format!("{base}.{name}");
    let is_deleted = is_set(old, "deletionTimestamp");
    // An object that is being deleted only waits for its finalizers, and a new one could keep it forever.
    if is_deleted {
        errors.extend(new_finalizers(metadata, old, &field("finalizers")));
    }
    for name in ["name", "namespace", "uid"] {
        // If one of the objects lacks the namespace or the uid, the server fills it in, which is no change.
        let (new, old) = (text_field(metadata, name), text_field(old, name));
        let is_filled_in = name != "name" && (new.is_empty() || old.is_empty());
        if !is_filled_in && new != old {
            errors.push(immutable_failure(&field(name), metadata.get(name)));
        }
    }
    if !is_deleted && is_set(metadata, "deletionTimestamp") {
        errors.push(immutable_failure(&field("deletionTimestamp"), metadata.get("deletionTimestamp")));
    }
    let period = "deletionGracePeriodSeconds";
    if is_set(metadata, period) && metadata.get(period) != old.get(period) {
        errors.push(immutable_failure(&field(period), metadata.get(period)));
    }
    errors.extend(label_violations(metadata, &field("labels")));
    errors.extend(annotation_violations(metadata, &field("annotations")));
    errors.extend(references::reference_violations(metadata, &field("ownerReferences")));
    // Validation of the object and of the update have checks in common.
    errors.sort();
    errors.dedup();
    errors
}

fn immutable_failure(field: &str, value: Option<&Json>) -> Failure {
    failure_with_value(
        field,
        value.map_or_else(|| "\"\"".to_owned(), go_text::format_json_value),
        "field is immutable",
    )
}

fn is_set(metadata: &Json, name: &str) -> bool {
    metadata.get(name).is_some_and(|value| !value.is_null())
}

// objectmeta.go, ValidateNoNewFinalizers
fn new_finalizers(metadata: &Json, old: &Json, field: &str) -> Option<Failure> {
    let known = finalizers(old);
    let mut added: Vec<&str> = finalizers(metadata).into_iter().filter(|it| !known.contains(it)).collect();
    added.sort_unstable();
    added.dedup();
    let list = added.iter().map(|name| go_text::quote_string(name)).collect::<Vec<_>>().join(", ");
    let detail = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{list}}}"
    );
    (!added.is_empty()).then(|| Failure::new(field, ErrorType::Forbidden, &detail))
}
