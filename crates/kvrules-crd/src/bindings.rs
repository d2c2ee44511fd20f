//! Bindings compared with the policies of the run. The server accepts a binding to a policy that does not exist, because it may
//! be created later.

use kvrules_diagnostics::{Diagnostic, find_nearest};
use kvrules_syntax::Node;

use crate::lints::UNMATCHED_BINDING;
use crate::resource::{Resource, ResourceKind};
use crate::text::backtick_text;

/// Facts about a policy that bindings depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownPolicy {
    /// Its name; `None` if template tags or parameters affect it.
    name: Option<String>,
    params: PolicyParams,
}

/// Parameters of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PolicyParams {
    /// It has no kind of parameters.
    Absent,
    /// It has, and may do without them.
    Optional,
    /// It has, and an expression reads a field of them.
    Read,
    /// Template tags or parameters decide.
    Undecided,
}

/// The policies of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownPolicies(Vec<KnownPolicy>);

impl KnownPolicy {
    /// Reads a policy.
    pub(crate) fn from_node(policy: Node<'_>) -> Self {
        let name = policy.get("metadata").and_then(|metadata| metadata.get("name"));
        let name = name.filter(|name| !name.is_templated()).map(|name| name.text().to_owned());
        let params = match policy.get("spec").filter(|spec| !spec.is_open()) {
            None => PolicyParams::Undecided,
            Some(spec) => match spec.get("paramKind") {
                None => PolicyParams::Absent,
                Some(kind) if kind.is_templated() => PolicyParams::Undecided,
                Some(_) if reads_params(spec) => PolicyParams::Read,
                Some(_) => PolicyParams::Optional,
            },
        };
        Self { name, params }
    }
}

impl KnownPolicies {
    /// Adds a policy.
    pub(crate) fn add_policy(&mut self, policy: KnownPolicy) {
        self.0.push(policy);
    }

    /// True if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Findings about the bindings among resources: those to policies that are not in the run, and about parameters that a policy
    /// or a binding has and the other has not.
    pub(crate) fn find_mismatches(&self, resources: &[Resource<'_>]) -> Vec<Diagnostic> {
        let bindings = resources.iter().filter(|resource| resource.kind == ResourceKind::Binding);
        bindings.filter_map(|binding| self.mismatch(binding.node)).collect()
    }

    fn mismatch(&self, binding: Node<'_>) -> Option<Diagnostic> {
        let spec = binding.get("spec")?;
        let name = spec.get("policyName").filter(|name| !name.is_templated() && !name.text().is_empty())?;
        let is_named = |policy: &&KnownPolicy| policy.name.as_deref() == Some(name.text());
        let Some(policy) = self.0.iter().find(is_named) else { return self.missing_policy(name) };
        // apiserver pkg/admission/plugin/policy/generic/policy_dispatcher.go, CollectParams
        let shown = backtick_text(name.text());
        match (policy.params, spec.entry("paramRef")) {
            (PolicyParams::Absent, Some(reference)) if !reference.value.is_templated() => {
                let message =
                    format!("`paramRef` has no effect, because the policy {shown} has no `paramKind`");
                Some(UNMATCHED_BINDING.diagnostic_at(reference.key.span(), message))
            }
            (PolicyParams::Read, None) if !spec.is_open() => {
                let message = format!("missing `paramRef` for the `params` in the policy {shown}");
                let help = "name the parameters in `paramRef`; without it `params` is null";
                Some(UNMATCHED_BINDING.diagnostic_at(name.span(), message).with_help(help))
            }
            _ => None,
        }
    }

    fn missing_policy(&self, name: Node<'_>) -> Option<Diagnostic> {
        let intended = find_nearest(name.text(), self.0.iter().filter_map(|policy| policy.name.as_deref()));
        let help = match intended {
            Some(intended) => format!("did you mean {}?", backtick_text(intended)),
            // A policy with an unknown name may be the one.
            None if self.0.iter().any(|policy| policy.name.is_none()) => return None,
            None => "check the file with the policy too, or correct the name".to_owned(),
        };
        let message = format!("no policy {} in the checked files", backtick_text(name.text()));
        Some(UNMATCHED_BINDING.diagnostic_at(name.span(), message).with_help(help))
    }
}

/// True if an expression of a policy reads a field of the parameters, and none tests them for null.
fn reads_params(spec: Node<'_>) -> bool {
    let lists = ["validations", "variables", "matchConditions", "auditAnnotations"];
    let keys = ["expression", "messageExpression", "valueExpression"];
    let items = lists.iter().filter_map(|list| spec.get(list)).flat_map(Node::items);
    let texts: Vec<&str> =
        items.flat_map(|item| keys.iter().filter_map(move |key| item.get(key)).map(Node::text)).collect();
    let is_tested = |text: &&str| text.contains("params == null") || text.contains("params != null");
    !texts.iter().any(is_tested) && texts.iter().any(|text| text.contains("params."))
}
