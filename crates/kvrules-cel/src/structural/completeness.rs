//! Checks that the spine declares what branches of the root mention.

use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use crate::node::{SchemaPath, Step, branches, members, schema};

/// The errors of the root's branches; those of other nodes the server does not look at.
pub(super) fn check(root: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let path = SchemaPath::root(path);
    for (step, branch) in branches(root) {
        compare(branch, Some(root), &path, &path.join(step), errors);
    }
}

/// Compares a branch with the spine at the same place.
fn compare(
    branch: &Value,
    spine: Option<&Value>,
    place: &SchemaPath<'_>,
    path: &SchemaPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(spine) = spine else {
        let detail = format!("because it is defined in {path}");
        errors.push(FieldError::new(ErrorType::Required, place.to_string(), detail));
        return;
    };
    for (step, inner) in branches(branch) {
        compare(inner, Some(spine), place, &path.join(step), errors);
    }
    if let Some(items) = schema(branch, "items") {
        let step = Step::Keyword("items");
        let (place, path) = (place.join(step), path.join(step));
        compare(items, schema(spine, "items"), &place, &path, errors);
    }
    for (name, property) in members(branch, "properties") {
        let known = members(spine, "properties").find(|(known, _)| *known == name).map(|(_, known)| known);
        let step = Step::Property(name);
        compare(property, known, &place.join(step), &path.join(step), errors);
    }
}
