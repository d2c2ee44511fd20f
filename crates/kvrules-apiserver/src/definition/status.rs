//! The status: accepted names, and the versions that objects are stored in.

use super::internal::{Definition, ResourceNames, list_member};
use super::names;
use crate::field_error::{ErrorType, FieldError};
use crate::server::ServerFeatures;

const FIELD: &str = "status.storedVersions";

/// Validates the status that a definition gets. A new one starts without; an update keeps that of the old one.
// customresourcedefinition/strategy.go, PrepareForCreate and PrepareForUpdate
pub(super) fn validate_status(
    definition: &Definition<'_>,
    old: Option<&Definition<'_>>,
    server: &ServerFeatures,
    errors: &mut Vec<FieldError>,
) {
    // apiextensions validation.go, ValidateCustomResourceDefinitionStatus
    if let Some(accepted) = old.and_then(|old| old.status.get("acceptedNames")) {
        names::validate_names(&ResourceNames::new(accepted), "status.acceptedNames", errors);
    }
    let mut stored = old.map(stored_versions).unwrap_or_default();
    if let Some(version) = definition.storage_version()
        && !stored.contains(&version)
    {
        stored.push(version);
    }
    validate_stored(&stored, definition, server, errors);
}

/// The versions that objects may be stored in.
// apiextensions v1/defaults.go, SetDefaults_CustomResourceDefinition
fn stored_versions<'a>(old: &Definition<'a>) -> Vec<&'a str> {
    let stored: Vec<&str> = list_member(old.status, "storedVersions").filter_map(|it| it.as_str()).collect();
    if stored.is_empty() { old.storage_version().into_iter().collect() } else { stored }
}

// apiextensions validation.go, ValidateCustomResourceDefinitionStoredVersions
fn validate_stored(
    stored: &[&str],
    definition: &Definition<'_>,
    server: &ServerFeatures,
    errors: &mut Vec<FieldError>,
) {
    if stored.is_empty() {
        errors.push(FieldError::new(ErrorType::Invalid, FIELD, "must have at least one stored version"));
        return;
    }
    // A duplicate version counts at its last position, as in a map.
    let mut left: Vec<(&str, usize)> = Vec::new();
    for (index, version) in stored.iter().enumerate() {
        left.retain(|(known, _)| known != version);
        left.push((version, index));
    }
    for version in &definition.versions {
        let is_known = left.iter().any(|(known, _)| *known == version.name);
        if version.is_storage && !is_known {
            let detail = format!("must have the storage version {}", version.name);
            errors.push(FieldError::new(ErrorType::Invalid, FIELD, detail));
        }
        left.retain(|(known, _)| *known != version.name);
    }
    for (version, index) in left {
        if !server.definitions.explains_stored_versions {
            let detail = "must appear in spec.versions";
            errors.push(FieldError::new(ErrorType::Invalid, format!("{FIELD}[{index}]"), detail));
            continue;
        }
        let detail = format!(
            "missing from spec.versions; {version} was previously a storage version, and must remain in spec.versions \
             until a storage migration ensures no data remains persisted in {version} and removes {version} from \
             status.storedVersions"
        );
        errors.push(FieldError::new(ErrorType::Invalid, format!("{FIELD}[{index}]"), detail));
    }
}
