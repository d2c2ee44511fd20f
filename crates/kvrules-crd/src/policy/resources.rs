//! Resources that policies and bindings name in their rules. The server compares the names with those of requests, and so accepts
//! a name that no request has.

use kvrules_diagnostics::{Diagnostic, find_nearest};
use kvrules_syntax::Node;

use crate::lints;
use crate::text::backtick_text;

/// The resources of API groups of Kubernetes whose kinds have not changed since policies exist (1.26 to 1.36): kubernetes
/// pkg/registry/{core,apps,batch,autoscaling,policy,rbac}/rest.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "",
        &[
            "bindings",
            "componentstatuses",
            "configmaps",
            "endpoints",
            "events",
            "limitranges",
            "namespaces",
            "nodes",
            "persistentvolumeclaims",
            "persistentvolumes",
            "pods",
            "podtemplates",
            "replicationcontrollers",
            "resourcequotas",
            "secrets",
            "serviceaccounts",
            "services",
        ],
    ),
    ("apps", &["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"]),
    ("batch", &["cronjobs", "jobs"]),
    ("autoscaling", &["horizontalpodautoscalers"]),
    ("policy", &["poddisruptionbudgets"]),
    ("rbac.authorization.k8s.io", &["clusterrolebindings", "clusterroles", "rolebindings", "roles"]),
];

/// Findings about resources and API groups that no request can have, as far as a known one is meant.
pub(super) fn unknown_resource_findings(node: Node<'_>) -> Vec<Diagnostic> {
    let spec = node.get("spec");
    let constraints = ["matchConstraints", "matchResources"].map(|key| spec.and_then(|spec| spec.get(key)));
    let lists = constraints.into_iter().flatten().flat_map(|constraints| {
        ["resourceRules", "excludeResourceRules"].into_iter().filter_map(move |key| constraints.get(key))
    });
    let rules = lists.flat_map(Node::items);
    rules.flat_map(|rule| group_findings(rule).into_iter().chain(rule_findings(rule))).collect()
}

/// Findings about names that no API group can have.
fn group_findings(rule: Node<'_>) -> Vec<Diagnostic> {
    let check_group = |group: Node<'_>| {
        let name = group.text();
        let help = match name.split_once('/') {
            _ if group.is_templated() => return None,
            Some((prefix, _)) => {
                format!("write {}; versions belong into `apiVersions`", backtick_text(prefix))
            }
            None if name == "core" => "write `\"\"`, the name of the core API group".to_owned(),
            None => return None,
        };
        let message = format!("no API group {}: no request matches it", backtick_text(name));
        Some(lints::UNKNOWN_RESOURCE.diagnostic_at(group.span(), message).with_help(help))
    };
    rule.get("apiGroups").into_iter().flat_map(Node::items).filter_map(check_group).collect()
}

fn rule_findings(rule: Node<'_>) -> Vec<Diagnostic> {
    let groups: Vec<_> = rule.get("apiGroups").into_iter().flat_map(Node::items).map(Node::text).collect();
    let resources_of =
        |group: &&str| GROUPS.iter().find(|(name, _)| name == group).map(|(_, resources)| *resources);
    // Another group may have a resource of any name.
    let Some(known) = groups.iter().map(resources_of).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let known = known.concat();
    let check_resource = |resource: Node<'_>| {
        let name = resource.text().split('/').next().unwrap_or_default();
        if resource.is_templated() || known.contains(&name) {
            return None;
        }
        let intended = find_nearest(name, known.iter().copied())?;
        let place = match groups.as_slice() {
            [""] => "the core API group".to_owned(),
            [group] => format!("the API group {}", backtick_text(group)),
            _ => "these API groups".to_owned(),
        };
        let message = format!("no resource {} in {place}: no request matches it", backtick_text(name));
        let written = resource.text().replacen(name, intended, 1);
        Some(
            lints::UNKNOWN_RESOURCE
                .diagnostic_at(resource.span(), message)
                .with_help(format!("did you mean {}?", backtick_text(&written))),
        )
    };
    rule.get("resources").into_iter().flat_map(Node::items).filter_map(check_resource).collect()
}
