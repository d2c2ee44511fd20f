//! Updates of a definition: what may not change, and what is not asked for since the old one already has it.

use std::sync::Arc;

use kvrules_cel::base64::decode_base64;
use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, PRESERVE_UNKNOWN_FIELDS, VALIDATIONS,
};
use serde_json::Value as Json;

use super::conversion::{ConversionOptions, bundle_problem, has_known_review_version};
use super::internal::{Definition, VersionParts, list_member, text_member};
use super::selectable_fields;
use super::spec::SpecOptions;
use crate::crd::Failure;
use crate::decode::decode_value;
use crate::decode::definition_type::{SPEC, VALIDATION};
use crate::decode::go_type::GoType;
use crate::field_error::{ErrorType, FieldError};
use crate::node;
use crate::object_meta::{ResourceScope, complete_metadata, update_violations};
use crate::server::{DefinitionFeatures, ServerFeatures};
use crate::structural::{
    Leniency, StoredExpressions, has_loose_keys, has_loose_set, has_unpruned_defaults, is_structural,
    is_unknown_type,
};

/// Returns the options with which a definition is validated.
// apiextensions validation.go, ValidateCustomResourceDefinition and ValidateCustomResourceDefinitionUpdate
pub(super) fn spec_options(
    definition: &Definition<'_>,
    old: Option<&Definition<'_>>,
    server: ServerFeatures,
) -> SpecOptions {
    let Some(old) = old else {
        return SpecOptions {
            server,
            stored: Arc::default(),
            lenient: Vec::new(),
            requires_schemas: true,
            unchanged: Vec::new(),
            keeps_selectable: Vec::new(),
            conversion: ConversionOptions {
                requires_known_review_version: true,
                allows_invalid_bundle: true,
            },
        };
    };
    let versions = &old.conversion.review_versions;
    // apiextensions validation.go, allVersionsSpecifyOpenAPISchema
    let has_all_schemas =
        old.shared.schema().is_some() || old.versions.iter().all(|version| version.parts.schema().is_some());
    let DefinitionFeatures { keeps_costs, keeps_selectable_fields, .. } = server.definitions;
    SpecOptions {
        server,
        stored: Arc::new(stored_expressions(old)),
        lenient: collect_leniencies(definition, old),
        requires_schemas: has_all_schemas,
        unchanged: if keeps_costs { unchanged_versions(definition, old) } else { Vec::new() },
        keeps_selectable: if keeps_selectable_fields {
            kept_selectable_fields(definition, old)
        } else {
            Vec::new()
        },
        conversion: ConversionOptions {
            // apiextensions validation.go, hasValidConversionReviewVersionOrEmpty
            requires_known_review_version: versions.is_empty() || has_known_review_version(versions),
            allows_invalid_bundle: allows_invalid_bundle(old),
        },
    }
}

/// The expressions of a stored definition.
// apiextensions validation.go, findPreexistingExpressions
fn stored_expressions(old: &Definition<'_>) -> StoredExpressions {
    let mut stored = StoredExpressions::default();
    old.schemas().for_each(|schema| collect_expressions(schema, &mut stored));
    stored
}

fn collect_expressions(schema: &Json, stored: &mut StoredExpressions) {
    for (_, rule) in node::array_elements(schema, VALIDATIONS) {
        let text = |name: &str| rule.get(name).and_then(Json::as_str).map(str::to_owned);
        stored.rules.extend(text("rule"));
        stored.messages.extend(text("messageExpression"));
    }
    for (_, below) in node::child_nodes(schema) {
        collect_expressions(below, stored);
    }
}

fn collect_leniencies(definition: &Definition<'_>, old: &Definition<'_>) -> Vec<Leniency> {
    let any = |holds: fn(&Json) -> bool| old.schemas().any(|schema| schema_has(schema, holds));
    // Pruning, defaults and extensions of Kubernetes ask for structural schemas.
    let needs_structural = !definition.preserves_unknown_fields
        || definition.schemas().any(|schema| schema_has(schema, |node| node::is_set(node, "default")))
        || definition.schemas().any(|schema| schema_has(schema, has_extension));
    let kept = [
        // apiextensions validation.go, requireStructuralSchema, then requireValidPropertyType, requirePrunedDefaults,
        // requireAtomicSetType and requireMapListKeysMapSetValidation: what is stored may stay, so an upgrade of the
        // server never blocks an update.
        (Leniency::NonStructural, !needs_structural && old.schemas().any(|schema| !is_structural(schema))),
        (Leniency::UnknownTypes, any(is_unknown_type)),
        (Leniency::UnprunedDefaults, old.schemas().any(has_unpruned_defaults)),
        (Leniency::NonAtomicSets, any(has_loose_set)),
        (Leniency::ListKeys, any(has_loose_keys)),
    ];
    kept.into_iter().filter(|(_, is_kept)| *is_kept).map(|(leniency, _)| leniency).collect()
}

// apiextensions validation.go, schemaHasKubernetesExtensions
fn has_extension(schema: &Json) -> bool {
    node::bool_keyword(schema, EMBEDDED_RESOURCE)
        || node::bool_keyword(schema, INT_OR_STRING)
        || [PRESERVE_UNKNOWN_FIELDS, LIST_TYPE].into_iter().any(|keyword| node::is_set(schema, keyword))
        || [LIST_MAP_KEYS, VALIDATIONS]
            .into_iter()
            .any(|keyword| node::array_elements(schema, keyword).next().is_some())
}

/// True if a condition holds at any node of a schema.
// apiextensions validation.go, SchemaHas
fn schema_has(schema: &Json, holds: fn(&Json) -> bool) -> bool {
    if !schema.is_object() {
        return false;
    }
    let lists = ["items", "allOf", "anyOf", "oneOf"]
        .into_iter()
        .flat_map(|keyword| node::array_elements(schema, keyword))
        .map(|(_, schema)| schema);
    let single = ["items", "not", "additionalProperties", "additionalItems"];
    let single = single.into_iter().filter_map(|keyword| schema.get(keyword));
    let maps = ["properties", "patternProperties", "definitions", "dependencies"];
    let maps =
        maps.into_iter().flat_map(|keyword| node::object_entries(schema, keyword)).map(|(_, schema)| schema);
    holds(schema) || lists.chain(single).chain(maps).any(|below| schema_has(below, holds))
}

/// The versions whose schemas are those of the old definition.
// apiextensions validation.go, findVersionsWithUnchangedSchemas
fn unchanged_versions(definition: &Definition<'_>, old: &Definition<'_>) -> Vec<String> {
    let decoded = |validation: &Json| decode_value(validation, GoType::Pointer(&VALIDATION));
    let is_unchanged = |name: &str| {
        let (new, old) = (definition.validation_of(name)?, old.validation_of(name)?);
        Some(decoded(new) == decoded(old))
    };
    let names = definition.versions.iter().map(|version| version.name);
    names.filter(|name| is_unchanged(name).unwrap_or_default()).map(str::to_owned).collect()
}

/// The versions whose selectable fields were too many and have not changed; an empty name is that of the shared ones.
// apiextensions validation.go, findTooManySelectableFieldsAllowed
fn kept_selectable_fields(definition: &Definition<'_>, old: &Definition<'_>) -> Vec<String> {
    let paths = |parts: &VersionParts<'_>| -> Vec<String> {
        parts.selectable_fields.iter().map(|field| text_member(field, "jsonPath").to_owned()).collect()
    };
    let is_kept = |new: &VersionParts<'_>, old: &VersionParts<'_>| {
        old.selectable_fields.len() > selectable_fields::MOST && paths(new) == paths(old)
    };
    let shared = is_kept(&definition.shared, &old.shared).then(String::new);
    let versions = definition.versions.iter().filter(|version| {
        let stored = old.versions.iter().rfind(|stored| stored.name == version.name);
        stored.is_some_and(|stored| is_kept(&version.parts, &stored.parts))
    });
    shared.into_iter().chain(versions.map(|version| version.name.to_owned())).collect()
}

// apiextensions validation.go, allowInvalidCABundle
fn allows_invalid_bundle(old: &Definition<'_>) -> bool {
    if !is_established(old) {
        return true;
    }
    let bundle = old.conversion.client.map(|client| text_member(client, "caBundle")).unwrap_or_default();
    bundle_problem(&decode_base64(bundle).unwrap_or_default()).is_some()
}

/// True if a stored definition is established. One without conditions counts as established.
fn is_established(old: &Definition<'_>) -> bool {
    // apiextensions helpers.go, IsCRDConditionTrue. The exception for no conditions is ours: users compare two files, and a
    // definition in use is the usual case.
    let mut conditions = list_member(old.status, "conditions").peekable();
    conditions.peek().is_none()
        || conditions
            .any(|it| text_member(it, "type") == "Established" && text_member(it, "status") == "True")
}

/// Returns the errors of the metadata of an update. The generation is that of the document, raised if the specification
/// has changed; a stored definition has at least 1.
// customresourcedefinition/strategy.go, PrepareForUpdate
pub(super) fn validate_metadata_update(definition: &Definition<'_>, old: &Definition<'_>) -> Vec<Failure> {
    let generation = |it: &Json| it.get("generation").and_then(Json::as_i64).unwrap_or_default();
    let stored = generation(&old.metadata).max(1);
    let written = if decode_value(old.spec, GoType::Struct(&SPEC))
        == decode_value(definition.spec, GoType::Struct(&SPEC))
    {
        generation(&definition.metadata)
    } else {
        stored + 1
    };
    let (mut new, mut stored_metadata) = (definition.metadata.clone(), old.metadata.clone());
    complete_metadata(&mut new, Some(&old.metadata), ResourceScope::Cluster);
    complete_metadata(&mut stored_metadata, None, ResourceScope::Cluster);
    let mut failures = update_violations(&new, &stored_metadata, ResourceScope::Cluster, "metadata");
    if written < stored {
        failures.push(Failure {
            field: "metadata.generation".to_owned(),
            reason: ErrorType::Invalid.cause_name().to_owned(),
            detail: "must not be decremented".to_owned(),
            value: written.to_string(),
        });
    }
    failures
}

/// Validates fields that may not change: some never, some once the definition is established.
// apiextensions validation.go, validateCustomResourceDefinitionSpecUpdate
pub(super) fn immutable_fields(
    definition: &Definition<'_>,
    old: &Definition<'_>,
    errors: &mut Vec<FieldError>,
) {
    let established =
        [("scope", definition.scope != old.scope), ("names.kind", definition.names.kind != old.names.kind)];
    // They form the name of the resource, which is immutable; the others change what is stored.
    let always = [
        ("group", definition.group != old.group),
        ("names.plural", definition.names.plural != old.names.plural),
    ];
    let established = established.into_iter().filter(|_| is_established(old));
    let changed = established.chain(always).filter(|(_, is_changed)| *is_changed);
    errors.extend(changed.map(|(field, _)| {
        FieldError::new(ErrorType::Invalid, format!("spec.{field}"), "field is immutable")
    }));
}

// apiextensions validation.go, validatePreserveUnknownFields
pub(super) fn preserve_unknown_fields(
    definition: &Definition<'_>,
    old: Option<&Definition<'_>>,
    errors: &mut Vec<FieldError>,
) {
    let field = "spec.preserveUnknownFields";
    if !definition.preserves_unknown_fields {
        return;
    }
    // apiextensions validation.go, specHasDefaults in validateCustomResourceDefinitionSpec
    if definition.schemas().any(|schema| schema_has(schema, |node| node::is_set(node, "default"))) {
        let detail = "must be false in order to use defaults in the schema";
        errors.push(FieldError::new(ErrorType::Invalid, field, detail));
    }
    if old.is_none_or(|old| !old.preserves_unknown_fields) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                      spec.versions[*].schema instead";
        errors.push(FieldError::new(ErrorType::Invalid, field, detail));
    }
}
