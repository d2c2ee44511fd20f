//! Bounds on lists and texts that bring a rule within what it may cost.

use std::collections::BTreeSet;
use std::fmt;

use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_ir::Predicate;
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::{Value, json};

use super::cost;
use super::path::{NodePath, Segment};
use super::placement::PlacedPredicate;
use super::rebase::reached_nodes;
use super::schema::is_true;

/// A bound at a node that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SchemaBound {
    pub(super) node: NodePath,
    /// `maxItems` or `maxLength`.
    pub(super) keyword: &'static str,
    pub(super) most: u64,
}

impl fmt::Display for SchemaBound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}: {}` at `{}`", self.keyword, self.most, self.node)
    }
}

/// No list or text need be longer to be as good as one without bound.
const LONGEST: u64 = 1 << 20;
/// Shorter lists or texts are a nuisance: then both are bounded.
const BEARABLE: u64 = 16;
/// Lengths that texts are given where lists are bounded as well.
const LENGTHS: [u64; 2] = [253, 63];

/// The widest bounds under which a rule costs no more than `limit`.
pub(super) fn find_widest_bounds(
    schema: &mut Value,
    placed: &PlacedPredicate,
    rule: &str,
    (limit, servers): (u64, KubernetesVersions),
) -> Option<Vec<SchemaBound>> {
    let (lists, texts) = find_unbounded(schema, &placed.node, &placed.predicate);
    let mut trial = PricedTrial { schema, node: &placed.node, rule, limit, servers };
    let of = |most: Option<u64>, nodes: &BTreeSet<NodePath>, keyword| -> Vec<SchemaBound> {
        let bound = |(node, most): (&NodePath, u64)| SchemaBound { node: node.clone(), keyword, most };
        nodes
            .iter()
            .zip(std::iter::repeat(most))
            .filter_map(|(node, most)| Some((node, most?)))
            .map(bound)
            .collect()
    };
    let bounds = |items: Option<u64>, length: Option<u64>| {
        [of(items, &lists, "maxItems"), of(length, &texts, "maxLength")].concat()
    };
    let bearable = |found: &u64| *found >= BEARABLE;
    let by_lists = trial.most(!lists.is_empty(), |most| bounds(Some(most), None)).filter(bearable);
    if let Some(items) = by_lists {
        return Some(bounds(Some(items), None));
    }
    let by_texts = trial.most(!texts.is_empty(), |most| bounds(None, Some(most))).filter(bearable);
    if let Some(length) = by_texts {
        return Some(bounds(None, Some(length)));
    }
    LENGTHS.iter().find_map(|length| {
        let items = trial.most(!lists.is_empty(), |most| bounds(Some(most), Some(*length)))?;
        Some(bounds(Some(items), Some(*length)))
    })
}

/// Adds bounds to a schema.
pub(super) fn add_bounds(schema: &mut Value, bounds: &[SchemaBound]) {
    for bound in bounds {
        if let Some(Value::Object(node)) = bound.node.find_mut(schema) {
            node.insert(bound.keyword.to_owned(), json!(bound.most));
        }
    }
}

/// Takes bounds away that were added.
pub(super) fn remove_bounds(schema: &mut Value, bounds: &[SchemaBound]) {
    for bound in bounds {
        if let Some(Value::Object(node)) = bound.node.find_mut(schema) {
            node.shift_remove(bound.keyword);
        }
    }
}

/// The lists and texts without bounds that a rule reads or stands below.
fn find_unbounded(
    schema: &Value,
    node: &NodePath,
    predicate: &Predicate,
) -> (BTreeSet<NodePath>, BTreeSet<NodePath>) {
    let (mut lists, mut texts) = (BTreeSet::new(), BTreeSet::new());
    let reached = reached_nodes(predicate, node).into_iter().map(|(node, _)| node);
    for node in reached.chain([node.clone()]).flat_map(|node| node.way().collect::<Vec<_>>()) {
        let Some(found) = node.find(schema) else { continue };
        let is = |name: &str| found.get("type").is_some_and(|own| own == name);
        if is("array") && found.get("maxItems").is_none() {
            lists.insert(node);
        } else if (is("string") && found.get("enum").is_none() || is_true(found, INT_OR_STRING))
            && found.get("maxLength").is_none()
            && !matches!(node.0.last(), Some(Segment::Values))
        {
            texts.insert(node);
        }
    }
    (lists, texts)
}

/// A rule that is priced under one set of bounds after the other.
struct PricedTrial<'a> {
    schema: &'a mut Value,
    node: &'a NodePath,
    rule: &'a str,
    limit: u64,
    servers: KubernetesVersions,
}

impl PricedTrial<'_> {
    /// The greatest number under which the rule fits; nothing if it fits under none or there is `any` nothing to bound.
    fn most(&mut self, any: bool, bounds: impl Fn(u64) -> Vec<SchemaBound>) -> Option<u64> {
        if !any || !self.fits(&bounds(1)) {
            return None;
        }
        let (mut fits, mut fails) = (1, LONGEST + 1);
        while fits + 1 < fails {
            let middle = u64::midpoint(fits, fails);
            if self.fits(&bounds(middle)) { fits = middle } else { fails = middle }
        }
        Some(fits)
    }

    fn fits(&mut self, bounds: &[SchemaBound]) -> bool {
        add_bounds(self.schema, bounds);
        let cost = cost::of_rule(self.schema, self.node, self.rule, self.servers);
        remove_bounds(self.schema, bounds);
        cost.is_ok_and(|cost| cost <= self.limit)
    }
}
