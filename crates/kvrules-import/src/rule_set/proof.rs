//! Proof that rules of a RuleSet say the same as a rule of a definition.

use std::cell::Cell;

use kvrules_diagnostics::FileId;
use kvrules_generate::{PlaceStep, schema_at_place};
use kvrules_ir::Formula;
use kvrules_lift::{
    DefinitionRule, LiftedRule, PlacedFormula, RuleTiming, is_implied, lift_expression, lift_rule,
    stored_value_exists,
};
use kvrules_rule_set::{RuleSubject, read_single_rule};
use serde_json::Value as Json;

use super::candidates::RuleEntry;

/// Number of values that confirm a formula.
pub(super) const CONFIRMING: usize = 60;

/// The most nodes of the formulas that are compared for one RuleSet, over all proofs.
const MOST_NODES: usize = 3_000_000;

/// The work that the proofs for one RuleSet may still take.
pub(crate) struct ProofBudget {
    nodes: Cell<usize>,
}

impl ProofBudget {
    pub(crate) fn new() -> Self {
        Self { nodes: Cell::new(MOST_NODES) }
    }

    /// True if there is work left for no further proof.
    pub(super) fn is_spent(&self) -> bool {
        self.nodes.get() == 0
    }

    /// Takes the work for formulas with so many nodes; false if it is not left.
    fn try_take(&self, nodes: usize) -> bool {
        let left = self.nodes.get().checked_sub(nodes);
        self.nodes.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// A rule that others are compared with.
pub(super) struct ProvedRule<'r> {
    pub(super) subject: &'r RuleSubject,
    budget: &'r ProofBudget,
    pub(super) holds: PlacedFormula,
    pub(super) fails: PlacedFormula,
}

impl<'r> ProvedRule<'r> {
    pub(super) fn new(
        rule: &DefinitionRule,
        lifted: &LiftedRule,
        subject: &'r RuleSubject,
        budget: &'r ProofBudget,
    ) -> Self {
        let placed = |formula: &Formula| PlacedFormula::of_rule(rule, formula.clone(), String::new());
        Self { subject, budget, holds: placed(&lifted.formulas.holds), fails: placed(&lifted.formulas.fails) }
    }

    /// True if it is proved that the rule ends in an error for no value.
    pub(super) fn is_total(&self) -> bool {
        let above = self.holds.place.len();
        self.writes(&[]).iter().all(|is_update| {
            let seen = |formula: &PlacedFormula| formula.seen_from(above, *is_update, &self.subject.schema);
            let (Some(holds), Some(fails), Some(node)) =
                (seen(&self.holds), seen(&self.fails), self.node(&self.holds.place))
            else {
                return false;
            };
            // A rule that does not run passes.
            holds == Formula::True
                || is_implied(&[&stored_in(*is_update)], &Formula::any_of([holds, fails]), node)
        })
    }

    /// True if it is proved that all of these rules together are true exactly where the rule is.
    pub(super) fn is_equal_to(&self, entries: &[RuleEntry]) -> bool {
        let read: Option<Vec<DefinitionRule>> =
            entries.iter().map(|entry| read_entry(entry, self.subject)).collect();
        let Some(read) = read else { return false };
        let lifted: Option<Vec<PlacedFormula>> = read
            .iter()
            .map(|rule| {
                let (expression, checked) = rule.check_types().ok()?;
                let formulas = lift_expression(&expression, &checked, &[]).ok()?;
                Some(PlacedFormula::of_rule(rule, formulas.holds, String::new()))
            })
            .collect();
        let Some(lifted) = lifted else { return false };
        self.implies_both_ways(&lifted) && read.iter().all(|rule| lift_rule(rule, CONFIRMING).is_ok())
    }

    fn implies_both_ways(&self, words: &[PlacedFormula]) -> bool {
        let above = words.iter().fold(self.holds.place.len(), |above, rule| {
            let own = self.holds.place.iter().take(above);
            own.zip(&rule.place).take_while(|(one, other)| one == other).count()
        });
        let way = self.holds.place.get(..above).unwrap_or_default();
        let Some(node) = self.node(way) else { return false };
        self.writes(words).iter().all(|is_update| {
            let seen = |formula: &PlacedFormula| formula.seen_from(above, *is_update, &self.subject.schema);
            let Some(rule) = seen(&self.holds) else { return false };
            let Some(parts) = words.iter().map(seen).collect::<Option<Vec<_>>>() else { return false };
            let all = Formula::all_of(parts);
            let exists = stored_in(*is_update);
            self.budget.try_take(rule.node_count() + all.node_count())
                && is_implied(&[&rule, &exists], &all, node)
                && is_implied(&[&all, &exists], &rule, node)
        })
    }

    /// The writes that are compared: updates too, if a rule reads the stored value.
    fn writes(&self, words: &[PlacedFormula]) -> &'static [bool] {
        let is_plain = |formula: &PlacedFormula| formula.timing == RuleTiming::Always;
        if is_plain(&self.holds) && words.iter().all(is_plain) { &[false] } else { &[false, true] }
    }

    fn node(&self, place: &[PlaceStep]) -> Option<&'r Json> {
        schema_at_place(&self.subject.schema, place)
    }
}

/// The premise that a write adds: an update has a stored value.
fn stored_in(is_update: bool) -> Formula {
    if is_update { stored_value_exists() } else { Formula::True }
}

/// Reads an entry as `kvrules check` does, and returns the rule of a definition that it becomes.
pub(super) fn read_entry(entry: &RuleEntry, subject: &RuleSubject) -> Option<DefinitionRule<'static>> {
    let mut named = RuleEntry::new();
    named.insert("name".to_owned(), "rule".into());
    named.extend(entry.clone());
    let text = Json::Object(named).to_string();
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let rule = read_single_rule(stream.documents.first()?, subject, &mut Vec::new())?;
    rule.to_definition_rule(subject)
}
