//! Reviews a CustomResourceDefinition as the server does: its metadata, names, versions, schemas and everything
//! else, when it is created and when it replaces another.
//!
//! [`review_definition`] decodes the document, fills in defaults, and validates it. Follows apiextensions
//! `validation.go` with the strategy and the defaults around it.

mod approval;
mod columns;
mod conversion;
mod deprecation;
mod internal;
mod names;
mod policy_parameters;
mod request_selection;
mod selectable_fields;
mod served_version;
mod shared_schema;
mod spec;
mod status;
mod subresources;
mod update;
mod warnings;

use kvrules_cel::go_text::quote_string;
use kvrules_cel::kubernetes::KubernetesVersions;
use serde_json::Value as Json;

use crate::cost::{ReviewMemo, SchemaReport};
use crate::crd::Failure;
use crate::decode::{DEFINITION, find_decode_error, request_error};
use crate::dropped_fields::drop_fields;
use crate::field_error::{ErrorType, FieldError};
use crate::object_meta::{self, NameRule, ResourceScope};
use crate::server::ServerFeatures;
use crate::structural::SchemaOptions;

pub use crate::dropped_fields::{IgnoredField, drop_rule_fields, ignored_fields};
pub use kvrules_cel::types::{keyword_value, map_keyword};
pub use policy_parameters::{ParameterExpression, PolicyParameters};
pub use request_selection::{RequestSelection, UserSet};
pub use served_version::{
    AuthoredObjects, AuthoredRules, DOCUMENT_FIELD, ExpressionErrors, PolicyOrigin, ResourceVersion,
    WrittenSubresource,
};
pub use shared_schema::SharedSchema;

use internal::Definition;

/// The server's answer about a definition.
#[derive(Clone, Debug, Default)]
pub struct DefinitionReview {
    /// Errors for which it is rejected, by field, kind and message, without those of single rules.
    pub errors: Vec<FieldError>,
    /// The server's warnings, sorted, each once.
    pub warnings: Vec<String>,
    /// The schemas with their rules: one if all versions have the same, else one for each version that has one.
    pub schemas: Vec<SchemaReview>,
}

/// The server's answer about a schema of a definition.
#[derive(Clone, Debug)]
pub struct SchemaReview {
    /// The name of the version; none if all versions have the same schema.
    pub version: Option<String>,
    /// Location of the schema, as the server writes it: `spec.validation`, `spec.versions[0].schema`.
    pub prefix: String,
    /// Report on the schema and its rules.
    pub report: SchemaReport,
}

impl DefinitionReview {
    /// Every error of the answer, by field, kind and words.
    pub fn all_errors(&self) -> Vec<FieldError> {
        let reports = self.schemas.iter().map(|schema| &schema.report);
        let of_schemas = reports.flat_map(|report| {
            report.errors.iter().chain(report.rules.iter().flat_map(|rule| &rule.errors)).cloned()
        });
        let mut errors: Vec<FieldError> = self.errors.iter().cloned().chain(of_schemas).collect();
        sort_errors(&mut errors);
        errors
    }

    /// True if the definition is stored.
    pub fn is_accepted(&self) -> bool {
        self.all_errors().is_empty()
    }

    fn bad_request(detail: String) -> Self {
        let errors = vec![FieldError::new(ErrorType::BadRequest, "", detail)];
        Self { errors, ..Self::default() }
    }
}

/// Returns the server's answer about a definition that is created, or with `old` about one that replaces a stored one.
///
/// An old definition that does not say otherwise counts as established and of generation 1.
///
/// ```
/// use kvrules_apiserver::definition::review_definition;
/// use serde_json::json;
/// let definition = json!({
///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
///     "metadata": {"name": "ponds.example.com"},
///     "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "ponds", "kind": "Pond"},
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]},
/// });
/// assert!(review_definition(&definition, None).is_accepted());
/// let mut renamed = definition.clone();
/// renamed["spec"]["names"]["kind"] = json!("Lake");
/// let review = review_definition(&renamed, Some(&definition));
/// assert_eq!(review.errors[0].field, "spec.names.kind");
/// assert_eq!(review.errors[0].detail, "field is immutable");
/// ```
pub fn review_definition(document: &Json, old: Option<&Json>) -> DefinitionReview {
    review_definition_on(ServerFeatures::default(), document, old, &ReviewMemo::default())
}

/// As [`review_definition`], by the server of a version. Reviews of one definition, and of the same old one, by several servers
/// share what they compile in `memo`.
///
/// ```
/// use kvrules_apiserver::{cost::ReviewMemo, definition::review_definition_on, server::ServerFeatures};
/// use serde_json::json;
/// let rule = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 9,
///     "x-kubernetes-validations": [{"rule": "isCIDR(self)"}]}}});
/// let definition = json!({
///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
///     "metadata": {"name": "ponds.example.com"},
///     "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "ponds", "kind": "Pond"},
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": rule}}]},
/// });
/// let memo = ReviewMemo::default();
/// let accepts = |version: &str| {
///     let server = ServerFeatures::of_version(version.parse().unwrap());
///     review_definition_on(server, &definition, None, &memo).is_accepted()
/// };
/// assert!(!accepts("1.30") && accepts("1.31"));
/// ```
pub fn review_definition_on(
    server: ServerFeatures,
    document: &Json,
    old: Option<&Json>,
    memo: &ReviewMemo,
) -> DefinitionReview {
    let (kept, dropped) = drop_fields(document, &server);
    let kept_old = old.map(|old| drop_fields(old, &server).0);
    let mut review = review_known_fields(server, &kept, kept_old.as_deref(), memo);
    if review.errors.iter().all(|error| error.error_type != ErrorType::BadRequest) {
        review.warnings.extend(dropped);
        review.warnings.sort();
    }
    review
}

/// Returns the first error that a server has about a definition and not about the one that it was made from, such as a default that
/// violates an added rule.
///
/// ```
/// use kvrules_apiserver::definition::added_error;
/// use kvrules_cel::kubernetes::KubernetesVersions;
/// use serde_json::json;
///
/// let definition = |rules| json!({
///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
///     "metadata": {"name": "ponds.example.com"},
///     "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "ponds", "kind": "Pond"},
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
///             "properties": {"n": {"type": "integer", "default": 1, "x-kubernetes-validations": rules}}}}}]},
/// });
/// let (before, after) = (definition(json!([])), definition(json!([{"rule": "self > 1"}])));
/// let error = added_error(&after, &before, KubernetesVersions::default()).unwrap();
/// assert!(error.field.ends_with(".properties[n].default"));
/// assert!(added_error(&before, &before, KubernetesVersions::default()).is_none());
/// ```
pub fn added_error(document: &Json, before: &Json, servers: KubernetesVersions) -> Option<FieldError> {
    let memo = ReviewMemo::default();
    servers.iter().find_map(|version| {
        let server = ServerFeatures::of_version(version);
        let errors = |document: &Json| review_definition_on(server, document, None, &memo).all_errors();
        let found = errors(document);
        let known = if found.is_empty() { Vec::new() } else { errors(before) };
        found.into_iter().find(|error| !known.iter().any(|it| it.field == error.field))
    })
}

fn review_known_fields(
    server: ServerFeatures,
    document: &Json,
    old: Option<&Json>,
    memo: &ReviewMemo,
) -> DefinitionReview {
    if let Some(detail) = request_error(document, &DEFINITION) {
        let has_path = server.definitions.decodes_with_paths;
        return DefinitionReview::bad_request(if has_path { detail } else { shorten_decode_path(&detail) });
    }
    let definition = Definition::new(document);
    let old = old.map(Definition::new);
    let options = update::spec_options(&definition, old.as_ref(), server);
    let mut errors: Vec<FieldError> =
        validate_envelope(&definition, old.as_ref(), &options).into_iter().map(field_error).collect();
    sort_errors(&mut errors);
    let warnings = warnings::collect_warnings(document, &definition, old.as_ref(), &server);
    DefinitionReview { errors, warnings, schemas: spec::review_schemas(&definition, &options, memo) }
}

/// Returns the reason why a definition does not decode; `None` if it does.
pub fn decoding_error(document: &Json) -> Option<String> {
    find_decode_error(document, DEFINITION.of)
}

/// Returns the server's errors about a definition apart from its schemas, with its values if the server shows them. Values
/// that do not decode count as unset.
///
/// ```
/// use kvrules_apiserver::definition::review_envelope;
/// use serde_json::json;
/// let failures = review_envelope(&json!({"metadata": {"name": "a.b.c", "labels": {"l": "b c"}}}), None);
/// let label = failures.iter().find(|failure| failure.field == "metadata.labels").unwrap();
/// assert_eq!(label.value, "\"b c\"");
/// ```
pub fn review_envelope(document: &Json, old: Option<&Json>) -> Vec<Failure> {
    review_envelope_and_plan(document, old).0
}

/// Reviews the envelope as [`review_envelope`] does, and returns the plans of [`schema_plans`] as well, in one pass.
pub fn review_envelope_and_plan(document: &Json, old: Option<&Json>) -> (Vec<Failure>, Vec<SchemaPlan>) {
    let definition = Definition::new(document);
    let old = old.map(Definition::new);
    let options = update::spec_options(&definition, old.as_ref(), ServerFeatures::default());
    (validate_envelope(&definition, old.as_ref(), &options), spec::plan_schemas(&definition, &options))
}

/// Options and name with which the server checks the schemas of a definition.
#[derive(Clone, Debug)]
pub struct SchemaPlan {
    /// Prefix before `.openAPIV3Schema` in the fields of errors.
    pub prefix: String,
    /// Options of the check.
    pub options: SchemaOptions,
}

/// Returns the plans by which the server checks the schema of each version of a definition, in their order.
pub fn schema_plans(document: &Json, old: Option<&Json>) -> Vec<SchemaPlan> {
    let definition = Definition::new(document);
    let old = old.map(Definition::new);
    spec::plan_schemas(
        &definition,
        &update::spec_options(&definition, old.as_ref(), ServerFeatures::default()),
    )
}

// apiextensions validation.go, ValidateCustomResourceDefinition and validateCustomResourceDefinitionUpdate: no check
// hides another.
fn validate_envelope(
    definition: &Definition<'_>,
    old: Option<&Definition<'_>>,
    options: &spec::SpecOptions,
) -> Vec<Failure> {
    let mut errors = Vec::new();
    spec::validate_spec(definition, options, &mut errors);
    if let Some(old) = old {
        update::immutable_fields(definition, old, &mut errors);
    }
    status::validate_status(definition, old, &options.server, &mut errors);
    approval::validate_approval(definition, old, &mut errors);
    update::preserve_unknown_fields(definition, old, &mut errors);
    let failure = |error: FieldError| Failure {
        field: error.field,
        reason: error.error_type.cause_name().to_owned(),
        detail: error.detail,
        value: String::new(),
    };
    validate_metadata(definition, old).into_iter().chain(errors.into_iter().map(failure)).collect()
}

/// Returns the errors of the metadata of a definition.
// apiextensions validation.go, ValidateCustomResourceDefinition and validateCustomResourceDefinitionUpdate
fn validate_metadata(definition: &Definition<'_>, old: Option<&Definition<'_>>) -> Vec<Failure> {
    if let Some(old) = old {
        return update::validate_metadata_update(definition, old);
    }
    let wanted = format!("{}.{}", definition.names.plural, definition.group);
    // The server sets the generation itself.
    // customresourcedefinition/strategy.go, PrepareForCreate
    let mut metadata = definition.metadata.clone();
    object_meta::complete_metadata(&mut metadata, None, ResourceScope::Cluster);
    if let Some(fields) = metadata.as_object_mut() {
        fields.shift_remove("generation");
    }
    let mut failures =
        object_meta::metadata_violations(&metadata, ResourceScope::Cluster, NameRule::Subdomain, "metadata");
    // The server validates both with the same function (nameValidationFn).
    for field in ["generateName", "name"] {
        let name = object_meta::text_field(&metadata, field);
        if !name.is_empty() && name != wanted {
            failures.push(Failure {
                field: format!("metadata.{field}"),
                reason: ErrorType::Invalid.cause_name().to_owned(),
                detail: "must be spec.names.plural+\".\"+spec.group".to_owned(),
                value: quote_string(name),
            });
        }
    }
    failures
}

fn field_error(failure: Failure) -> FieldError {
    let kind = ErrorType::of_cause(&failure.reason).unwrap_or(ErrorType::Invalid);
    FieldError::new(kind, failure.field, failure.detail)
}

/// An error of decoding as servers before 1.35 report it.
// encoding/json before Go 1.25, decodeState.addErrorContext: the path within what decodes itself, as JSONSchemaPropsOrBool,
// was replaced by the path to it
fn shorten_decode_path(detail: &str) -> String {
    let Some((before, rest)) = detail.split_once(".openAPIV3Schema.") else { return detail.to_owned() };
    let Some((path, ty)) = rest.split_once(" of type ") else { return detail.to_owned() };
    let custom = |step: &&str| matches!(*step, "items" | "additionalProperties");
    let steps: Vec<&str> = path.split('.').collect();
    let kept = steps.iter().position(custom).map_or(steps.len(), |index| index + 1);
    let path = steps.get(..kept).unwrap_or_default().join(".");
    format!("{before}.openAPIV3Schema.{path} of type {ty}")
}

// The server's own order depends on Go's maps, so errors are compared sorted.
fn sort_errors(errors: &mut [FieldError]) {
    errors.sort_by(|a, b| {
        (&a.field, a.error_type.cause_name(), &a.detail).cmp(&(
            &b.field,
            b.error_type.cause_name(),
            &b.detail,
        ))
    });
}
