//! The specification of a definition.

use std::sync::Arc;

use kvrules_cel::names::{label_1035, subdomain_errors};

use super::conversion::{self, ConversionOptions};
use super::internal::{Definition, DefinitionVersion};
use super::{SchemaPlan, SchemaReview, columns, deprecation, names, selectable_fields, subresources};
use crate::cost::{ReviewMemo, review_sharing};
use crate::field_error::{ErrorType, FieldError};
use crate::server::ServerFeatures;
use crate::structural::{Leniency, SchemaOptions, StoredExpressions, find_unreadable_reason};

/// Checks that the server skips or relaxes, because the definition replaces one that fails them.
#[derive(Debug)]
pub(super) struct SpecOptions {
    pub(super) server: ServerFeatures,
    pub(super) stored: Arc<StoredExpressions>,
    pub(super) lenient: Vec<Leniency>,
    /// True if every version must have a schema.
    pub(super) requires_schemas: bool,
    /// Versions whose schemas have not changed: their rules may cost more than is allowed.
    pub(super) unchanged: Vec<String>,
    /// Versions that may keep more selectable fields than is allowed; an empty name is that of the shared ones.
    pub(super) keeps_selectable: Vec<String>,
    pub(super) conversion: ConversionOptions,
}

/// Reviews the schemas with their rules.
// apiextensions validation.go, validateCustomResourceDefinitionValidation
pub(super) fn review_schemas(
    definition: &Definition<'_>,
    options: &SpecOptions,
    memo: &ReviewMemo,
) -> Vec<SchemaReview> {
    let plans = plan_schemas(definition, options);
    let review = |schema, version: Option<&str>, plan: SchemaPlan| {
        let report = review_sharing(schema, &plan.prefix, &plan.options, memo);
        SchemaReview { version: version.map(str::to_owned), prefix: plan.prefix, report }
    };
    if let Some(schema) = definition.shared.schema() {
        return plans.into_iter().take(1).map(|plan| review(schema, None, plan)).collect();
    }
    let versions = definition.versions.iter().zip(plans);
    versions
        .filter_map(|(version, plan)| Some(review(version.parts.schema()?, Some(version.name), plan)))
        .collect()
}

/// Returns the plan for the schema of each version. A schema shared by all is checked once, as that of the first.
pub(super) fn plan_schemas(definition: &Definition<'_>, options: &SpecOptions) -> Vec<SchemaPlan> {
    let plan = |name: &str, prefix: String, has_status| {
        let mut lenient = options.lenient.clone();
        if options.unchanged.iter().any(|unchanged| unchanged == name) {
            // apiextensions validation.go, suppressExpressionCostForUnchangedSchema
            lenient.push(Leniency::RuleCost);
        }
        let (server, stored) = (options.server, Arc::clone(&options.stored));
        SchemaPlan { prefix, options: SchemaOptions { has_status, lenient, server, stored } }
    };
    let is_shared = definition.shared.schema().is_some();
    // apiextensions validation.go, hasAnyStatusEnabled: a shared schema counts as having the status if any version has it.
    let has_any_status = definition.shared.has_status()
        || definition.versions.iter().any(|version| version.parts.has_status());
    let versions = definition.versions.iter().enumerate();
    versions
        .map(|(index, version)| {
            if is_shared {
                return plan(definition.first_version(), "spec.validation".to_owned(), has_any_status);
            }
            let prefix = format!("spec.versions[{index}].schema");
            plan(version.name, prefix, has_status(definition, version))
        })
        .collect()
}

/// True if the version has the status subresource. Of versions with the same name the first counts.
// apiextensions validation.go, getSubresourcesForVersion
fn has_status(definition: &Definition<'_>, version: &DefinitionVersion<'_>) -> bool {
    let mut versions = definition.versions.iter();
    if versions.clone().all(|version| version.parts.subresources.is_none()) {
        return definition.shared.has_status();
    }
    versions.find(|other| other.name == version.name).is_some_and(|other| other.parts.has_status())
}

/// Validates everything but the schemas.
// apiextensions validation.go, validateCustomResourceDefinitionSpec
pub(super) fn validate_spec(
    definition: &Definition<'_>,
    options: &SpecOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_group(definition.group, errors);
    match definition.scope {
        // apiextensions validation.go, validateEnumStrings
        "" => errors.push(FieldError::new(ErrorType::Required, "spec.scope", "")),
        "Cluster" | "Namespaced" => {}
        _ => {
            let detail = "supported values: \"Cluster\", \"Namespaced\"";
            errors.push(FieldError::new(ErrorType::NotSupported, "spec.scope", detail));
        }
    }
    missing_schemas(definition, options, errors);
    validate_versions(definition, errors);
    names::require_names(&definition.names, errors);
    names::validate_names(&definition.names, "spec.names", errors);
    shared_parts(definition, &options.keeps_selectable, errors);
    let has_webhook = definition.conversion.strategy != "None";
    if has_webhook && definition.preserves_unknown_fields {
        let detail = "must be None if spec.preserveUnknownFields is true";
        errors.push(FieldError::new(ErrorType::Invalid, "spec.conversion.strategy", detail));
    }
    conversion::validate_conversion(&definition.conversion, options.conversion, errors);
}

fn validate_group(group: &str, errors: &mut Vec<FieldError>) {
    let problems = subdomain_errors(group);
    if group.is_empty() {
        errors.push(FieldError::new(ErrorType::Required, "spec.group", ""));
    } else if !problems.is_empty() {
        errors.push(FieldError::new(ErrorType::Invalid, "spec.group", problems.join(",")));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        errors.push(FieldError::new(ErrorType::Invalid, "spec.group", detail));
    }
}

// apiextensions validation.go, validateCustomResourceDefinitionSpec: every version needs a schema, but if the stored
// definition lacks one, only served versions whose objects are pruned do.
fn missing_schemas(definition: &Definition<'_>, options: &SpecOptions, errors: &mut Vec<FieldError>) {
    if definition.shared.schema().is_some() {
        return;
    }
    let missing = if options.server.definitions.explains_required { "schemas are required" } else { "" };
    for (index, version) in definition.versions.iter().enumerate() {
        let field = format!("spec.versions[{index}].schema.openAPIV3Schema");
        match version.parts.schema() {
            None if options.requires_schemas => {
                errors.push(FieldError::new(ErrorType::Required, field, missing));
            }
            None if version.is_served && !definition.preserves_unknown_fields => {
                let detail = "because otherwise all fields are pruned";
                errors.push(FieldError::new(ErrorType::Required, field, detail));
            }
            _ => {}
        }
    }
}

// apiextensions validation.go, validateCustomResourceDefinitionSpec and validateCustomResourceDefinitionVersion
fn validate_versions(definition: &Definition<'_>, errors: &mut Vec<FieldError>) {
    let mut refuse =
        |field: String, detail: String| errors.push(FieldError::new(ErrorType::Invalid, field, detail));
    let mut seen = Vec::new();
    for (index, version) in definition.versions.iter().enumerate() {
        seen.push(version.name);
        let problems = label_1035(version.name);
        if !problems.is_empty() {
            refuse(format!("spec.versions[{index}].name"), problems.join(","));
        }
        for problem in deprecation::deprecation_problems(version) {
            refuse(format!("spec.versions[{index}].deprecationWarning"), problem);
        }
    }
    seen.sort_unstable();
    if seen.windows(2).any(|pair| matches!(pair, [one, next] if one == next)) {
        refuse("spec.versions".to_owned(), "must contain unique version names".to_owned());
    }
    if definition.versions.iter().filter(|version| version.is_storage).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        refuse("spec.versions".to_owned(), detail.to_owned());
    }
    // The first version is also kept in a field of its own.
    let problems = label_1035(definition.first_version());
    if !definition.first_version().is_empty() && !problems.is_empty() {
        refuse("spec.version".to_owned(), problems.join(","));
    }
}

/// Validates subresources, columns and selectable fields, where they are shared and at each version.
// apiextensions validation.go, validateCustomResourceDefinitionVersion for each version, and the same at the top level
// in validateCustomResourceDefinitionSpec
fn shared_parts(definition: &Definition<'_>, keeps_selectable: &[String], errors: &mut Vec<FieldError>) {
    let versions = definition.versions.iter().enumerate();
    let all =
        versions.map(|(index, version)| (format!("spec.versions[{index}]"), version.name, &version.parts));
    for (field, name, parts) in all.chain([("spec".to_owned(), "", &definition.shared)]) {
        let is_shared = field == "spec";
        subresources::validate_subresources(parts.subresources, &format!("{field}.subresources"), errors);
        for (index, column) in parts.columns.iter().enumerate() {
            columns::validate_column(column, &format!("{field}.additionalPrinterColumns[{index}]"), errors);
        }
        if parts.selectable_fields.is_empty() {
            continue;
        }
        let fields = format!("{field}.selectableFields");
        // For fields that all versions share, the server only checks that `schema` is present, not its content.
        if if is_shared { parts.validation.is_none() } else { parts.schema().is_none() } {
            let detail = if is_shared {
                "selectableFields may only be set when validations.schema is included"
            } else {
                // Verbatim from the server, which says the opposite of what it means.
                "selectableFields may only be set when version.schema.openAPIV3Schema is not included"
            };
            errors.push(FieldError::new(ErrorType::Invalid, fields, detail));
            continue;
        }
        let problem = parts.schema().and_then(find_unreadable_reason);
        let schema = parts.schema().filter(|_| problem.is_none());
        errors.extend(
            problem.map(|why| {
                FieldError::new(ErrorType::Invalid, format!("{field}.schema.openAPIV3Schema"), why)
            }),
        );
        let may_be_many = keeps_selectable.iter().any(|kept| kept == name);
        selectable_fields::validate_selectable_fields(
            &parts.selectable_fields,
            schema,
            &fields,
            may_be_many,
            errors,
        );
    }
}
