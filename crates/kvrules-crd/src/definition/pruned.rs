//! Branches below the root that speak of fields which the schema does not declare. The server looks for them in branches
//! of the root alone.

use std::collections::HashMap;

use kvrules_syntax::{Entry, Node};

use super::meant::children;
use crate::finding::{Finding, FindingKind};
use crate::place::{Place, entries, joined};
use crate::plain;
use crate::text::did_you_mean;

const JUNCTORS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Looks at a schema and all below it.
pub(super) fn check(place: &Place<'_>, findings: &mut Vec<Finding>) {
    // Branches of the root are the server's own concern.
    if !place.name.is_empty() {
        for branch in branches(place.owner) {
            compare(branch, place.owner, &place.name, findings);
        }
    }
    for below in children(place).iter().filter(|below| below.branch.is_none()) {
        check(below, findings);
    }
}

fn branches(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let listed = JUNCTORS.into_iter().filter_map(move |junctor| node.get(junctor)).flat_map(Node::items);
    listed.chain(node.get("not"))
}

/// Holds a branch to what stands on the spine at the same place.
fn compare(branch: Node<'_>, spine: Node<'_>, name: &str, findings: &mut Vec<Finding>) {
    for inner in branches(branch) {
        compare(inner, spine, name, findings);
    }
    if is_open(spine) {
        return;
    }
    if let (Some(inner), Some(items)) = (branch.get("items"), spine.get("items").filter(|it| it.is_map())) {
        compare(inner, items, &format!("{name}[]"), findings);
    }
    let values = spine.get("additionalProperties").filter(|values| values.is_map());
    let declared = || spine.get("properties").into_iter().flat_map(entries);
    let Some(properties) = branch.get("properties") else { return };
    let own: HashMap<&str, Node<'_>> = declared().map(|own| (own.key.text(), own.value)).collect();
    for entry in entries(properties) {
        let own = own.get(entry.key.text()).copied();
        let below = joined(name, entry.key.text());
        match own.or(values) {
            Some(own) => compare(entry.value, own, &below, findings),
            None => findings.push(undeclared(entry, &below, declared().map(|own| own.key.text()))),
        }
    }
}

/// Whether fields that are not declared are kept.
fn is_open(spine: Node<'_>) -> bool {
    let is_true = |keyword: &str| spine.get(keyword).is_some_and(plain::is_true);
    is_true("x-kubernetes-preserve-unknown-fields")
        || is_true("additionalProperties")
        || is_true("x-kubernetes-embedded-resource")
        || spine.get("properties").is_some_and(Node::is_open)
}

fn undeclared<'d>(entry: Entry<'d>, name: &str, declared: impl Iterator<Item = &'d str>) -> Finding {
    let message =
        format!("a branch speaks of `{name}`, which is not declared and is pruned before it is looked at");
    let finding = Finding::new(FindingKind::Idle, entry.key.span(), message);
    let help = did_you_mean(entry.key.text(), declared.collect::<Vec<_>>());
    finding.help(help.unwrap_or_else(|| "declare it beside the branch, with its type".to_owned()))
}
