//! Resources and kinds that policies and bindings name. The server compares the names in rules with those of requests, and so accepts
//! a name that no request has.

use kvrules_diagnostics::{Diagnostic, find_nearest, suggest_nearest};
use kvrules_kubernetes::types::{BuiltInResource, find_resources, is_kubernetes_group, kubernetes_groups};
use kvrules_syntax::Node;

use crate::lints;
use crate::run_resources::RunResources;
use crate::text::backtick_text;

/// The resources that a rule may name.
struct RuleScope<'d> {
    groups: Vec<&'d str>,
    /// Those of its groups in the built-in types.
    known: Vec<&'static BuiltInResource>,
}

/// Findings about resources, API groups and kinds that do not exist. Only the groups that Kubernetes itself serves are known to be
/// complete.
pub(super) fn unknown_resource_findings(node: Node<'_>, run: &RunResources) -> Vec<Diagnostic> {
    let Some(spec) = node.get("spec") else { return Vec::new() };
    let constraints = ["matchConstraints", "matchResources"].into_iter().filter_map(|key| spec.get(key));
    let lists = constraints.flat_map(|constraints| {
        ["resourceRules", "excludeResourceRules"].into_iter().filter_map(move |key| constraints.get(key))
    });
    let mut found: Vec<_> = lists.flat_map(Node::items).flat_map(rule_findings).collect();
    found.extend(spec.get("paramKind").and_then(|kind| param_kind_finding(kind, run)));
    found
}

fn rule_findings(rule: Node<'_>) -> Vec<Diagnostic> {
    let groups = rule.get("apiGroups").into_iter().flat_map(Node::items);
    let mut found: Vec<_> = groups.filter_map(group_finding).collect();
    // Another group may have a version or a resource of any name.
    if let Some(scope) = RuleScope::of_rule(rule) {
        let items = |key| rule.get(key).into_iter().flat_map(Node::items).filter(|item| !item.is_templated());
        found.extend(items("apiVersions").filter_map(|version| scope.version_finding(version, rule)));
        found.extend(items("resources").filter_map(|resource| scope.resource_finding(resource)));
    }
    found
}

fn unknown_resource(node: Node<'_>, message: String, help: Option<String>) -> Diagnostic {
    lints::UNKNOWN_RESOURCE.diagnostic_at(node.span(), message).help_if(help)
}

/// The finding about a name that no API group can have. The name of a group of definitions has a dot.
// apiextensions validation.go, validateCustomResourceDefinitionSpec
fn group_finding(group: Node<'_>) -> Option<Diagnostic> {
    let name = group.text();
    if group.is_templated() || name.contains('*') || is_kubernetes_group(name) {
        return None;
    }
    let help = match name.split_once('/') {
        Some((prefix, _)) => format!("write {}; versions belong into `apiVersions`", backtick_text(prefix)),
        None if name == "core" => "write `\"\"`, the name of the core API group".to_owned(),
        None if name.contains('.') => return None,
        None => {
            let groups = kubernetes_groups();
            let begins = |group: &&&str| group.split('.').next() == Some(name);
            let intended =
                groups.iter().find(begins).copied().or_else(|| find_nearest(name, groups.iter().copied()));
            format!("did you mean {}?", backtick_text(intended?))
        }
    };
    let message = format!("no API group {}: no request matches it", backtick_text(name));
    Some(unknown_resource(group, message, Some(help)))
}

impl<'d> RuleScope<'d> {
    /// The scope of a rule, if Kubernetes itself serves all of its groups.
    fn of_rule(rule: Node<'d>) -> Option<Self> {
        let groups: Vec<_> =
            rule.get("apiGroups").into_iter().flat_map(Node::items).map(Node::text).collect();
        let are_known = !groups.is_empty() && groups.iter().all(|group| is_kubernetes_group(group));
        let known = groups.iter().flat_map(|group| find_resources(group)).collect();
        are_known.then_some(Self { groups, known })
    }

    /// The groups in words.
    fn describe_groups(&self) -> String {
        match self.groups.as_slice() {
            [""] => "the core API group".to_owned(),
            [group] => format!("the API group {}", backtick_text(group)),
            _ => "these API groups".to_owned(),
        }
    }

    /// The finding about a version in which no group has a resource. A version before the stable one may be for older servers if
    /// the rule has another one that is served.
    fn version_finding(&self, version: Node<'_>, rule: Node<'_>) -> Option<Diagnostic> {
        let name = version.text();
        let is_served = |name: &str| self.known.iter().any(|resource| resource.version == name);
        if name.contains('*') || is_served(name) {
            return None;
        }
        let mut others = rule.get("apiVersions").into_iter().flat_map(Node::items);
        let is_older = name.contains("alpha") || name.contains("beta");
        if is_older && others.any(|other| is_served(other.text())) {
            return None;
        }
        let mut served: Vec<&str> = self.known.iter().map(|resource| resource.version).collect();
        served.sort_unstable();
        served.dedup();
        let listed = served.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let help = match name.split_once('/') {
            Some((_, version)) if is_served(version) => format!("write {}", backtick_text(version)),
            _ => format!("Kubernetes 1.31 and later serve {listed}"),
        };
        let groups = self.describe_groups();
        let message = format!("no version {} of {groups}: no request matches it", backtick_text(name));
        Some(unknown_resource(version, message, Some(help)))
    }

    fn resource_finding(&self, resource: Node<'_>) -> Option<Diagnostic> {
        let (name, subresource) = match resource.text().split_once('/') {
            Some((name, subresource)) => (name, Some(subresource)),
            None => (resource.text(), None),
        };
        let of_name = self.known.iter().filter(|known| known.plural == name);
        if name.contains('*') {
            return None;
        }
        if of_name.clone().next().is_none() {
            return self.unknown_name_finding(resource, name);
        }
        let subresource = subresource.filter(|subresource| !subresource.contains('*'))?;
        let mut subresources: Vec<&str> =
            of_name.flat_map(|known| &known.subresources).map(|known| known.name).collect();
        if subresources.contains(&subresource) {
            return None;
        }
        subresources.sort_unstable();
        subresources.dedup();
        let help = match find_nearest(subresource, subresources.iter().copied()) {
            Some(intended) => format!("did you mean {}?", backtick_text(&format!("{name}/{intended}"))),
            None if subresources.is_empty() => format!("`{name}` has no subresources"),
            None => {
                let listed = subresources.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
                format!("`{name}` has the subresources {}", listed.join(", "))
            }
        };
        let message =
            format!("no subresource {} of `{name}`: no request matches it", backtick_text(subresource));
        Some(unknown_resource(resource, message, Some(help)))
    }

    /// The finding about a resource that the groups do not have, if another is meant, or one of another group.
    fn unknown_name_finding(&self, resource: Node<'_>, name: &str) -> Option<Diagnostic> {
        let kind = self.known.iter().find(|known| known.kind.eq_ignore_ascii_case(name));
        let intended = kind
            .map(|known| known.plural)
            .or_else(|| find_nearest(name, self.known.iter().map(|known| known.plural)));
        let help = match (group_with(name), intended) {
            (Some(""), _) => format!("`{name}` is in the core API group `\"\"`"),
            (Some(group), _) => format!("`{name}` is in the API group `{group}`"),
            (None, Some(intended)) => {
                let written = resource.text().replacen(name, intended, 1);
                format!("did you mean {}?", backtick_text(&written))
            }
            (None, None) => return None,
        };
        let groups = self.describe_groups();
        let message = format!("no resource {} in {groups}: no request matches it", backtick_text(name));
        Some(unknown_resource(resource, message, Some(help)))
    }
}

/// The API group that has a resource.
fn group_with(plural: &str) -> Option<&'static str> {
    let has = |group: &&str| find_resources(group).any(|resource| resource.plural == plural);
    kubernetes_groups().into_iter().find(has)
}

/// The finding about a kind of parameters that Kubernetes does not have, in a group of its own. Each request fails then.
// admission/plugin/policy/generic/policy_source.go, compilePolicyLocked
fn param_kind_finding(param_kind: Node<'_>, run: &RunResources) -> Option<Diagnostic> {
    let (api_version, kind) = (param_kind.get("apiVersion")?, param_kind.get("kind")?);
    if api_version.is_templated() || kind.is_templated() || kind.text().is_empty() {
        return None;
    }
    let (group, version) = api_version.text().rsplit_once('/').unwrap_or(("", api_version.text()));
    let (group, version) = (group.trim(), version.trim());
    if !is_kubernetes_group(group) || run.find_kind(group, version, kind.text()).is_some() {
        return None;
    }
    let of_kind = find_resources(group).filter(|known| known.kind == kind.text());
    let versions: Vec<&str> = of_kind.map(|known| known.version).collect();
    if versions.contains(&version) {
        return None;
    }
    if let Some(served) = versions.first() {
        let served = if group.is_empty() { (*served).to_owned() } else { format!("{group}/{served}") };
        let message = format!("no version {} of the kind `{}`", backtick_text(version), kind.text());
        return Some(unknown_resource(api_version, message, Some(format!("write `{served}`"))));
    }
    let all = || kubernetes_groups().into_iter().flat_map(find_resources);
    let elsewhere = all().find(|known| known.kind == kind.text());
    let help = match elsewhere {
        Some(known) => format!("`{}` is in `{}`", known.kind, known.api_version()),
        None => {
            suggest_nearest(kind.text(), find_resources(group).map(|known| known.kind)).unwrap_or_else(|| {
                "write the `apiVersion` and `kind` of the parameters; each request fails without them"
                    .to_owned()
            })
        }
    };
    let message = format!("no kind {} in {}", backtick_text(kind.text()), backtick_text(api_version.text()));
    Some(unknown_resource(kind, message, Some(help)))
}
