//! ValidatingAdmissionPolicies over a request: what the server would answer.
//!
//! The object of a request is expected as the server sees it at that point: pruned, defaulted, mutated. Whether a
//! document would be accepted at all is [`acceptance`]'s question.

pub mod acceptance;
mod audit;
mod constraint_match;
mod decide;
mod document;
mod expression_source;
mod expressions;
mod matching;
mod notation;
mod report;
mod variables;

use std::collections::BTreeMap;
use std::sync::Arc;

use kvrules_cel::value::{Authorization, Key, Value, from_json};
use serde_json::Value as Json;

pub use document::{
    AuditAnnotation, Binding, Condition, FailurePolicy, ParamKind, ParamRef, Policy, ResourceScope,
    Validation, ValidationAction, Variable,
};
pub use expression_source::ExpressionSource;
pub use expressions::PolicyExpression;
pub(crate) use matching::LabelSelector;
pub use notation::{
    PolicyEngine, RESTATED_FROM, RestatedOrigin, is_generated_policy, restated_definition, restated_kind,
    written_kind,
};
pub use report::{
    BindingOutcome, BindingReport, Decision, DecisionOrigin, Mismatch, ParamReport, PolicyOutcome,
    PolicyReport,
};

use crate::server::ServerFeatures;
pub use kvrules_cel::value::{AuthorizationCheck, AuthorizationSource};
use matching::MatchOutcome;

/// The cost that the expressions of one policy may have together for one binding.
// apiserver apis/cel/config.go, RuntimeCELCostBudget and RuntimeCELCostBudgetMatchConditions
pub const BINDING_LIMIT: u64 = 10_000_000;
/// The cost that the match conditions of one policy may have together.
pub const MATCH_LIMIT: u64 = 2_500_000;

/// A request to the server.
#[derive(Clone, Debug)]
pub struct Request {
    /// `CREATE`, `UPDATE`, …
    pub operation: String,
    /// The API group of the resource.
    pub group: String,
    /// The version of the API.
    pub version: String,
    /// The resource, such as `virtualmachines`.
    pub resource: String,
    /// The part of it, such as `scale`; empty for the resource itself.
    pub subresource: String,
    /// The name of the object.
    pub name: String,
    /// Its namespace; empty when it has none.
    pub namespace: String,
    /// The new object; null on a deletion.
    pub object: Json,
    /// The old object; null on a creation.
    pub old_object: Json,
    /// The namespace's object; null when it is not known, or there is none.
    pub namespace_object: Json,
    /// Further fields of `request` in expressions: `userInfo`, `dryRun`, `options`; an object. An expression that
    /// asks for one of these that is not given is refused.
    pub extra: Json,
    /// The parameters that bindings name, each with its name.
    pub params: Vec<(String, Json)>,
    /// True if a policy for another version of the object is to be reported as [`PolicyOutcome::NeedsConversion`].
    pub is_exact: bool,
    /// The versions in which the server serves the resource; with `None` it may serve any.
    pub served: Option<Vec<String>>,
    /// The answers of `authorizer`; without them an expression that asks it is refused.
    pub authorizer: Option<Arc<dyn AuthorizationSource>>,
    /// The server, which determines costs: before 1.32, calls of Kubernetes' functions cost 1 in policies.
    pub server: ServerFeatures,
}

/// The answer of the policies to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyAnswer {
    /// The denial of the request; `None` if it is admitted.
    pub denial: Option<Denial>,
    /// Warnings, in the order in which they are sent.
    pub warnings: Vec<String>,
    /// Annotations of the audit event.
    pub audit: BTreeMap<String, String>,
}

impl PolicyAnswer {
    /// Adds a warning, which is sent once.
    // apiserver endpoints/filters/warning.go, recorder.AddWarning
    fn add_warning(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// A denial as the API reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The HTTP status.
    pub code: u16,
    /// `Invalid`, `Forbidden`, `RequestEntityTooLarge`.
    pub reason: String,
    /// The text of the cause: which policy, which binding, what message.
    pub cause: String,
    /// The whole message of the answer.
    pub message: String,
}

/// Something in an expression that this crate does not evaluate, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedRequest(pub String);

impl std::fmt::Display for UnsupportedRequest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for UnsupportedRequest {}

/// Returns the answer of the policies to a request, in the order given.
///
/// ```
/// use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
/// use serde_json::json;
/// let policy = Policy::from_json(&json!({"metadata": {"name": "p"}, "spec": {
///     "matchConstraints": {"resourceRules": [{"apiGroups": ["kubevirt.io"], "apiVersions": ["v1"],
///         "operations": ["CREATE"], "resources": ["virtualmachines"]}]},
///     "validations": [{"expression": "object.spec.running == true", "message": "must run"}],
/// }}));
/// let binding = Binding::from_json(&json!({"metadata": {"name": "b"}, "spec": {
///     "policyName": "p", "validationActions": ["Deny"]}}));
/// let request = Request::for_creation("kubevirt.io", "virtualmachines", json!({
///     "metadata": {"name": "vm1"}, "spec": {"running": false}}));
/// let denial = admit_request(&[policy], &[binding], &request).unwrap().denial.unwrap();
/// assert_eq!(denial.cause, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: must run");
/// assert_eq!(denial.code, 422);
/// ```
pub fn admit_request(
    policies: &[Policy],
    bindings: &[Binding],
    request: &Request,
) -> Result<PolicyAnswer, UnsupportedRequest> {
    let reports = report_request(policies, bindings, request);
    for report in &reports {
        let of_bindings = match &report.outcome {
            PolicyOutcome::Unsupported(what) => return Err(UnsupportedRequest(what.clone())),
            PolicyOutcome::Bound(reports) => reports.as_slice(),
            _ => &[],
        };
        for binding in of_bindings {
            if let BindingOutcome::Unsupported(what) = &binding.outcome {
                return Err(UnsupportedRequest(what.clone()));
            }
        }
    }
    Ok(answer_from_reports(policies, bindings, request, &reports))
}

/// Reports the result of each policy with each of its bindings, in the order given. A rule for another version of the object's
/// resource matches, unless the request is exact.
// admission/plugin/policy/validating/dispatcher.go, Dispatch
pub fn report_request(policies: &[Policy], bindings: &[Binding], request: &Request) -> Vec<PolicyReport> {
    let is_exempt = matching::is_exempt(request);
    let report = |(index, policy)| {
        let outcome =
            if is_exempt { PolicyOutcome::Exempt } else { report_policy(policy, bindings, request) };
        PolicyReport { policy: index, outcome }
    };
    policies.iter().enumerate().map(report).collect()
}

fn report_policy(policy: &Policy, bindings: &[Binding], request: &Request) -> PolicyOutcome {
    if let Some(what) = &policy.origin.unknown {
        return PolicyOutcome::Unsupported(what.clone());
    }
    match policy.match_request(request) {
        Err(UnsupportedRequest(what)) => return PolicyOutcome::Unsupported(what),
        Ok(MatchOutcome::Excluded(mismatch)) => return PolicyOutcome::NotMatched(mismatch),
        Ok(MatchOutcome::Equivalent(versions)) if request.is_exact => {
            return PolicyOutcome::NeedsConversion(versions);
        }
        Ok(MatchOutcome::Equivalent(_) | MatchOutcome::Exact) => {}
    }
    let own = bindings.iter().enumerate().filter(|(_, binding)| binding.policy == policy.name);
    let report = |(index, binding): (usize, &Binding)| {
        let outcome = match binding.match_request(request) {
            Err(UnsupportedRequest(what)) => BindingOutcome::Unsupported(what),
            Ok(MatchOutcome::Excluded(mismatch)) => BindingOutcome::NotMatched(mismatch),
            Ok(MatchOutcome::Equivalent(versions)) if request.is_exact && request.served.is_none() => {
                BindingOutcome::Unsupported(request.unknown_versions(&versions))
            }
            Ok(_) => decide::decide_request(policy, binding, request)
                .unwrap_or_else(|UnsupportedRequest(what)| BindingOutcome::Unsupported(what)),
        };
        BindingReport { binding: index, outcome }
    };
    PolicyOutcome::Bound(own.map(report).collect())
}

/// Returns the answer of the server that reports lead to; parts that are unsupported are left out.
pub fn answer_from_reports(
    policies: &[Policy],
    bindings: &[Binding],
    request: &Request,
    reports: &[PolicyReport],
) -> PolicyAnswer {
    let (mut answer, mut failures) = (PolicyAnswer::default(), Vec::new());
    for report in reports {
        let (Some(policy), PolicyOutcome::Bound(bound)) = (policies.get(report.policy), &report.outcome)
        else {
            continue;
        };
        let mut annotations = audit::AnnotationCollector::default();
        for one in bound {
            let Some(binding) = bindings.get(one.binding) else { continue };
            match &one.outcome {
                BindingOutcome::ParamError(decision) => {
                    apply_decision((policy, binding), decision, request, &mut answer, &mut failures);
                }
                BindingOutcome::Evaluated(params) => {
                    for param in params {
                        for decision in &param.decisions {
                            apply_decision((policy, binding), decision, request, &mut answer, &mut failures);
                        }
                        annotations.add_all(&param.annotations);
                    }
                }
                _ => {}
            }
        }
        annotations.publish(&policy.name, &mut answer.audit);
    }
    failures.truncate(request.server.audited_failures());
    audit::publish_failures(&failures, &mut answer.audit);
    answer
}

fn apply_decision(
    (policy, binding): (&Policy, &Binding),
    decision: &Decision,
    request: &Request,
    answer: &mut PolicyAnswer,
    failures: &mut Vec<String>,
) {
    if decision.is_ignored {
        return;
    }
    let (name, by, text) = (&policy.name, &binding.name, &decision.message);
    for action in &binding.actions {
        // An error before the validations always denies, whatever actions the binding lists.
        match if decision.always { ValidationAction::Deny } else { *action } {
            ValidationAction::Warn => {
                answer.add_warning(policy.origin.warning(name, by, decision).unwrap_or_else(|| {
                    format!(
                        "Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{by}': {text}"
                    )
                }));
            }
            // Only the first denial is reported, but later policies still send warnings.
            ValidationAction::Deny if answer.denial.is_none() => {
                let of_engine = policy.origin.denial(name, by, decision);
                answer.denial = Some(of_engine.unwrap_or_else(|| {
                    let cause = format!(
                        "ValidatingAdmissionPolicy '{name}' with binding '{by}' denied request: {text}"
                    );
                    new_denial(request, &decision.reason, cause)
                }));
            }
            ValidationAction::Deny => {}
            ValidationAction::Audit => failures.push(audit::describe_failure(binding, decision)),
        }
    }
}

// policy/validating/policy_decision.go, reasonToCode; the message is that of admission.NewForbidden for every reason.
fn new_denial(request: &Request, reason: &str, cause: String) -> Denial {
    let code = match reason {
        "Forbidden" => 403,
        "Unauthorized" => 401,
        "RequestEntityTooLarge" => 413,
        _ => 422,
    };
    let Request { resource, group, name, .. } = request;
    let kind = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
    let message = format!("{kind} {name:?} is forbidden: {cause}");
    Denial { code, reason: reason.to_owned(), cause, message }
}

impl Request {
    /// The creation of an object.
    pub fn for_creation(group: &str, resource: &str, object: Json) -> Self {
        let text = |field: &str| {
            object
                .get("metadata")
                .and_then(|it| it.get(field))
                .and_then(Json::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            operation: "CREATE".to_owned(),
            group: group.to_owned(),
            version: object_version(&object),
            resource: resource.to_owned(),
            subresource: String::new(),
            name: text("name"),
            namespace: text("namespace"),
            object,
            old_object: Json::Null,
            namespace_object: Json::Null,
            extra: Json::Object(serde_json::Map::new()),
            params: Vec::new(),
            is_exact: false,
            served: None,
            authorizer: None,
            server: ServerFeatures::default(),
        }
    }

    /// The update of an object.
    pub fn for_update(group: &str, resource: &str, object: Json, old: Json) -> Self {
        Self {
            operation: "UPDATE".to_owned(),
            old_object: old,
            ..Self::for_creation(group, resource, object)
        }
    }

    /// The deletion of an object.
    pub fn for_deletion(group: &str, resource: &str, old: Json) -> Self {
        let request = Self::for_creation(group, resource, old);
        let old_object = request.object;
        Self { operation: "DELETE".to_owned(), object: Json::Null, old_object, ..request }
    }

    /// True if the server may convert the object to one of these versions.
    pub(super) fn may_serve(&self, versions: &[String]) -> bool {
        let Some(served) = &self.served else { return true };
        versions.iter().any(|version| version == "*" || served.contains(version))
    }

    /// Names the versions of which it is not known whether the server serves the resource in them.
    pub(super) fn unknown_versions(&self, versions: &[String]) -> String {
        format!(
            "a rule for {} in version {}, which no definition declares,",
            self.resource,
            versions.join(", ")
        )
    }

    /// `request` as expressions see it. What is empty is left out; what only the server knows is unknown.
    // admission/plugin/cel/condition.go, CreateAdmissionRequest. It leaves out the objects, which are variables themselves.
    fn as_value(&self, engine: PolicyEngine) -> Value {
        // A deletion has no new object.
        let object = if self.object.is_null() { &self.old_object } else { &self.object };
        let text = |field: &str| object.get(field).and_then(Json::as_str).unwrap_or_default();
        // The object written to a subresource may be of another group than the resource.
        let group = text("apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
        let kind =
            serde_json::json!({"group": group, "version": object_version(object), "kind": text("kind")});
        let resource =
            serde_json::json!({"group": self.group, "version": self.version, "resource": self.resource});
        let mut fields = BTreeMap::new();
        let mut add = |name: &str, value: Value| {
            fields.insert(Key::String(name.into()), value);
        };
        for (name, json) in
            [("kind", &kind), ("requestKind", &kind), ("resource", &resource), ("requestResource", &resource)]
        {
            add(name, from_json(json));
        }
        for (name, text) in [
            ("subResource", &self.subresource),
            ("requestSubResource", &self.subresource),
            ("name", &self.name),
            ("namespace", &self.namespace),
            ("operation", &self.operation),
        ] {
            if !text.is_empty() {
                add(name, text.as_str().into());
            }
        }
        for name in ["userInfo", "dryRun", "options"] {
            add(name, Value::Unknown(name));
        }
        // kyverno pkg/cel/compiler/request.go, BuildRequestType
        if engine == PolicyEngine::Kyverno {
            for (name, json) in [("object", &self.object), ("oldObject", &self.old_object)] {
                add(name, from_json(json));
            }
        }
        for (name, json) in self.extra.as_object().into_iter().flatten() {
            add(name, from_json(json));
        }
        Value::from_entries(fields)
    }

    /// `authorizer` for the user of the request, unknown when the caller has not given it.
    // admission/plugin/cel/condition.go, ForInput; pkg/cel/library/authz.go, NewResourceAuthorizerVal
    fn authorizer_value(&self) -> Value {
        let Some(source) = &self.authorizer else { return Value::Unknown("authorizer") };
        let resource = AuthorizationCheck {
            group: self.group.clone(),
            resource: self.resource.clone(),
            subresource: self.subresource.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            ..AuthorizationCheck::default()
        };
        Value::Authorization(Arc::new(Authorization::for_request(Arc::clone(source), resource)))
    }

    /// `namespaceObject`: null for what has no namespace, unknown when the caller has not given it.
    // admission/plugin/cel/condition.go, CreateNamespaceObject
    fn namespace_value(&self) -> Value {
        // validating/dispatcher.go, Dispatch: a request about a namespace has none around it, although it names itself.
        if self.group.is_empty() && self.resource == "namespaces" {
            return Value::Null;
        }
        match &self.namespace_object {
            Json::Null if self.namespace.is_empty() => Value::Null,
            Json::Null => Value::Unknown("namespaceObject"),
            namespace => from_json(&visible_namespace(namespace)),
        }
    }
}

/// The fields of a namespace that expressions see, of which `spec` and `status` are always there.
// admission/plugin/cel/condition.go, CreateNamespaceObject: neither kind and version nor owners and managed fields are copied
fn visible_namespace(namespace: &Json) -> Json {
    let mut metadata = namespace.get("metadata").cloned().unwrap_or_else(|| serde_json::json!({}));
    if let Some(fields) = metadata.as_object_mut() {
        fields.retain(|name, _| !matches!(name.as_str(), "managedFields" | "ownerReferences" | "selfLink"));
    }
    let part = |name: &str| namespace.get(name).cloned().unwrap_or_else(|| serde_json::json!({}));
    serde_json::json!({"metadata": metadata, "spec": part("spec"), "status": part("status")})
}

/// The version in an object's `apiVersion`.
fn object_version(object: &Json) -> String {
    let whole = object.get("apiVersion").and_then(Json::as_str).unwrap_or_default();
    whole.rsplit('/').next().unwrap_or_default().to_owned()
}
