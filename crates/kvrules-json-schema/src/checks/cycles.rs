//! Schemas that refer to themselves without end: those that a validator never finishes, and those that require an infinite value.

use std::collections::HashSet;

use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::Node;

use crate::lints::{CONTRADICTORY_SCHEMA, REFERENCE_CYCLE};
use crate::tree::{SchemaSite, SchemaTree, SiteId};

/// Keywords whose schemas apply to the same value and are always evaluated.
const SAME_VALUE: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "if"];

/// Edges from schemas to schemas.
type SiteGraph = Vec<Vec<SiteId>>;

/// Reports cycles, and returns the schemas that only infinite values satisfy.
pub(super) fn check_cycles(tree: &SchemaTree<'_>, findings: &mut Vec<Diagnostic>) -> HashSet<SiteId> {
    let same_value: SiteGraph = tree.sites.iter().map(same_value_edges).collect();
    let mut looping = HashSet::new();
    for cycle in find_cycles(&same_value) {
        if let Some(reference) = closing_reference(tree, &cycle) {
            let message = format!("`{}` leads back to itself on the same value", reference.text());
            let found = REFERENCE_CYCLE.diagnostic_at(reference.span(), message);
            findings.push(
                found.with_help("let one of the references point to a schema with keywords of its own"),
            );
        }
        looping.extend(cycle);
    }
    let required: Vec<Vec<SiteId>> = tree.sites.iter().map(required_children).collect();
    let graph = tree.sites.iter().zip(&required).map(|(site, children)| {
        let branches = site.children_of("allOf").map(|child| child.site);
        site.reference.into_iter().chain(branches).chain(children.iter().copied()).collect()
    });
    let mut endless = HashSet::new();
    for cycle in find_cycles(&graph.collect()) {
        let members: HashSet<SiteId> = cycle.iter().copied().collect();
        let descends = |site: &SiteId| {
            required.get(*site).is_some_and(|below| below.iter().any(|it| members.contains(it)))
        };
        if !cycle.iter().any(descends) {
            continue;
        }
        if let Some(reference) = closing_reference(tree, &cycle) {
            let message =
                format!("no finite value satisfies the schema, which requires `{}` again", reference.text());
            let found = CONTRADICTORY_SCHEMA.diagnostic_at(reference.span(), message);
            findings.push(found.with_help("make a property or the items on the way optional"));
        }
        endless.extend(members);
    }
    endless.extend(looping);
    endless
}

fn same_value_edges(site: &SchemaSite<'_>) -> Vec<SiteId> {
    let is_kept = |keyword: &str| !site.is_mere_reference() && SAME_VALUE.contains(&keyword);
    let branches = site.children.iter().filter(|child| is_kept(child.keyword)).map(|child| child.site);
    site.reference.into_iter().chain(branches).collect()
}

/// The schemas below a schema that a value needs a value for.
fn required_children(site: &SchemaSite<'_>) -> Vec<SiteId> {
    if site.is_mere_reference() || site.is_parameter {
        return Vec::new();
    }
    let keyword = |name: &str| site.node.get(name);
    match keyword("type").and_then(Node::as_str) {
        Some("object") => {
            let names: HashSet<&str> =
                keyword("required").into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
            let is_required = |name: Option<Node<'_>>| name.is_some_and(|name| names.contains(name.text()));
            let properties = site.children_of("properties").filter(|child| is_required(child.name));
            properties.map(|child| child.site).collect()
        }
        Some("array") => {
            let is_filled = keyword("minItems")
                .is_some_and(|least| least.text().parse().is_ok_and(|least: u64| least > 0));
            let has_tuple = keyword("prefixItems").is_some() || keyword("items").is_some_and(Node::is_list);
            let first =
                if has_tuple { Vec::new() } else { site.children_of("items").map(|it| it.site).collect() };
            if is_filled { first } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

/// The first reference of a cycle that stays in it.
fn closing_reference<'d>(tree: &SchemaTree<'d>, cycle: &[SiteId]) -> Option<Node<'d>> {
    let members: HashSet<SiteId> = cycle.iter().copied().collect();
    let is_inside = |site: &SiteId| {
        let target = tree.sites.get(*site).and_then(|site| site.reference);
        target.is_some_and(|target| members.contains(&target))
    };
    let references = cycle.iter().filter(|site| is_inside(site));
    let nodes = references.filter_map(|site| tree.sites.get(*site)?.node.get("$ref"));
    nodes.min_by_key(|node| node.span())
}

/// Returns the strongly connected components that have a cycle.
// Two passes in the manner of Kosaraju, without recursion: chains of references are as long as documents.
fn find_cycles(graph: &SiteGraph) -> Vec<Vec<SiteId>> {
    let order = finishing_order(graph);
    let mut reversed: SiteGraph = vec![Vec::new(); graph.len()];
    for (from, targets) in graph.iter().enumerate() {
        for target in targets {
            if let Some(sources) = reversed.get_mut(*target) {
                sources.push(from);
            }
        }
    }
    let mut placed: HashSet<SiteId> = HashSet::new();
    let mut cycles = Vec::new();
    for root in order.into_iter().rev() {
        if !placed.insert(root) {
            continue;
        }
        let (mut open, mut members) = (vec![root], Vec::new());
        while let Some(site) = open.pop() {
            members.push(site);
            for source in reversed.get(site).into_iter().flatten() {
                if placed.insert(*source) {
                    open.push(*source);
                }
            }
        }
        let loops = graph.get(root).is_some_and(|targets| targets.contains(&root));
        if members.len() > 1 || loops {
            members.sort_unstable();
            cycles.push(members);
        }
    }
    cycles
}

fn finishing_order(graph: &SiteGraph) -> Vec<SiteId> {
    let (mut seen, mut order) = (vec![false; graph.len()], Vec::new());
    for root in 0..graph.len() {
        let mut open = vec![(root, 0)];
        while let Some((site, next)) = open.pop() {
            if next == 0 && seen.get_mut(site).is_none_or(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            match graph.get(site).and_then(|targets| targets.get(next)) {
                Some(target) => open.extend([(site, next + 1), (*target, 0)]),
                None => order.push(site),
            }
        }
    }
    order
}
