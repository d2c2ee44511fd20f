//! Whether the spine has what branches of the root speak of.

use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use crate::node::{branches, members, schema};

/// The mistakes of the root's branches; those of other nodes the server does not look at.
pub(super) fn check(root: &Value, path: &str, errors: &mut Vec<FieldError>) {
    for (step, branch) in branches(root) {
        compare(branch, Some(root), path, &format!("{path}.{step}"), errors);
    }
}

/// Compares a branch with the spine at the same place.
fn compare(branch: &Value, spine: Option<&Value>, place: &str, path: &str, errors: &mut Vec<FieldError>) {
    let Some(spine) = spine else {
        errors.push(FieldError::new(ErrorType::Required, place, format!("because it is defined in {path}")));
        return;
    };
    for (step, inner) in branches(branch) {
        compare(inner, Some(spine), place, &format!("{path}.{step}"), errors);
    }
    if let Some(items) = schema(branch, "items") {
        let (place, path) = (format!("{place}.items"), format!("{path}.items"));
        compare(items, schema(spine, "items"), &place, &path, errors);
    }
    for (name, property) in members(branch, "properties") {
        let known = members(spine, "properties").find(|(known, _)| *known == name).map(|(_, known)| known);
        let step = format!("properties[{name}]");
        compare(property, known, &format!("{place}.{step}"), &format!("{path}.{step}"), errors);
    }
}
