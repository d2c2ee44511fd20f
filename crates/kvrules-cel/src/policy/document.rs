//! Policies and bindings as documents.

use serde_json::Value as Json;

use super::Request;
use crate::ast::Expression;
use crate::{ParseError, parse};

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
    /// The values of `spec.auditAnnotations`.
    pub annotations: Vec<Source>,
    /// Whether there is a `spec.paramKind`.
    pub has_params: bool,
    rules: Vec<ResourceRule>,
}

/// An expression and the tree of it.
#[derive(Debug)]
pub struct Source {
    /// As written.
    pub text: String,
    /// Parsed.
    pub parsed: Result<Expression, ParseError>,
}

/// What happens on errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePolicy {
    /// An error denies.
    Fail,
    /// An error is passed over.
    Ignore,
}

/// An entry of `matchConditions`.
#[derive(Debug)]
pub struct Condition {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: Source,
}

/// An entry of `variables`.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: Source,
}

/// An entry of `validations`.
#[derive(Debug)]
pub struct Validation {
    /// Its expression.
    pub expression: Source,
    /// `message`; empty when there is none.
    pub message: String,
    /// `messageExpression`
    pub message_expression: Option<Source>,
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
    pub actions: Vec<Action>,
    /// The name in `spec.paramRef`, when there is one.
    pub param: Option<String>,
    /// Whether a missing parameter denies.
    pub missing_param_denies: bool,
}

/// What follows from a failed validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The request is refused.
    Deny,
    /// The client is warned.
    Warn,
    /// The audit log has it.
    Audit,
}

#[derive(Debug)]
struct ResourceRule {
    groups: Vec<String>,
    operations: Vec<String>,
    resources: Vec<String>,
}

impl Source {
    fn new(text: &str) -> Self {
        // Blanks at both ends are cut off before parsing, so positions count from what is left.
        let text = text.trim().to_owned();
        Self { parsed: parse(&text), text }
    }
}

impl Policy {
    /// Reads a policy; what is missing takes its default.
    pub fn read(json: &Json) -> Self {
        let spec = json.get("spec").unwrap_or(&Json::Null);
        let list = |name: &str| spec.get(name).and_then(Json::as_array).into_iter().flatten();
        let failure_policy = match text(spec, "failurePolicy").as_str() {
            "Ignore" => FailurePolicy::Ignore,
            _ => FailurePolicy::Fail,
        };
        let named = |json: &Json| (text(json, "name"), Source::new(&text(json, "expression")));
        let rules =
            spec.get("matchConstraints").and_then(|it| it.get("resourceRules")).and_then(Json::as_array);
        Self {
            name: name(json),
            failure_policy,
            conditions: list("matchConditions")
                .map(named)
                .map(|(name, expression)| Condition { name, expression })
                .collect(),
            variables: list("variables")
                .map(named)
                .map(|(name, expression)| Variable { name, expression })
                .collect(),
            validations: list("validations").map(validation).collect(),
            annotations: list("auditAnnotations")
                .map(|it| Source::new(&text(it, "valueExpression")))
                .collect(),
            has_params: spec.get("paramKind").is_some_and(Json::is_object),
            rules: rules.into_iter().flatten().map(resource_rule).collect(),
        }
    }

    /// Whether `matchConstraints` catch a request, versions aside (as with matchPolicy Equivalent).
    pub fn matches(&self, request: &Request) -> bool {
        let holds = |list: &[String], value: &str| list.iter().any(|it| it == "*" || it == value);
        self.rules.iter().any(|rule| {
            holds(&rule.groups, &request.group)
                && holds(&rule.operations, &request.operation)
                && (holds(&rule.resources, &request.resource) || rule.resources.iter().any(|it| it == "*/*"))
        })
    }
}

impl Binding {
    /// Reads a binding.
    pub fn read(json: &Json) -> Self {
        let spec = json.get("spec").unwrap_or(&Json::Null);
        let actions = spec.get("validationActions").and_then(Json::as_array).into_iter().flatten();
        let action = |json: &Json| match json.as_str() {
            Some("Deny") => Some(Action::Deny),
            Some("Warn") => Some(Action::Warn),
            Some("Audit") => Some(Action::Audit),
            _ => None,
        };
        let param = spec.get("paramRef").filter(|it| it.is_object());
        Self {
            name: name(json),
            policy: text(spec, "policyName"),
            actions: actions.filter_map(action).collect(),
            param: param.map(|it| text(it, "name")),
            missing_param_denies: param.is_some_and(|it| text(it, "parameterNotFoundAction") == "Deny"),
        }
    }
}

fn text(json: &Json, field: &str) -> String {
    json.get(field).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn name(json: &Json) -> String {
    json.get("metadata").map(|it| text(it, "name")).unwrap_or_default()
}

fn validation(json: &Json) -> Validation {
    let reason = text(json, "reason");
    Validation {
        expression: Source::new(&text(json, "expression")),
        message: text(json, "message").trim().to_owned(),
        message_expression: Some(text(json, "messageExpression"))
            .filter(|it| !it.is_empty())
            .map(|it| Source::new(&it)),
        reason: if reason.is_empty() { "Invalid".to_owned() } else { reason },
    }
}

fn resource_rule(json: &Json) -> ResourceRule {
    let list = |field: &str| {
        let items = json.get(field).and_then(Json::as_array).into_iter().flatten();
        items.filter_map(Json::as_str).map(str::to_owned).collect()
    };
    ResourceRule { groups: list("apiGroups"), operations: list("operations"), resources: list("resources") }
}
