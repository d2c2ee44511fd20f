//! What stands around the schemas of a definition: its name, the names of the resource, its versions.

use std::collections::HashMap;

use kvrules_syntax::Node;

use crate::finding::{Finding, FindingKind};
use crate::plain;
use crate::text::code;

/// What is wrong with the envelope.
pub(super) fn check(node: Node<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(spec) = node.get("spec").filter(|spec| spec.is_map()) else {
        findings.push(missing(node, "spec"));
        return findings;
    };
    for field in ["group", "names", "scope", "versions"] {
        if spec.get(field).is_none() {
            findings.push(missing(spec, field));
        }
    }
    if let Some(names) = spec.get("names").filter(|names| names.is_map()) {
        let lacking = ["plural", "kind"].into_iter().filter(|field| names.get(field).is_none());
        findings.extend(lacking.map(|field| missing(names, field)));
    }
    findings.extend(scope(spec));
    findings.extend(name(node, spec));
    if let Some(versions) = spec.get("versions").filter(|versions| versions.is_list()) {
        storage(spec, versions, &mut findings);
        each(versions, &mut findings);
    }
    if let Some(entry) = spec.entry("preserveUnknownFields").filter(|entry| plain::is_true(entry.value)) {
        let message = "`preserveUnknownFields` is `true`, which definitions of `v1` may not have";
        let help = "take it out, and write `x-kubernetes-preserve-unknown-fields: true` in the schema where it is needed";
        findings.push(Finding::new(FindingKind::Shape, entry.value.span(), message).help(help));
    }
    findings
}

fn missing(node: Node<'_>, field: &str) -> Finding {
    let message = format!("the definition lacks `{field}`");
    Finding::new(FindingKind::Shape, crate::place::head(node), message)
}

fn scope(spec: Node<'_>) -> Option<Finding> {
    let scope = spec.get("scope")?;
    if matches!(scope.text(), "Cluster" | "Namespaced") || scope.is_templated() {
        return None;
    }
    let message = format!("there is no scope {}", code(scope.text()));
    Some(Finding::new(FindingKind::Shape, scope.span(), message).help("write `Cluster` or `Namespaced`"))
}

/// A definition is called after the resource that it defines.
fn name(node: Node<'_>, spec: Node<'_>) -> Option<Finding> {
    let metadata = node.get("metadata").filter(|metadata| metadata.is_map())?;
    let name = metadata.get("name")?;
    let (plural, group) = (spec.get("names")?.get("plural")?, spec.get("group")?);
    if [name, plural, group].into_iter().any(Node::is_templated) {
        return None;
    }
    let wanted = format!("{}.{}", plural.text(), group.text());
    if name.text() == wanted || plural.text().is_empty() || group.text().is_empty() {
        return None;
    }
    let message =
        format!("the definition is named {} and must be named {}", code(name.text()), code(&wanted));
    let finding = Finding::new(FindingKind::Shape, name.span(), message);
    Some(finding.help("the name is that of the resource, `spec.names.plural`, a point, and `spec.group`"))
}

/// Objects are stored in exactly one version.
fn storage(spec: Node<'_>, versions: Node<'_>, findings: &mut Vec<Finding>) {
    let storing = versions.items().filter_map(|version| version.entry("storage"));
    let storing: Vec<_> = storing.filter(|entry| plain::is_true(entry.value)).collect();
    let unsure = versions.is_open()
        || versions.items().any(|it| it.get("storage").is_some_and(Node::is_templated) || it.is_open());
    let entry = spec.entry("versions");
    match storing.as_slice() {
        _ if unsure => {}
        [] => {
            let span = entry.map_or_else(|| versions.span(), |entry| entry.key.span());
            let finding = Finding::new(FindingKind::Shape, span, "no version is the one that is stored");
            let help = "write `storage: true` on one version, and `storage: false` on the others";
            findings
                .push(finding.help(help).server("must have exactly one version marked as storage version"));
        }
        [_] => {}
        [first, others @ ..] => {
            for other in others {
                let finding =
                    Finding::new(FindingKind::Shape, other.key.span(), "a second version is stored");
                let finding = finding.also(first.key.span(), "the first is here");
                findings.push(finding.help("write `storage: false` here or there"));
            }
        }
    }
}

/// Names are given once, and every version has a schema.
fn each(versions: Node<'_>, findings: &mut Vec<Finding>) {
    let mut seen: HashMap<&str, Node<'_>> = HashMap::new();
    for version in versions.items().filter(|version| version.is_map() && !version.is_open()) {
        match version.get("name") {
            None => findings.push(missing(version, "name")),
            Some(name) => {
                if let Some(first) = seen.get(name.text()) {
                    let message = format!("there are two versions {}", code(name.text()));
                    let finding = Finding::new(FindingKind::Shape, name.span(), message);
                    findings.push(finding.also(first.span(), "the first is here"));
                }
                seen.entry(name.text()).or_insert(name);
            }
        }
        let schema = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
        if schema.is_none_or(|schema| !schema.is_map() && !schema.is_templated()) {
            let finding =
                Finding::new(FindingKind::Shape, crate::place::head(version), "a version has no schema");
            let help = "write `schema.openAPIV3Schema`; one that lets everything pass is `type: object` with \
                        `x-kubernetes-preserve-unknown-fields: true`";
            findings.push(finding.help(help));
        }
    }
}
