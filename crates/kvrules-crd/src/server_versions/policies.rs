//! Policies and bindings on the servers of several versions: which serve their API, and which take their expressions.

use std::collections::BTreeMap;

use kvrules_apiserver::policy::acceptance::{
    ExpressionRequirements, policy_refusals_on, policy_requirements,
};
use kvrules_apiserver::server::{PolicyApi, ServerFeatures};
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_syntax::Node;
use kvrules_syntax::kubernetes::find_field;
use serde_json::Value;

use super::constructs::{ExpressionSite, HELP_FOR_POLICIES};
use super::differences::rejection_finding;
use super::reviews::{ProblemKind, ProblemPlace, VersionDetails, VersionProblems, is_compile_error};
use super::words::list_versions;
use crate::lints;
use crate::schema_location::node_head_span;

/// A policy in a file.
pub(crate) struct VersionedPolicy<'d> {
    pub(crate) node: Node<'d>,
    pub(crate) document: &'d Value,
    /// The policy that it replaces.
    pub(crate) old: Option<&'d Value>,
}

impl VersionedPolicy<'_> {
    /// Makes findings about the newest server findings about the servers of some versions, as for definitions.
    pub(crate) fn check_versions(
        &self,
        versions: KubernetesVersions,
        findings: Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        let problems = self.find_problems(versions);
        let mut kept = problems.keep_rejections(versions, findings);
        kept.extend(self.new_findings(&problems));
        kept
    }

    /// The errors of the servers that serve the API of the policy.
    pub(super) fn find_problems(&self, versions: KubernetesVersions) -> VersionProblems {
        let serving = versions.iter().filter(|version| serves_policy(self.node, *version));
        VersionProblems {
            newest: self.problems(std::iter::once(KubernetesVersion::NEWEST)),
            selected: self.problems(serving),
        }
    }

    fn problems(
        &self,
        versions: impl Iterator<Item = KubernetesVersion>,
    ) -> BTreeMap<ProblemPlace, VersionDetails> {
        let mut problems: BTreeMap<ProblemPlace, VersionDetails> = BTreeMap::new();
        for version in versions {
            let server = ServerFeatures::of_version(version);
            for refusal in policy_refusals_on(&server, self.document, self.old) {
                let is_compile = is_compile_error(&refusal.message);
                let kind = if is_compile { ProblemKind::Compile } else { ProblemKind::Other };
                problems.entry((refusal.field, kind)).or_default().insert(version, refusal.message);
            }
        }
        problems
    }

    /// The findings about what the newest server accepts and others do not.
    pub(super) fn new_findings(&self, problems: &VersionProblems) -> Vec<Diagnostic> {
        let requirements = policy_requirements(self.document);
        let mut findings = Vec::new();
        for ((field, kind), details) in &problems.selected {
            if problems.is_known(field) {
                continue;
            }
            let mut details = details.clone();
            if *kind == ProblemKind::Compile {
                let (found, explained) = self.requirement_findings(&requirements, field, &details);
                findings.extend(found);
                details.retain(|version, _| !explained.contains(version));
            }
            if let Some(detail) = details.values().next() {
                findings.push(rejection_finding(self.find_span(field), field, detail, &details));
            }
        }
        findings
    }

    fn requirement_findings(
        &self,
        requirements: &[ExpressionRequirements],
        field: &str,
        details: &VersionDetails,
    ) -> (Vec<Diagnostic>, Vec<KubernetesVersion>) {
        let known = requirements.iter().find(|it| it.field == field);
        let requirements = known.map(|it| it.requirements.as_slice()).unwrap_or_default();
        let part_span = |offset: usize, length: usize| {
            let found = find_field(self.node, field);
            let node = Some(found.entry.value).filter(|node| found.is_whole && node.as_str().is_some());
            node.map_or_else(|| self.find_span(field), |node| node.place_of(offset..offset + length))
        };
        let is_update = self.old.is_some();
        let site =
            ExpressionSite { field, requirements, is_update, part_span: &part_span, help: HELP_FOR_POLICIES };
        site.requirement_findings(details)
    }

    fn find_span(&self, field: &str) -> Span {
        let found = find_field(self.node, field);
        if found.steps > 0 {
            return node_head_span(found.entry.value);
        }
        self.node.get("kind").unwrap_or(self.node).span()
    }
}

/// The version of the API that a policy or a binding is of, if it is known.
fn policy_api(node: Node<'_>) -> Option<&'static PolicyApi> {
    PolicyApi::find_api(node.get("apiVersion").map_or("", Node::text))
}

/// True if servers of a version serve the API of a policy or a binding. One that is unknown has a finding of its own.
pub(super) fn serves_policy(node: Node<'_>, version: KubernetesVersion) -> bool {
    policy_api(node).is_none_or(|api| api.is_served_by(version))
}

/// The finding that some versions do not serve the API of a policy or a binding.
pub(crate) fn served_api_finding(node: Node<'_>, versions: KubernetesVersions) -> Option<Diagnostic> {
    let api = policy_api(node)?;
    let lacking: Vec<_> = versions.iter().filter(|version| !api.is_served_by(*version)).collect();
    if lacking.is_empty() {
        return None;
    }
    let name = api.name;
    let message = if lacking.iter().all(|version| *version < api.first) {
        format!("needs Kubernetes {} or newer: `{name}`", api.first)
    } else {
        format!("`{name}` is not served by Kubernetes {}", list_versions(&lacking))
    };
    let help = if api.is_default {
        "leave older servers out of `--kubernetes`; `admissionregistration.k8s.io/v1beta1` is served by 1.28 to 1.33, if it is \
         turned on"
    } else {
        "write `apiVersion: admissionregistration.k8s.io/v1` for 1.30 and newer; others serve this version only if it is turned on"
    };
    let span = node.entry("apiVersion").map_or_else(|| node_head_span(node), |entry| entry.value.span());
    Some(lints::KUBERNETES_VERSION.diagnostic_at(span, message).with_help(help).with_field("apiVersion"))
}
