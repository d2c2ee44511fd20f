//! Reading of `match`: the objects and requests that are evaluated.

use kvrules_apiserver::definition::{AuthoredObjects, RequestSelection, UserSet};
use kvrules_diagnostics::{Diagnostic, find_nearest, suggest_nearest};
use kvrules_kubernetes::types::{find_resources, kubernetes_groups};
use kvrules_syntax::Node;
use serde_json::Map;

use crate::condition::ValueFormat;
use crate::label_selection::{read_labels, read_namespaces};
use crate::lints;
use crate::mapping::check_mapping;
use crate::subject::RuleSubject;

const KEYS: &[&str] = &[
    "resources",
    "namespaces",
    "exceptNamespaces",
    "labels",
    "operations",
    "users",
    "groups",
    "exceptUsers",
    "exceptGroups",
];

/// Reads `match`; `None` if it is not one.
pub(crate) fn read_selection(
    node: Node<'_>,
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<RequestSelection> {
    if !check_mapping(findings, node, "`match`", KEYS) {
        return None;
    }
    let mut selectors = Map::new();
    if let Some(namespaces) = read_namespaces(node, subject, findings).ok()? {
        selectors.insert("namespaceSelector".to_owned(), namespaces);
    }
    if let Some(labels) = node.get("labels") {
        selectors.insert("objectSelector".to_owned(), read_labels(labels, findings).ok()?);
    }
    let operations = match node.get("operations") {
        Some(operations) => read_operations(operations, findings)?,
        None => Vec::new(),
    };
    let resources = match node.get("resources") {
        Some(resources) => read_resources(resources, subject, findings)?,
        None => Vec::new(),
    };
    let mut names = |key: &str| match node.get(key) {
        Some(list) => read_names(list, key, findings),
        None => Some(Vec::new()),
    };
    let users = UserSet { names: names("users")?, groups: names("groups")? };
    let except = UserSet { names: names("exceptUsers")?, groups: names("exceptGroups")? };
    let selection = RequestSelection { selectors, operations, resources, users, except };
    if selection == RequestSelection::default() {
        let finding = lints::RULE_SET_SHAPE.diagnostic_at(node.span(), "`match` selects nothing");
        findings
            .push(finding.with_help("add `namespaces`, `labels`, `operations` or `users`, or leave it out"));
        return None;
    }
    Some(selection)
}

/// The resources of rules about objects of any kind: `deployments.apps`, `services`, or `*.apps` for all of a group.
fn read_resources(
    node: Node<'_>,
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<Vec<(String, String)>> {
    if subject.objects != AuthoredObjects::OfAnyKind {
        let finding = lints::RULE_SET_SHAPE
            .diagnostic_at(node.span(), "the subject has one kind, so that `resources` has no meaning");
        findings.push(finding.with_help("remove it, or write `subject: any`"));
        return None;
    }
    let names = read_names(node, "resources", findings)?;
    let mut resources = Vec::new();
    for (name, item) in names.iter().zip(node.items()) {
        let (plural, group) = name.split_once('.').unwrap_or((name, ""));
        if let Some((message, help)) = resource_problem(plural, group) {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(item.span(), message).help_if(help));
            return None;
        }
        resources.push((group.to_owned(), plural.to_owned()));
    }
    Some(resources)
}

/// The reason why no request is about a resource, and advice. Resources of groups that Kubernetes does not serve are unknown.
fn resource_problem(plural: &str, group: &str) -> Option<(String, Option<String>)> {
    if plural == "*" {
        return None;
    }
    let is_name = |text: &str| ValueFormat::DnsSubdomain.is_of(text);
    if !is_name(plural) || !(group.is_empty() || is_name(group)) {
        let message =
            "a resource is its plural name, with the group behind a dot, such as `deployments.apps`";
        return Some((message.to_owned(), None));
    }
    let of_group: Vec<_> = find_resources(group).map(|resource| resource.plural).collect();
    if of_group.is_empty() || of_group.contains(&plural) {
        return None;
    }
    let elsewhere = kubernetes_groups()
        .into_iter()
        .find(|other| find_resources(other).any(|resource| resource.plural == plural));
    let near = find_nearest(plural, of_group.iter().copied());
    let help = match (near, elsewhere) {
        (_, Some(other)) => Some(format!("did you mean `{plural}.{other}`?")),
        (Some(near), None) if group.is_empty() => Some(format!("did you mean `{near}`?")),
        (Some(near), None) => Some(format!("did you mean `{near}.{group}`?")),
        (None, None) => None,
    };
    let place = if group.is_empty() { "the core group".to_owned() } else { format!("`{group}`") };
    Some((format!("Kubernetes serves no resource `{plural}` in {place}"), help))
}

/// Both operations are the same as none.
fn read_operations(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Vec<String>> {
    let operations = read_names(node, "operations", findings)?;
    for (operation, item) in operations.iter().zip(node.items()) {
        let known = ["CREATE", "UPDATE"];
        if known.contains(&operation.as_str()) {
            continue;
        }
        let message = format!("rules cannot be evaluated for the operation `{operation}`");
        let help = suggest_nearest(&operation.to_ascii_uppercase(), known)
            .unwrap_or_else(|| "`CREATE` and `UPDATE` are the operations with an object".to_owned());
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(item.span(), message).with_help(help));
        return None;
    }
    let has_both = operations.iter().any(|it| it == "CREATE") && operations.iter().any(|it| it == "UPDATE");
    Some(if has_both { Vec::new() } else { operations })
}

fn read_names(node: Node<'_>, key: &str, findings: &mut Vec<Diagnostic>) -> Option<Vec<String>> {
    let names: Option<Vec<String>> =
        node.items().map(|item| item.as_str().filter(|text| !text.is_empty()).map(str::to_owned)).collect();
    let names = names.filter(|names| node.is_list() && !names.is_empty());
    if names.is_none() {
        let message = format!("`{key}` must be a list of strings");
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message));
    }
    names
}
