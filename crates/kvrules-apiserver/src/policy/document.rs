//! Policies and bindings as documents.

use serde_json::Value as Json;

use super::constraint_match::ConstraintMatch;
use super::expression_source::ExpressionSource;
use super::matching::{LabelSelector, MatchOutcome, MatchResources, object_labels};
use super::notation::{RestatedOrigin, constraint_match};
use super::report::Mismatch;
use super::{Request, UnsupportedRequest};

/// A ValidatingAdmissionPolicy whose expressions have been parsed.
#[derive(Debug)]
pub struct Policy {
    /// `metadata.name`
    pub name: String,
    /// `spec.failurePolicy`
    pub failure_policy: FailurePolicy,
    /// `spec.matchConditions`
    pub conditions: Vec<Condition>,
    /// `spec.variables`
    pub variables: Vec<Variable>,
    /// `spec.validations`
    pub validations: Vec<Validation>,
    /// `spec.auditAnnotations`
    pub annotations: Vec<AuditAnnotation>,
    /// `spec.paramKind`
    pub param_kind: Option<ParamKind>,
    /// The notation that it comes from.
    pub origin: RestatedOrigin,
    matching: MatchResources,
}

/// Kind of a policy's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamKind {
    /// `apiVersion`
    pub api_version: String,
    /// `kind`
    pub kind: String,
    /// Scope of the resource; without it a parameter without a namespace is the same for all namespaces.
    pub scope: Option<ResourceScope>,
}

/// Scope of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceScope {
    /// Its objects are in namespaces.
    Namespaced,
    /// Its objects are not in namespaces.
    Cluster,
}

/// An entry of `auditAnnotations`.
#[derive(Debug)]
pub struct AuditAnnotation {
    /// Its key, without the name of the policy.
    pub key: String,
    /// Its value.
    pub expression: ExpressionSource,
}

/// Treatment of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePolicy {
    /// An error denies.
    Fail,
    /// An error is skipped.
    Ignore,
}

/// An entry of `matchConditions`.
#[derive(Debug)]
pub struct Condition {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: ExpressionSource,
}

/// An entry of `variables`.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: ExpressionSource,
}

/// An entry of `validations`.
#[derive(Debug)]
pub struct Validation {
    /// Its expression.
    pub expression: ExpressionSource,
    /// `message`; empty if missing.
    pub message: String,
    /// `messageExpression`
    pub message_expression: Option<ExpressionSource>,
    /// `reason`; `Invalid` when there is none.
    pub reason: String,
}

/// A ValidatingAdmissionPolicyBinding.
#[derive(Clone, Debug)]
pub struct Binding {
    /// `metadata.name`
    pub name: String,
    /// `spec.policyName`
    pub policy: String,
    /// `spec.validationActions`
    pub actions: Vec<ValidationAction>,
    /// `spec.paramRef`
    pub param: Option<ParamRef>,
    /// The selection of a constraint, if the binding stands for one.
    constraint: Option<ConstraintMatch>,
    matching: MatchResources,
}

/// Parameters that a binding selects.
#[derive(Clone, Debug)]
pub struct ParamRef {
    /// The name, unless a selector chooses.
    pub name: Option<String>,
    /// The namespace; that of the request if there is none.
    pub namespace: Option<String>,
    /// True if a missing parameter denies.
    pub missing_denies: bool,
    selector: LabelSelector,
}

/// Consequence of a failed validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationAction {
    /// The request is refused.
    Deny,
    /// The client is warned.
    Warn,
    /// The audit log has it.
    Audit,
}

impl Policy {
    /// Reads a policy; what is missing takes its default.
    pub fn from_json(json: &Json) -> Self {
        let spec = json.get("spec").unwrap_or(&Json::Null);
        let list = |name: &str| spec.get(name).and_then(Json::as_array).into_iter().flatten();
        // admissionregistration v1/defaults.go sets Fail.
        let failure_policy = match text_field(spec, "failurePolicy").as_str() {
            "Ignore" => FailurePolicy::Ignore,
            _ => FailurePolicy::Fail,
        };
        let named =
            |json: &Json| (text_field(json, "name"), ExpressionSource::new(&text_field(json, "expression")));
        Self {
            name: name(json),
            origin: RestatedOrigin::of_document(json),
            failure_policy,
            conditions: list("matchConditions")
                .map(named)
                .map(|(name, expression)| Condition { name, expression })
                .collect(),
            variables: list("variables")
                .map(named)
                .map(|(name, expression)| Variable { name, expression })
                .collect(),
            validations: list("validations").map(read_validation).collect(),
            annotations: list("auditAnnotations")
                .map(|it| AuditAnnotation {
                    key: text_field(it, "key"),
                    expression: ExpressionSource::new(&text_field(it, "valueExpression")),
                })
                .collect(),
            param_kind: spec.get("paramKind").filter(|it| it.is_object()).map(|it| ParamKind {
                api_version: text_field(it, "apiVersion"),
                kind: text_field(it, "kind"),
                scope: None,
            }),
            matching: MatchResources::from_json(spec.get("matchConstraints").unwrap_or(&Json::Null)),
        }
    }

    /// True if `matchConstraints` match a request. With the match policy `Equivalent` every version of a resource matches;
    /// only the server knows which resources of other groups are equivalent. The error names what the request does not specify.
    pub fn matches_request(&self, request: &Request) -> Result<bool, UnsupportedRequest> {
        Ok(!matches!(self.match_request(request)?, MatchOutcome::Excluded(_)))
    }

    pub(super) fn match_request(&self, request: &Request) -> Result<MatchOutcome, UnsupportedRequest> {
        self.matching.match_request(request)
    }
}

impl Binding {
    /// A binding that denies whatever violates a policy.
    pub fn for_policy(name: &str, policy: &str) -> Self {
        Self {
            name: name.to_owned(),
            policy: policy.to_owned(),
            actions: vec![ValidationAction::Deny],
            param: None,
            constraint: None,
            matching: MatchResources::from_json(&Json::Null),
        }
    }

    /// Reads a binding.
    pub fn from_json(json: &Json) -> Self {
        let spec = json.get("spec").unwrap_or(&Json::Null);
        let actions = spec.get("validationActions").and_then(Json::as_array).into_iter().flatten();
        let action = |json: &Json| match json.as_str() {
            Some("Deny") => Some(ValidationAction::Deny),
            Some("Warn") => Some(ValidationAction::Warn),
            Some("Audit") => Some(ValidationAction::Audit),
            _ => None,
        };
        Self {
            name: name(json),
            policy: text_field(spec, "policyName"),
            actions: actions.filter_map(action).collect(),
            param: spec.get("paramRef").filter(|it| it.is_object()).map(ParamRef::from_json),
            constraint: constraint_match(json),
            matching: MatchResources::from_json(spec.get("matchResources").unwrap_or(&Json::Null)),
        }
    }

    /// True if `matchResources` match a request, as [`Policy::matches_request`].
    pub fn matches_request(&self, request: &Request) -> Result<bool, UnsupportedRequest> {
        Ok(!matches!(self.match_request(request)?, MatchOutcome::Excluded(_)))
    }

    pub(super) fn match_request(&self, request: &Request) -> Result<MatchOutcome, UnsupportedRequest> {
        if let Some(field) = self.constraint.as_ref().and_then(|it| it.excluding_field(request)) {
            return Ok(MatchOutcome::Excluded(Mismatch::Constraint(field)));
        }
        self.matching.match_request(request)
    }
}

impl ValidationAction {
    /// Returns the action as the API names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "Deny",
            Self::Warn => "Warn",
            Self::Audit => "Audit",
        }
    }
}

impl ParamRef {
    fn from_json(json: &Json) -> Self {
        let given = |field: &str| Some(text_field(json, field)).filter(|it| !it.is_empty());
        Self {
            name: given("name"),
            namespace: given("namespace"),
            missing_denies: text_field(json, "parameterNotFoundAction") == "Deny",
            selector: LabelSelector::from_json(json.get("selector")),
        }
    }

    /// True if a request in this namespace uses a parameter of this name. A parameter without a namespace is the same for all.
    // policy/generic/policy_dispatcher.go, CollectParams: the namespace is that of the reference, or else of the request.
    pub(super) fn selects(&self, name: &str, param: &Json, kind: &ParamKind, namespace: &str) -> bool {
        let wanted = self.namespace.as_deref().unwrap_or(namespace);
        let own = param.pointer("/metadata/namespace").and_then(Json::as_str).unwrap_or(wanted);
        kind.is_kind_of(param)
            && (own == wanted || kind.scope == Some(ResourceScope::Cluster))
            && self
                .name
                .as_ref()
                .map_or_else(|| self.selector.matches_labels(object_labels(param)), |it| it == name)
    }
}

impl ParamKind {
    /// True if an object is of this kind, as far as it names one.
    fn is_kind_of(&self, param: &Json) -> bool {
        let is_equal =
            |field, wanted: &str| param.get(field).and_then(Json::as_str).is_none_or(|it| it == wanted);
        is_equal("apiVersion", &self.api_version) && is_equal("kind", &self.kind)
    }
}

fn text_field(json: &Json, field: &str) -> String {
    json.get(field).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn name(json: &Json) -> String {
    json.get("metadata").map(|it| text_field(it, "name")).unwrap_or_default()
}

fn read_validation(json: &Json) -> Validation {
    let reason = text_field(json, "reason");
    Validation {
        expression: ExpressionSource::new(&text_field(json, "expression")),
        message: text_field(json, "message").trim().to_owned(),
        message_expression: Some(text_field(json, "messageExpression"))
            .filter(|it| !it.is_empty())
            .map(|it| ExpressionSource::new(&it)),
        reason: if reason.is_empty() { "Invalid".to_owned() } else { reason },
    }
}
