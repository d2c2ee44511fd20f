//! Bindings compared with the policies in the same file. The server accepts a binding to a policy that does not exist, because it may
//! be created later.

use kvrules_diagnostics::{Diagnostic, find_nearest};
use kvrules_syntax::Node;

use crate::lints::UNMATCHED_BINDING;
use crate::resource::{Resource, ResourceKind};
use crate::text::backtick_text;

/// The policies and bindings of a file.
#[derive(Default)]
pub(crate) struct PolicyPairs<'d> {
    policies: Vec<(&'d str, Node<'d>)>,
    bindings: Vec<Node<'d>>,
}

impl<'d> PolicyPairs<'d> {
    /// Adds the resources of a document.
    pub(crate) fn add_resources(&mut self, resources: &[Resource<'d>]) {
        for resource in resources {
            match resource.kind {
                ResourceKind::Policy => {
                    let name = resource.node.get("metadata").and_then(|metadata| metadata.get("name"));
                    self.policies.extend(name.map(|name| (name.text(), resource.node)));
                }
                ResourceKind::Binding => self.bindings.push(resource.node),
                ResourceKind::Definition => {}
            }
        }
    }

    /// Findings about bindings to policies that are not in the file, as far as one of the file is meant, and about parameters
    /// that a policy or a binding has and the other has not.
    pub(crate) fn find_mismatches(&self) -> Vec<Diagnostic> {
        self.bindings.iter().filter_map(|binding| self.mismatch(*binding)).collect()
    }

    fn mismatch(&self, binding: Node<'d>) -> Option<Diagnostic> {
        let spec = binding.get("spec")?;
        let name = spec.get("policyName").filter(|name| !name.is_templated())?;
        let Some((_, policy)) = self.policies.iter().find(|(known, _)| *known == name.text()) else {
            let intended = find_nearest(name.text(), self.policies.iter().map(|(known, _)| *known))?;
            let message = format!("no policy {} in this file", backtick_text(name.text()));
            let help = format!("did you mean {}?", backtick_text(intended));
            return Some(UNMATCHED_BINDING.diagnostic_at(name.span(), message).with_help(help));
        };
        // apiserver pkg/admission/plugin/policy/generic/policy_dispatcher.go, CollectParams
        let of_policy = policy.get("spec").filter(|spec| !spec.is_open())?;
        let is_undecided = |node: Node<'_>| node.is_templated();
        match (of_policy.get("paramKind"), spec.entry("paramRef")) {
            (None, Some(reference)) if !is_undecided(reference.value) => {
                let policy = backtick_text(name.text());
                let message =
                    format!("`paramRef` has no effect, because the policy {policy} has no `paramKind`");
                Some(UNMATCHED_BINDING.diagnostic_at(reference.key.span(), message))
            }
            (Some(kind), None) if !is_undecided(kind) && !spec.is_open() && reads_params(of_policy) => {
                let policy = backtick_text(name.text());
                let message = format!("missing `paramRef` for the `params` in the policy {policy}");
                let help = "name the parameters in `paramRef`; without it `params` is null";
                Some(UNMATCHED_BINDING.diagnostic_at(name.span(), message).with_help(help))
            }
            _ => None,
        }
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
