//! Notations that policies come from. A reader restates a policy of another engine as a ValidatingAdmissionPolicy, and writes into the
//! document where it comes from; the engine then decides which names expressions see and how they are evaluated.

use std::collections::BTreeMap;

use kvrules_cel::kubernetes::CelEngine;
use kvrules_cel::value::{Key, Value, from_json};
use serde_json::Value as Json;

use super::Denial;
use super::constraint_match::ConstraintMatch;
use super::expression_source::ExpressionSource;
use super::report::Decision;

/// Field of a restated document with its origin. No field of Kubernetes has a slash in its name.
pub const RESTATED_FROM: &str = "kvrules.dev/restated-from";

/// Engine that evaluates a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PolicyEngine {
    /// The API server.
    #[default]
    Server,
    /// Kyverno.
    Kyverno,
    /// Gatekeeper with the driver K8sNativeValidation, which is the server's code in another process.
    Gatekeeper,
}

/// Origin of a policy or a binding.
#[derive(Debug, Default)]
pub struct RestatedOrigin {
    /// Its engine.
    pub engine: PolicyEngine,
    /// The kind as its author wrote it; empty for one of the server.
    pub kind: String,
    /// The name as its author wrote it; empty if it is that of the policy.
    pub name: String,
    /// Reason why its evaluation is unknown.
    pub unknown: Option<String>,
    /// Exceptions from it.
    pub(super) exceptions: Vec<PolicyException>,
}

/// An exception from a policy of Kyverno that allows images or values.
#[derive(Debug)]
pub(super) struct PolicyException {
    /// Its match conditions.
    pub(super) conditions: Vec<ExpressionSource>,
    images: Vec<Json>,
    values: Vec<Json>,
}

impl PolicyEngine {
    /// Returns the engine of a document.
    ///
    /// ```
    /// use kvrules_apiserver::policy::{PolicyEngine, RESTATED_FROM};
    /// let policy = serde_json::json!({"kind": "ValidatingAdmissionPolicy", RESTATED_FROM: {"engine": "Kyverno"}});
    /// assert_eq!(PolicyEngine::of_document(&policy), PolicyEngine::Kyverno);
    /// assert_eq!(PolicyEngine::of_document(&serde_json::json!({})), PolicyEngine::Server);
    /// ```
    pub fn of_document(document: &Json) -> Self {
        match origin_text(document, "engine") {
            "Kyverno" => Self::Kyverno,
            "Gatekeeper" => Self::Gatekeeper,
            _ => Self::Server,
        }
    }

    /// The engine as the origin of a document names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "Server",
            Self::Kyverno => "Kyverno",
            Self::Gatekeeper => "Gatekeeper",
        }
    }

    /// The libraries of its expressions.
    pub fn cel_engine(self) -> CelEngine {
        if self == Self::Kyverno { CelEngine::Kyverno } else { CelEngine::Server }
    }

    /// True if the first validation that fails, or that ends in an error, ends the evaluation.
    // kyverno pkg/cel/policies/vpol/compiler/policy.go, evaluateWithData
    pub(super) fn stops_at_first_failure(self) -> bool {
        self == Self::Kyverno
    }

    /// True if the expressions of a policy share a budget.
    // kyverno pkg/cel/policies/vpol/compiler/policy.go, ContextEval: each program has the limit of a call alone
    pub(super) fn has_budget(self) -> bool {
        self != Self::Kyverno
    }

    /// Values of the engine that no request has.
    // kyverno pkg/cel/policies/vpol/compiler/compiler.go, createBaseVpolEnv
    pub(super) fn unknown_values(self) -> &'static [&'static str] {
        if self == Self::Kyverno {
            &["resource", "http", "globalContext", "image", "json", "yaml"]
        } else {
            &[]
        }
    }

    /// The message for a validation without one.
    pub(super) fn default_message(self, index: usize, expression: &str) -> String {
        match self {
            Self::Kyverno => format!("CEL expression validation failed at index {index}"),
            _ => format!("failed expression: {expression}"),
        }
    }
}

impl RestatedOrigin {
    /// Reads the origin of a document.
    pub(super) fn of_document(document: &Json) -> Self {
        let text = |name: &str| origin_text(document, name).to_owned();
        let list =
            |json: &Json, name: &str| json.get(name).and_then(Json::as_array).cloned().unwrap_or_default();
        let exceptions = document.get(RESTATED_FROM).map(|origin| list(origin, "exceptions"));
        let exception = |json: Json| PolicyException {
            conditions: list(&json, "conditions")
                .iter()
                .filter_map(Json::as_str)
                .map(ExpressionSource::new)
                .collect(),
            images: list(&json, "images"),
            values: list(&json, "allowedValues"),
        };
        Self {
            engine: PolicyEngine::of_document(document),
            kind: text("kind"),
            name: text("name"),
            unknown: Some(text("unknown")).filter(|it| !it.is_empty()),
            exceptions: exceptions.unwrap_or_default().into_iter().map(exception).collect(),
        }
    }
}

impl RestatedOrigin {
    /// The name of a policy in the messages of its engine.
    fn shown_name<'n>(&'n self, name: &'n str) -> &'n str {
        if self.name.is_empty() { name } else { &self.name }
    }

    /// The words of the engine about a decision; `None` for the server.
    // kyverno pkg/webhooks/resource/vpol/handler.go, admissionResponse; gatekeeper pkg/webhook/policy.go, getValidationMessages
    fn engine_words(&self, name: &str, binding: &str, decision: &Decision) -> Option<String> {
        let text = &decision.message;
        match self.engine {
            PolicyEngine::Server => None,
            PolicyEngine::Kyverno if decision.is_error => {
                Some(format!("Policy {} error: {text}", self.shown_name(name)))
            }
            PolicyEngine::Kyverno => Some(format!("Policy {} failed: {text}", self.shown_name(name))),
            PolicyEngine::Gatekeeper => Some(format!("[{binding}] {text}")),
        }
    }

    /// The warning of the engine; `None` for the server.
    pub(super) fn warning(&self, name: &str, binding: &str, decision: &Decision) -> Option<String> {
        self.engine_words(name, binding, decision)
    }

    /// The denial of the engine's webhook; `None` for the server.
    // apiserver admission/plugin/webhook/errors/statuserror.go, ToStatusErr; kyverno pkg/utils/admission/response.go, Response;
    // gatekeeper pkg/webhook/policy.go, Handle
    pub(super) fn denial(&self, name: &str, binding: &str, decision: &Decision) -> Option<Denial> {
        let webhook = match self.engine {
            PolicyEngine::Server => return None,
            PolicyEngine::Kyverno => "vpol.validate.kyverno.svc-fail",
            PolicyEngine::Gatekeeper => "validation.gatekeeper.sh",
        };
        let cause = self.engine_words(name, binding, decision)?;
        let message = format!("admission webhook \"{webhook}\" denied the request: {cause}");
        let (code, reason) = match self.engine {
            PolicyEngine::Gatekeeper => (403, "Forbidden"),
            _ => (400, "BadRequest"),
        };
        Some(Denial { code, reason: reason.to_owned(), cause, message })
    }
}

impl PolicyException {
    /// The value of `exceptions` in expressions, of the exceptions that match.
    // kyverno pkg/cel/libs/variables.go, Exception
    pub(super) fn allowed_value<'e>(matching: impl Iterator<Item = &'e Self>) -> Value {
        let (mut images, mut values) = (Vec::new(), Vec::new());
        for exception in matching {
            images.extend(exception.images.iter().map(from_json));
            values.extend(exception.values.iter().map(from_json));
        }
        let fields = [("allowedImages", images), ("allowedValues", values)];
        let fields = fields.map(|(name, items)| (Key::String(name.into()), Value::from_items(items)));
        Value::from_entries(BTreeMap::from(fields))
    }
}

/// Returns the match of a constraint that a binding stands for; `None` for other bindings.
pub(super) fn constraint_match(binding: &Json) -> Option<ConstraintMatch> {
    let is_constraint = PolicyEngine::of_document(binding) == PolicyEngine::Gatekeeper;
    let matching = binding.get(RESTATED_FROM).filter(|_| is_constraint)?.get("match");
    Some(ConstraintMatch::from_json(matching.unwrap_or(&Json::Null)))
}

/// Returns the kind of a policy or a binding as its author wrote it.
///
/// ```
/// use kvrules_apiserver::policy::{RESTATED_FROM, written_kind};
/// use serde_json::json;
/// let policy = json!({"kind": "ValidatingAdmissionPolicy", RESTATED_FROM: {"engine": "Kyverno", "kind": "ValidatingPolicy"}});
/// assert_eq!(written_kind(&policy), "ValidatingPolicy");
/// assert_eq!(written_kind(&json!({"kind": "ValidatingAdmissionPolicy"})), "ValidatingAdmissionPolicy");
/// ```
pub fn written_kind(document: &Json) -> &str {
    match origin_text(document, "kind") {
        "" => document.get("kind").and_then(Json::as_str).unwrap_or_default(),
        kind => kind,
    }
}

/// Returns the kind of a document's author, and `None` for a document that is not restated.
pub fn restated_kind(document: &Json) -> Option<&str> {
    Some(origin_text(document, "kind")).filter(|kind| !kind.is_empty())
}

/// Returns the definition of a policy's parameters that its engine makes.
pub fn restated_definition(document: &Json) -> Option<&Json> {
    document.get(RESTATED_FROM)?.get("definition")
}

/// True if an engine made the policy of another one that the author wrote, as Kyverno does for controllers of Pods.
pub fn is_generated_policy(document: &Json) -> bool {
    document.get(RESTATED_FROM).and_then(|origin| origin.get("isGenerated")).is_some_and(|it| it == true)
}

fn origin_text<'d>(document: &'d Json, name: &str) -> &'d str {
    document.get(RESTATED_FROM).and_then(|origin| origin.get(name)).and_then(Json::as_str).unwrap_or_default()
}
