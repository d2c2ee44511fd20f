//! Decides if the server would accept a policy or a binding, and if not why.

mod constraints;
mod expressions;
mod fields;
mod languages;
mod requirements;
mod type_checking;

use kvrules_cel::names;
use kvrules_cel::types::Type;
use serde_json::Value as Json;

pub use requirements::{ExpressionRequirements, policy_requirements};
pub use type_checking::{
    CheckedResource, CheckedResources, TypeMismatch, check_types, mentioned_names, resources_to_check,
    typed_environment,
};

use fields::{PolicyField, PolicyRejections, require_text};
use languages::PolicyLanguages;

use super::PolicyEngine;
use crate::crd::Failure;
use crate::decode::go_type::GoType;
use crate::decode::policy_type::{MATCH_CONDITIONS, PARAM_KIND};
use crate::decode::{BINDING, POLICY, decode_value, find_decode_error, request_error, unknown_fields};
use crate::object_meta::{self, NameRule, ResourceScope};
use crate::server::ServerFeatures;

/// One cause of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyRejection {
    /// The path in the document.
    pub field: String,
    /// `FieldValueRequired`, `FieldValueInvalid`, …
    pub reason: String,
    /// The text.
    pub message: String,
}

/// Returns the errors for which a new ValidatingAdmissionPolicy is rejected; empty if it is accepted.
///
/// ```
/// use kvrules_apiserver::policy::acceptance::review_policy;
/// use serde_json::json;
/// let refusals = review_policy(&json!({
///     "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"},
///     "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"],
///         "operations": ["*"], "resources": ["*"]}]},
///     "validations": [{"expression": "object.spec.flag"}],
/// }}));
/// assert_eq!(refusals[0].field, "spec.validations[0].expression");
/// assert_eq!(refusals[0].message, "Invalid value: \"object.spec.flag\": must evaluate to bool but got dyn");
/// ```
pub fn review_policy(document: &Json) -> Vec<PolicyRejection> {
    review_policy_update(document, None)
}

/// Returns the errors for which a ValidatingAdmissionPolicy that replaces `old` is rejected; empty if it is accepted. Match
/// conditions that have not changed, for the same kind of parameters, are not checked.
// admissionregistration validation.go, ValidateValidatingAdmissionPolicyUpdate
pub fn review_policy_update(document: &Json, old: Option<&Json>) -> Vec<PolicyRejection> {
    match request_error(document, &POLICY) {
        Some(text) => vec![PolicyRejection::bad_request(text)],
        None => policy_refusals(document, old),
    }
}

/// Returns the reason why a policy does not decode; `None` if it does.
pub fn policy_error(document: &Json) -> Option<String> {
    find_decode_error(document, POLICY.of)
}

/// Returns the reason why a binding does not decode; `None` if it does.
pub fn binding_error(document: &Json) -> Option<String> {
    find_decode_error(document, BINDING.of)
}

/// The server's warnings about an accepted policy: fields that it drops.
pub fn policy_warnings(document: &Json) -> Vec<String> {
    unknown_fields(document, POLICY.of)
}

/// The server's warnings about an accepted binding: fields that it drops.
pub fn binding_warnings(document: &Json) -> Vec<String> {
    unknown_fields(document, BINDING.of)
}

/// Returns the errors of a policy that decodes. Values that do not decode count as unset.
pub fn policy_refusals(document: &Json, old: Option<&Json>) -> Vec<PolicyRejection> {
    policy_refusals_on(&ServerFeatures::default(), document, old)
}

/// Returns the errors of a policy that decodes, on a server of any version: its functions, and its words about expressions.
///
/// ```
/// use kvrules_apiserver::policy::acceptance::policy_refusals_on;
/// use kvrules_apiserver::server::ServerFeatures;
/// use serde_json::json;
/// let policy = json!({"metadata": {"name": "p"}, "spec": {
///     "matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]},
///     "validations": [{"expression": "isIP(string(object.spec.address))"}]}});
/// let on = |version: &str| ServerFeatures::of_version(version.parse().unwrap());
/// assert_eq!(policy_refusals_on(&on("1.30"), &policy, None)[0].field, "spec.validations[0].expression");
/// // A stored expression may use what its server has.
/// assert!(policy_refusals_on(&on("1.30"), &policy, Some(&policy)).iter().all(|it| it.field.starts_with("metadata.")));
/// assert!(policy_refusals_on(&on("1.31"), &policy, None).is_empty());
/// ```
// admissionregistration validation.go, validateValidatingAdmissionPolicySpec
pub fn policy_refusals_on(
    server: &ServerFeatures,
    document: &Json,
    old: Option<&Json>,
) -> Vec<PolicyRejection> {
    let languages = match PolicyEngine::of_document(document) {
        PolicyEngine::Server => PolicyLanguages::on_server(server, old),
        engine => PolicyLanguages::of_engine(engine),
    };
    let mut refusals = PolicyRejections::default();
    let document = &complete_document(document, old);
    refusals.extend_from(metadata_failures(document, old));
    let spec = PolicyField::root(document).child("spec");
    failure_policy(&spec, &mut refusals);
    param_kind(&spec.child("paramKind"), &mut refusals);
    match_constraints(&spec.child("matchConstraints"), &mut refusals);
    let validations = spec.items("validations");
    if validations.is_empty() && spec.items("auditAnnotations").is_empty() {
        for list in ["validations", "auditAnnotations"] {
            let text = "validations or auditAnnotations must contain at least one item";
            refusals.reject_missing(&spec.child(list), text);
        }
    }
    if !old.is_some_and(|old| has_same_conditions(document, old)) {
        expressions::review_conditions(&spec, &languages, &mut refusals);
    }
    expressions::review_expressions(document, &spec, &languages, &mut refusals);
    refusals.into_sorted()
}

/// The types of a policy's variables, in its order; none for one whose expression is wrong.
///
/// ```
/// use kvrules_apiserver::policy::acceptance::variable_types;
/// use kvrules_cel::types::Type;
/// use serde_json::json;
/// let types = variable_types(&json!({"spec": {"variables": [
///     {"name": "a", "expression": "object.?spec.?flag"},
///     {"name": "b", "expression": "variables.a.hasValue()"},
///     {"name": "c", "expression": "variables.d"},
/// ]}}));
/// assert!(matches!(types[0], Some(Type::Optional(_))));
/// assert_eq!(types[1..], [Some(Type::Bool), None]);
/// ```
pub fn variable_types(document: &Json) -> Vec<Option<Type>> {
    let engine = PolicyEngine::of_document(document);
    expressions::variable_types(&PolicyField::root(document).child("spec"), engine)
}

/// Returns the errors for which a new ValidatingAdmissionPolicyBinding is rejected; empty if it is accepted.
pub fn review_binding(document: &Json) -> Vec<PolicyRejection> {
    review_binding_update(document, None)
}

/// Returns the errors for which a ValidatingAdmissionPolicyBinding that replaces `old` is rejected; empty if it is accepted.
/// Unchanged parts are checked too.
// admissionregistration validation.go, ValidateValidatingAdmissionPolicyBindingUpdate
pub fn review_binding_update(document: &Json, old: Option<&Json>) -> Vec<PolicyRejection> {
    match request_error(document, &BINDING) {
        Some(text) => vec![PolicyRejection::bad_request(text)],
        None => binding_refusals(document, old),
    }
}

/// Returns the errors of a binding that decodes. Values that do not decode count as unset.
// admissionregistration validation.go, validateValidatingAdmissionPolicyBindingSpec
pub fn binding_refusals(document: &Json, old: Option<&Json>) -> Vec<PolicyRejection> {
    let mut refusals = PolicyRejections::default();
    let document = &complete_document(document, old);
    refusals.extend_from(metadata_failures(document, old));
    let spec = PolicyField::root(document).child("spec");
    let policy = spec.child("policyName");
    match policy.text() {
        "" => refusals.reject_missing(&policy, ""),
        text => refusals.reject_each(&policy, &names::subdomain_errors(text)),
    }
    param_ref(&spec.child("paramRef"), &mut refusals);
    review_actions(&spec, PolicyEngine::of_document(document), &mut refusals);
    let resources = spec.child("matchResources");
    if resources.is_there() {
        // The server writes the field so, without the `r`.
        constraints::review_constraints(&resources.with_path("spec.matchResouces"), &mut refusals);
    }
    refusals.into_sorted()
}

/// A document with the metadata that the server gives it. It sets the generation itself.
// validatingadmissionpolicy/strategy.go and validatingadmissionpolicybinding/strategy.go, PrepareForCreate
fn complete_document(document: &Json, old: Option<&Json>) -> Json {
    let mut document = document.clone();
    if let Some(metadata) = document.get_mut("metadata") {
        object_meta::complete_metadata(
            metadata,
            old.and_then(|old| old.get("metadata")),
            ResourceScope::Cluster,
        );
        if let Some(fields) = metadata.as_object_mut() {
            fields.shift_remove("generation");
        }
    }
    document
}

// apiserver registry/rest/create.go and update.go; admissionregistration validation.go
fn metadata_failures(document: &Json, old: Option<&Json>) -> Vec<Failure> {
    let metadata = document.get("metadata").unwrap_or(&Json::Null);
    let mut failures =
        object_meta::metadata_violations(metadata, ResourceScope::Cluster, NameRule::Subdomain, "metadata");
    if let Some(old) = old {
        let old = complete_document(old, None);
        let old = old.get("metadata").unwrap_or(&Json::Null);
        failures.extend(object_meta::update_violations(metadata, old, ResourceScope::Cluster, "metadata"));
        // Validation of the object and of the update have checks in common.
        failures.sort();
        failures.dedup();
    }
    failures
}

/// True if nothing has changed that could make match conditions invalid.
// admissionregistration validation.go, ignoreValidatingAdmissionPolicyMatchConditions
fn has_same_conditions(document: &Json, old: &Json) -> bool {
    let parts = [("paramKind", GoType::Pointer(&PARAM_KIND)), ("matchConditions", MATCH_CONDITIONS)];
    parts.into_iter().all(|(name, ty)| {
        let part = |document: &Json| decode_value(document.get("spec")?.get(name)?, ty);
        part(document) == part(old)
    })
}

fn failure_policy(spec: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    let field = spec.child("failurePolicy");
    if field.is_there() {
        refusals.one_of(&field, &["Fail", "Ignore"]);
    }
}

// admissionregistration validation.go, validateParamKind
fn param_kind(field: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    if !field.is_there() {
        return;
    }
    let (version, kind) = (field.child("apiVersion"), field.child("kind"));
    if require_text(&version, refusals) {
        group_version(&version, refusals);
    }
    if require_text(&kind, refusals) {
        let problems = names::label_1035(&kind.text().to_lowercase());
        if !problems.is_empty() {
            let problems = problems.join(",");
            refusals.reject_invalid(
                &kind,
                &format!("may have mixed case, but should otherwise match: {problems}"),
            );
        }
    }
}

// admissionregistration validation.go, validateParamKind
fn group_version(field: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    let text = field.text();
    let Some((group, version)) = parse_group_version(text) else {
        refusals.reject_invalid(field, &format!("unexpected GroupVersion string: {text}"));
        return;
    };
    let mut refuse = |part: &str, problems: Vec<String>| {
        if !problems.is_empty() {
            refusals.invalid_value(field, &Json::from(part), &problems.join(","));
        }
    };
    if !group.is_empty() {
        refuse(group, names::subdomain_errors(group));
    }
    if version.is_empty() {
        refuse(text, vec!["version must be specified".to_owned()]);
    } else {
        refuse(version, names::label_1035(version));
    }
}

/// The group and the version of an `apiVersion`; none if it cannot be read.
// admissionregistration validation.go, parseGroupVersion
fn parse_group_version(text: &str) -> Option<(&str, &str)> {
    if text == "/" {
        return Some(("", ""));
    }
    match text.split_once('/') {
        None => Some(("", text)),
        Some((_, version)) if version.contains('/') => None,
        parts => parts,
    }
}

// admissionregistration validation.go, validateValidatingAdmissionPolicySpec: a policy needs a rule, unlike a binding.
fn match_constraints(field: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    if !field.is_there() {
        refusals.reject_missing(field, "");
        return;
    }
    if field.items("resourceRules").is_empty() {
        refusals.reject_missing(&field.child("resourceRules"), "");
    }
    constraints::review_constraints(field, refusals);
}

// admissionregistration validation.go, validateParamRef
fn param_ref(field: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    if !field.is_there() {
        return;
    }
    let (name, selector) = (field.child("name"), field.child("selector"));
    if !name.text().is_empty() {
        refusals.reject_each(&name, &object_meta::path_segment(name.text()));
    }
    if selector.is_there() {
        constraints::review_selector(&selector, refusals);
    }
    match (name.text().is_empty(), selector.is_there()) {
        (false, true) => {
            for field in [&name, &selector] {
                refusals.reject_forbidden(field, "name and selector are mutually exclusive");
            }
        }
        (true, false) => refusals.reject_missing(field, "one of name or selector must be specified"),
        _ => {}
    }
    let action = field.child("parameterNotFoundAction");
    if require_text(&action, refusals) {
        refusals.one_of(&action, &["Deny", "Allow"]);
    }
}

// admissionregistration validation.go, validateValidationActions
fn review_actions(spec: &PolicyField<'_>, engine: PolicyEngine, refusals: &mut PolicyRejections) {
    let field = spec.child("validationActions");
    let actions = spec.items("validationActions");
    if actions.is_empty() {
        refusals.reject_missing(&field, "at least one validation action is required");
    }
    let mut seen: Vec<&str> = Vec::new();
    for action in &actions {
        refusals.one_of(action, &["Audit", "Deny", "Warn"]);
        if seen.contains(&action.text()) {
            refusals.reject_duplicate(action, action.text());
        }
        seen.push(action.text());
    }
    // The CustomResourceDefinitions of other engines have no rule about both.
    if engine == PolicyEngine::Server && seen.contains(&"Deny") && seen.contains(&"Warn") {
        let text = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                    response and headers serves no purpose)";
        refusals.reject_invalid(&field, text);
    }
}
