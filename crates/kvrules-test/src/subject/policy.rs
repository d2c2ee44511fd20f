//! Policies with their bindings.

use kvrules_apiserver::policy::acceptance::{policy_refusals_on, review_policy};
use kvrules_apiserver::policy::{Binding, Policy, ResourceScope};
use kvrules_apiserver::server::{PolicyApi, ServerFeatures};
use kvrules_cel::kubernetes::KubernetesVersion;
use serde_json::{Value, json};

use super::per_server::PerServer;
use super::{NamedRule, RuleOrigin};
use crate::document::{field, list_items, metadata_text, text_field};

/// Policies, ready for requests.
#[derive(Debug)]
pub struct PolicySubject {
    documents: Vec<(RuleOrigin, Value)>,
    bindings_json: Vec<Value>,
    /// The policies.
    pub policies: Vec<Policy>,
    /// The bindings.
    pub bindings: Vec<Binding>,
    refusals: PerServer<Vec<String>>,
    param_scope: Option<ResourceScope>,
    is_unreviewed: bool,
    is_restated: bool,
}

impl PolicySubject {
    /// Creates a subject of policies and bindings. A policy without a binding is bound with the action Deny.
    pub fn new(documents: Vec<(RuleOrigin, Value)>, bindings: Vec<Value>) -> Self {
        let mut bindings = bindings;
        for (_, policy) in &documents {
            let name = metadata_text(policy, "name");
            let is_bound = |it: &Value| text_field(field(it, "spec"), "policyName") == name;
            if !bindings.iter().any(is_bound) {
                bindings.push(deny_binding(name));
            }
        }
        let policies = documents.iter().map(|(_, document)| Policy::from_json(document)).collect();
        let parsed = bindings.iter().map(Binding::from_json).collect();
        let refusals = PerServer::new();
        Self {
            documents,
            bindings_json: bindings,
            policies,
            bindings: parsed,
            refusals,
            param_scope: None,
            is_unreviewed: false,
            is_restated: false,
        }
    }

    /// With policies that are made from documents of another kind.
    #[must_use]
    pub(crate) fn into_restated(self) -> Self {
        Self { is_restated: true, ..self }
    }

    /// True if the policies are not in the files as they are, but made from documents of another kind.
    pub(crate) fn is_restated(&self) -> bool {
        self.is_restated
    }

    /// With the scope of the parameters' resource.
    #[must_use]
    pub fn with_param_scope(mut self, scope: Option<ResourceScope>) -> Self {
        self.param_scope = scope;
        for policy in &mut self.policies {
            if let Some(kind) = &mut policy.param_kind {
                kind.scope = scope;
            }
        }
        self
    }

    /// With policies that are evaluated even if a server refuses them, as the runners of some formats do.
    #[must_use]
    pub fn without_review(self) -> Self {
        Self { is_unreviewed: true, ..self }
    }

    /// True if policies are evaluated even if a server refuses them.
    pub fn is_unreviewed(&self) -> bool {
        self.is_unreviewed
    }

    /// Returns the same policies with other documents, in the same order.
    #[must_use]
    pub fn with_documents(&self, documents: Vec<Value>) -> Self {
        let origins = self.documents.iter().map(|(origin, _)| origin.clone());
        let documents = origins.zip(documents).collect();
        let copy = Self::new(documents, self.bindings_json.clone()).with_param_scope(self.param_scope);
        Self { is_unreviewed: self.is_unreviewed, is_restated: self.is_restated, ..copy }
    }

    /// Returns the reasons for which a server refuses a policy.
    pub fn list_refusals(&self, server: KubernetesVersion) -> &[String] {
        let review = || {
            let documents = self.documents.iter().map(|(_, document)| document);
            documents.flat_map(|document| review_on_server(document, server)).collect()
        };
        self.refusals.of_server(server).map(|cell| cell.get_or_init(review).as_slice()).unwrap_or_default()
    }

    /// Returns the documents of the policies with their origins.
    pub fn documents(&self) -> impl Iterator<Item = (&RuleOrigin, &Value)> {
        self.documents.iter().map(|(origin, document)| (origin, document))
    }

    pub(super) fn named_rules(&self) -> Vec<NamedRule> {
        let mut named = Vec::new();
        for (_, document) in &self.documents {
            let policy = metadata_text(document, "name");
            named.push(NamedRule { name: policy.to_owned(), aliases: Vec::new() });
            let validations = list_items(field(field(document, "spec"), "validations"));
            named.extend(validations.enumerate().map(|(index, validation)| NamedRule {
                name: format!("spec.validations[{index}]"),
                aliases: validation_aliases(policy, index, validation),
            }));
        }
        named
    }
}

/// The reasons for which a server refuses a policy. The newest takes documents of older versions of the API as if they had been
/// converted.
fn review_on_server(document: &Value, server: KubernetesVersion) -> Vec<String> {
    let is_newest = server == KubernetesVersion::NEWEST;
    let name = text_field(document, "apiVersion");
    let api = PolicyApi::find_api(name).filter(|api| !is_newest && !api.is_served_by(server));
    if let Some(api) = api {
        let text =
            format!("apiVersion: `{name}` is served by Kubernetes {} to {} alone", api.first, api.last);
        return vec![text];
    }
    let document = as_current_version(document);
    let mut refusals = review_policy(&document);
    if refusals.is_empty() && !is_newest {
        refusals = policy_refusals_on(&ServerFeatures::of_version(server), &document, None);
    }
    refusals.into_iter().map(|it| format!("{}: {}", it.field, it.message)).collect()
}

/// Older versions of the API have the same fields.
fn as_current_version(policy: &Value) -> Value {
    let mut policy = policy.clone();
    if let Some(version) = policy.get_mut("apiVersion")
        && version.as_str().is_some_and(|it| it.starts_with("admissionregistration.k8s.io/v1"))
    {
        *version = "admissionregistration.k8s.io/v1".into();
    }
    policy
}

/// Returns the other names of a validation.
pub(crate) fn validation_aliases(policy: &str, index: usize, validation: &Value) -> Vec<String> {
    let texts = ["message", "expression"].map(|name| text_field(validation, name).to_owned());
    let aliases = texts.into_iter().filter(|text| !text.trim().is_empty());
    std::iter::once(format!("{policy}/spec.validations[{index}]")).chain(aliases).collect()
}

/// Returns a binding that denies whatever violates a policy.
pub(crate) fn deny_binding(policy: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": format!("{policy}-binding")},
        "spec": {"policyName": policy, "validationActions": ["Deny"]},
    })
}
