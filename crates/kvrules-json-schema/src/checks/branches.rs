//! Branches of `oneOf` by which no value passes: each value that satisfies one satisfies another, too.

use std::collections::HashSet;

use kvrules_diagnostics::Diagnostic;
use serde_json::{Value, json};

use crate::lints::OVERLAPPING_BRANCHES;
use crate::proof::{LocalSchema, SchemaDetail, is_deliberately_empty, is_proved_empty};
use crate::tree::{SchemaSite, SchemaTree, SiteId};

/// Most branches of a list that is examined.
const MOST_BRANCHES: usize = 10;

/// Reports branches of `oneOf` by which no value passes.
pub(super) fn check_branches(
    tree: &SchemaTree<'_>,
    contradictory: &HashSet<SiteId>,
    mut proofs: usize,
    findings: &mut Vec<Diagnostic>,
) {
    for (id, site) in tree.sites.iter().enumerate() {
        let is_examined = !contradictory.contains(&id) && !site.is_mere_reference() && !site.node.is_open();
        let branches: Vec<SiteId> = site.children_of("oneOf").map(|child| child.site).collect();
        if is_examined && (2..=MOST_BRANCHES).contains(&branches.len()) && proofs >= branches.len() {
            proofs -= branches.len();
            check_list(tree, site, &branches, contradictory, findings);
        }
    }
}

fn check_list(
    tree: &SchemaTree<'_>,
    site: &SchemaSite<'_>,
    branches: &[SiteId],
    contradictory: &HashSet<SiteId>,
    findings: &mut Vec<Diagnostic>,
) {
    let written: Vec<LocalSchema<'_>> = branches
        .iter()
        .map(|branch| LocalSchema::new(tree, *branch, SchemaDetail::Contents, contradictory))
        .collect();
    // A wider branch would overlap more than the real one.
    if !written.iter().all(|branch| branch.is_exact) {
        return;
    }
    let list: Vec<&Value> = written.iter().map(|branch| &branch.value).collect();
    for (index, (branch, schema)) in branches.iter().zip(&list).enumerate() {
        let passing = json!({"allOf": [schema, {"oneOf": list}]});
        if is_deliberately_empty(tree, *branch) || !is_proved_empty(&passing) || is_proved_empty(schema) {
            continue;
        }
        let covers = |(other, wider): &(usize, &&Value)| {
            *other != index && is_proved_empty(&json!({"allOf": [schema, {"not": wider}]}))
        };
        let other = list.iter().enumerate().find(covers).and_then(|(other, _)| branches.get(other));
        let at = |branch: &SiteId| tree.sites.get(*branch).map(|branch| branch.node.span().first_byte());
        let message = "no value passes `oneOf` by this branch: each one that satisfies it satisfies another branch, too";
        let primary = at(branch).unwrap_or_else(|| site.node.span().first_byte());
        let found = OVERLAPPING_BRANCHES.diagnostic_at(primary, message);
        let found = found.with_help("write `anyOf`, or exclude the values of this branch from the others");
        findings.push(match other.and_then(at) {
            Some(other) => found.with_secondary_label(other, "accepts the same values"),
            None => found,
        });
    }
}
