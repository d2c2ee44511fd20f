//! The bounds that bring the rules of a schema under the budget, and the edits that add them.

use kvrules_apiserver::cost::{
    EXPRESSION_LIMIT, ExpensiveExpression, RuleReport, SCHEMA_LIMIT, SchemaReport, measure_node_in,
};
use kvrules_cel::cost::expression_cost_in;
use kvrules_cel::kubernetes::{CostRegime, KubernetesVersions};
use kvrules_diagnostics::{Edit, Fix, SourceFile, Span, join_words};
use kvrules_kubernetes::keywords::{INT_OR_STRING, VALIDATIONS};
use kvrules_syntax::Node;
use kvrules_syntax::edit::{Rewriter, ScalarEdit as Written};
use serde_json::Value;

use super::ExpressionField;
use super::search::search_bounds;
use super::slots::{BoundSlot, find_slots};
use crate::schema_location::node_head_span;
use crate::schema_review::{ReviewedSchema, SchemaVersion};

/// The remedies for rules that are too expensive.
#[derive(Debug, Default)]
pub(crate) struct BoundRemedies {
    remedies: Vec<(String, usize, ExpressionField, BoundRemedy)>,
    /// For the sum of all rules.
    pub(crate) total: Option<BoundRemedy>,
}

/// Bounds that together bring something under its budget; none if bounds do not help.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundRemedy {
    pub(crate) slots: Vec<PlacedBound>,
}

/// A bound at its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct PlacedBound {
    pub(crate) slot: BoundSlot,
    /// The bound to be written.
    pub(crate) most: u64,
    /// True if `allOf` has it already, which servers do not look into.
    is_nested: bool,
    pub(crate) span: Option<Span>,
    edit: Option<Edit>,
}

impl BoundRemedies {
    /// The remedy for an expression.
    pub(crate) fn find_remedy(
        &self,
        path: &str,
        index: usize,
        field: ExpressionField,
    ) -> Option<&BoundRemedy> {
        let found =
            self.remedies.iter().find(|known| (known.0.as_str(), known.1, known.2) == (path, index, field));
        found.map(|(.., remedy)| remedy)
    }

    /// Every bound that is to be written, once.
    pub(crate) fn edits(&self) -> Vec<Edit> {
        let all = self.remedies.iter().map(|known| &known.3).chain(&self.total);
        let mut edits: Vec<Edit> =
            all.flat_map(|remedy| &remedy.slots).filter_map(|placed| placed.edit.clone()).collect();
        edits.sort();
        edits.dedup();
        edits
    }
}

impl BoundRemedy {
    /// True if bounds were found.
    pub(crate) fn is_found(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Returns the advice in words.
    pub(crate) fn to_advice(&self) -> String {
        let parts: Vec<String> = self.slots.iter().map(PlacedBound::describe_bound).collect();
        join_words(&parts, "and")
    }

    /// The repair, where every bound can be written. A bound refuses objects that were accepted before.
    pub(crate) fn fix(&self) -> Option<Fix> {
        let edits: Option<Vec<Edit>> = self.slots.iter().map(|placed| placed.edit.clone()).collect();
        let edits = edits.filter(|edits| !edits.is_empty())?;
        if self.slots.iter().all(|placed| placed.is_nested) {
            return Some(Fix::safe_fix(self.to_advice(), edits));
        }
        Some(Fix::not_safe(format!("{}, which rejects larger objects", self.to_advice()), edits))
    }
}

impl PlacedBound {
    fn describe_bound(&self) -> String {
        let BoundSlot { name, keyword, declared, .. } = &self.slot;
        let place = if name.is_empty() { "the root".to_owned() } else { format!("`{name}`") };
        match declared {
            _ if self.is_nested => format!(
                "write `{keyword}: {}` next to the type of {place}: servers do not look for it in `allOf`",
                self.most
            ),
            Some(_) => format!("lower `{keyword}` of {place} to {}", self.most),
            None => format!("add `{keyword}: {}` to {place}", self.most),
        }
    }

    /// Describes the current bound.
    pub(crate) fn describe_current(&self) -> String {
        match self.slot.declared {
            Some(declared) => format!("`{}` is {declared}", self.slot.keyword),
            None => format!("no `{}`", self.slot.keyword),
        }
    }
}

/// Percentage of a budget that proposed bounds leave free. Rules grow, and the estimate of a newer server may be
/// higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headroom(u8);

impl Default for Headroom {
    fn default() -> Self {
        Self(50)
    }
}

impl Headroom {
    /// Leaves so many percent free, at most 99. With 0 bounds are as wide as they can be, and not round.
    pub fn from_percent(percent: u8) -> Self {
        Self(percent.min(99))
    }

    fn of(self, budget: u64) -> u64 {
        budget / 100 * u64::from(100 - self.0)
    }

    /// A bound that people would write: one digit and zeros.
    fn round_bound(self, bound: u64) -> u64 {
        let unit = std::iter::successors(Some(1u64), |unit| unit.checked_mul(10))
            .take_while(|unit| *unit <= bound)
            .last();
        if self.0 == 0 { bound } else { unit.map_or(bound, |unit| bound / unit * unit) }
    }
}

/// An expression that is priced again and again while bounds change. Its types stay what they are.
struct PricedExpression<'r> {
    expensive: &'r ExpensiveExpression,
    field: ExpressionField,
    text: &'r str,
    /// The estimates of the servers.
    regimes: &'r [CostRegime],
}

impl PricedExpression<'_> {
    /// The greatest cost on the servers.
    fn cost(&self, schema: &Value) -> u64 {
        self.regimes.iter().map(|regime| self.cost_in(schema, *regime)).max().unwrap_or(u64::MAX)
    }

    fn cost_in(&self, schema: &Value, regime: CostRegime) -> u64 {
        let measured = measure_node_in(schema, &self.expensive.path, regime.string_bounds);
        let Ok((decl, cardinality)) = measured else { return u64::MAX };
        let cost = expression_cost_in(&self.expensive.checked, &decl, regime);
        match self.field {
            ExpressionField::Rule => cost.saturating_mul(cardinality.evaluations),
            ExpressionField::MessageExpression => cost,
        }
    }
}

/// The ways in which the servers of some versions estimate costs.
fn regimes_of(servers: KubernetesVersions) -> Vec<CostRegime> {
    let mut regimes: Vec<CostRegime> = servers.iter().rev().map(CostRegime::of_server).collect();
    regimes.dedup();
    regimes
}

/// Prices within one search cost time; a schema of this many bytes may ask for one price less.
const PRICES: usize = 40_000_000;

/// The bounds for everything in a schema that is too expensive.
pub(crate) fn propose_bounds(
    source: &SourceFile,
    version: &SchemaVersion<'_>,
    reviewed: &ReviewedSchema<'_>,
    headroom: Headroom,
) -> BoundRemedies {
    let rules = (&reviewed.report, reviewed.expensive.as_slice());
    propose_bounds_for(source, version, &reviewed.schema, rules, (headroom, KubernetesVersions::default()))
}

/// The same for the servers of several versions, with the greatest costs of the rules.
pub(crate) fn propose_bounds_for(
    source: &SourceFile,
    version: &SchemaVersion<'_>,
    schema: &Value,
    (report, expensive): (&SchemaReport, &[ExpensiveExpression]),
    (headroom, servers): (Headroom, KubernetesVersions),
) -> BoundRemedies {
    let regimes = regimes_of(servers);
    let mut found = BoundRemedies::default();
    let is_over = |rule: &RuleReport| {
        rule.estimated_cost > Some(EXPRESSION_LIMIT) || rule.message_expression_cost > Some(EXPRESSION_LIMIT)
    };
    if !report.rules.iter().any(is_over) && report.total_cost <= SCHEMA_LIMIT {
        return found;
    }
    let mut left = (PRICES / (version.node.span().to_range().len() + 2_000)).clamp(400, 8_000);
    let priced = price_expressions(schema, expensive, &regimes);
    let mut work = schema.clone();
    let mut touched: Vec<(usize, Vec<BoundSlot>)> = Vec::new();
    for (at, expression) in
        priced.iter().enumerate().filter(|(_, it)| it.expensive.estimate > EXPRESSION_LIMIT)
    {
        let mut within = |limit: u64, work: &mut Value| {
            let mut fits = |schema: &Value| {
                left = left.saturating_sub(1);
                left > 0 && expression.cost(schema) <= limit
            };
            bound_expression(schema, work, expression, &mut fits)
        };
        let mut slots = within(headroom.of(EXPRESSION_LIMIT), &mut work);
        if slots.is_empty() {
            slots = within(EXPRESSION_LIMIT, &mut work);
        }
        round_slots(&mut work, &slots, headroom);
        touched.push((at, slots));
    }
    let expensive = priced.iter().fold(0u64, |sum, it| sum.saturating_add(it.expensive.estimate));
    // The cost of the other expressions does not change.
    let rest = report.total_cost.saturating_sub(expensive);
    let mut total = |limit: u64| of_total(schema, &mut work, &priced, limit.saturating_sub(rest), &mut left);
    let together = if report.total_cost > SCHEMA_LIMIT {
        total(headroom.of(SCHEMA_LIMIT)).or_else(|| total(SCHEMA_LIMIT))
    } else {
        None
    };
    round_slots(&mut work, together.as_deref().unwrap_or_default(), headroom);
    let placed = |slots: &[BoundSlot]| BoundRemedy {
        slots: slots.iter().filter_map(|slot| place_bound(source, version.node, slot, &work)).collect(),
    };
    for (at, slots) in &touched {
        if let Some(priced) = priced.get(*at) {
            let ExpensiveExpression { path, index, .. } = priced.expensive;
            found.remedies.push((path.clone(), *index, priced.field, placed(slots)));
        }
    }
    found.total = together.map(|slots| placed(&slots));
    found
}

/// Rounds bounds down, which leaves every cost at most what it is.
fn round_slots(work: &mut Value, slots: &[BoundSlot], headroom: Headroom) {
    for slot in slots {
        if let Some(bound) = slot.current_bound(work) {
            slot.set_bound(work, Some(headroom.round_bound(bound)));
        }
    }
}

/// The expressions that are worth a second look, the most expensive first.
fn price_expressions<'r>(
    schema: &'r Value,
    expensive: &'r [ExpensiveExpression],
    regimes: &'r [CostRegime],
) -> Vec<PricedExpression<'r>> {
    let priced = |expensive: &'r ExpensiveExpression| {
        let field =
            if expensive.is_message { ExpressionField::MessageExpression } else { ExpressionField::Rule };
        let node = super::slots::find_node(schema, &expensive.path)?;
        let entry = node.get(VALIDATIONS)?.get(expensive.index)?;
        Some(PricedExpression { expensive, field, text: entry.get(field.as_str())?.as_str()?, regimes })
    };
    expensive.iter().filter_map(priced).collect()
}

/// Bounds what one expression reads until it fits; the places that count for it.
fn bound_expression(
    schema: &Value,
    work: &mut Value,
    expression: &PricedExpression<'_>,
    fits: &mut dyn FnMut(&Value) -> bool,
) -> Vec<BoundSlot> {
    let all = find_slots(schema, &expression.expensive.path, expression.text, expression.field);
    let (open, closed): (Vec<BoundSlot>, Vec<BoundSlot>) =
        all.into_iter().partition(|slot| slot.declared.is_none());
    if fits(work) || search_bounds(work, &open, fits) {
        return changed_slots(schema, work, open);
    }
    // If new bounds alone do not help, lower the declared ones as well.
    let every = [open, closed].concat();
    if search_bounds(work, &every, fits) { changed_slots(schema, work, every) } else { Vec::new() }
}

fn changed_slots(schema: &Value, work: &Value, slots: Vec<BoundSlot>) -> Vec<BoundSlot> {
    slots.into_iter().filter(|slot| slot.current_bound(work) != slot.current_bound(schema)).collect()
}

/// Bounds what the expensive expressions read until together they cost no more than `most`.
fn of_total(
    schema: &Value,
    work: &mut Value,
    priced: &[PricedExpression<'_>],
    most: u64,
    left: &mut usize,
) -> Option<Vec<BoundSlot>> {
    let mut every: Vec<BoundSlot> = Vec::new();
    for expression in priced {
        for slot in find_slots(schema, &expression.expensive.path, expression.text, expression.field) {
            if !every.contains(&slot) {
                every.push(slot);
            }
        }
    }
    let open: Vec<BoundSlot> = every.iter().filter(|slot| slot.declared.is_none()).cloned().collect();
    let mut fits = |schema: &Value| {
        *left = left.saturating_sub(priced.len());
        *left > 0 && priced.iter().fold(0u64, |sum, it| sum.saturating_add(it.cost(schema))) <= most
    };
    let fitted =
        fits(work) || search_bounds(work, &open, &mut fits) || search_bounds(work, &every, &mut fits);
    fitted.then(|| changed_slots(schema, work, every))
}

/// Returns the location where a bound is to be written.
fn place_bound(source: &SourceFile, root: Node<'_>, slot: &BoundSlot, work: &Value) -> Option<PlacedBound> {
    let needed = slot.current_bound(work)?;
    let node = slot.steps.iter().try_fold(root, |node, step| node.get(step));
    let nested = node.and_then(|node| nested_bound(node, slot.keyword)).filter(|nested| *nested <= needed);
    let most = nested.unwrap_or(needed);
    let edit = node.and_then(|node| bound_edit(source, node, slot.keyword, most));
    let span = node.map(|node| node.get("type").map_or_else(|| node_head_span(node), Node::span));
    Some(PlacedBound { slot: slot.clone(), most, is_nested: nested.is_some(), span, edit })
}

/// The least bound in `allOf`, which holds for all values.
fn nested_bound(node: Node<'_>, keyword: &str) -> Option<u64> {
    let parts = node.get("allOf").into_iter().flat_map(Node::items);
    parts.filter_map(|part| part.get(keyword)?.text().parse().ok()).min()
}

fn bound_edit(source: &SourceFile, node: Node<'_>, keyword: &str, most: u64) -> Option<Edit> {
    let rewriter = Rewriter::new(source);
    let text = most.to_string();
    if node.is_templated() {
        return None;
    }
    if let Some(entry) = node.entry(keyword) {
        return rewriter.replace_scalar(entry.value, Written::Literal(&text));
    }
    let is_short =
        |key: &&str| node.entry(key).is_some_and(|entry| !entry.value.is_map() && !entry.value.is_list());
    let behind = ["type", INT_OR_STRING].into_iter().find(is_short)?;
    rewriter.insert_after(node, node.entry(behind)?, keyword, Written::Literal(&text))
}
