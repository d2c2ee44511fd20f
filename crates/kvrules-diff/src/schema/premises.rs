//! The rules of one side that imply a condition of the other side.
//!
//! Only rules that read what the condition reads can imply it, apart from rules that reject everything. They are found by an index, so
//! that the search for one condition takes as long in a side with five rules as in one with five hundred about other fields.

use std::cell::{Cell, OnceCell};
use std::cmp::Reverse;

use kvrules_cel::value::from_schema;
use kvrules_generate::{PlaceStep, schema_at_place};
use kvrules_ir::Formula;
use kvrules_lift::{
    DefinitionRule, FormulaScope, PlacedFormula, RuleTiming, certify_implication, explain_claim, is_implied,
    make_case_values, stored_value_exists,
};
use serde_json::Value;

use super::edit::ObjectEdit;
use super::formulas::SideRules;
use super::keyword::keyword_text;
use super::rule_reads::ReadNames;
use crate::report::ProofExplanation;

/// The most implications that are examined for one difference in one direction.
const MOST_FOR_EACH: usize = 60;
/// The most rules that are premises together.
const MOST_PREMISES: usize = 12;
/// The most rules around a place through which rules of other places are found.
const MOST_LINKING: usize = 24;
/// The most rules that are evaluated on values that violate a condition.
const MOST_EVALUATED: usize = 1_000;
/// Number of such values.
const VIOLATIONS: usize = 4;

/// A search for premises of one condition.
pub(super) struct PremiseSearch<'a> {
    accepting: &'a SideRules<'a>,
    conclusion: &'a PlacedFormula,
    reads: ReadNames,
    /// The rule that the rule of the condition was, or became: most often it implies the condition if a rule does.
    partner: Option<usize>,
    is_rule: bool,
    explains_proofs: bool,
    /// Number of implications that may still be examined.
    left: Cell<usize>,
    /// Values that violate the condition at its place.
    violations: OnceCell<Vec<FormulaScope>>,
}

impl<'a> PremiseSearch<'a> {
    pub(super) fn new(
        accepting: &'a SideRules<'a>,
        conclusion: &'a PlacedFormula,
        edit: &ObjectEdit,
        is_tightening: bool,
        explains_proofs: bool,
    ) -> Self {
        let place = &conclusion.place;
        let sides = edit.pair.as_ref().map(|pair| [&pair.old, &pair.new]);
        let [own, theirs] = match sides {
            Some([old, new]) if is_tightening => [new.as_ref(), old.as_ref()],
            Some([old, new]) => [old.as_ref(), new.as_ref()],
            None => [None, None],
        };
        Self {
            accepting,
            conclusion,
            reads: match own {
                Some(rule) => ReadNames::of_rule(place, keyword_text(rule, "rule")),
                None => ReadNames::of_names(place, conclusion.field_names()),
            },
            partner: theirs.and_then(|rule| accepting.find_rule(place, rule)),
            is_rule: edit.pair.is_some(),
            explains_proofs,
            left: Cell::new(MOST_FOR_EACH),
            violations: OnceCell::new(),
        }
    }

    /// The number of implications that were examined.
    pub(super) fn examined(&self) -> u64 {
        u64::try_from(MOST_FOR_EACH - self.left.get()).unwrap_or(u64::MAX)
    }

    /// The rules that imply the condition together with the schema; none if the schema does alone. With the explanation, if it was asked
    /// for.
    pub(super) fn find_premises(&self) -> Option<(Vec<String>, Option<ProofExplanation>)> {
        let place = &self.conclusion.place;
        (0..=place.len()).rev().find_map(|above| {
            let around = Surroundings { search: self, above };
            let explained = |premises: &[&PlacedFormula]| {
                let names = premises.iter().map(|premise| premise.name.clone()).collect();
                (names, self.explains_proofs.then(|| around.explain(premises)))
            };
            if above == place.len() && self.is_rule && around.implies(&[]) {
                return Some(explained(&[]));
            }
            let candidates = around.candidates();
            let one = candidates.iter().find(|rule| {
                around.is_on_way(&rule.place) && !self.lets_violation_through(rule) && around.implies(&[rule])
            });
            let together = || {
                let all = around.premises_together(&candidates);
                let all: Vec<&PlacedFormula> = all.iter().collect();
                let found = (all.len() > 1 && around.implies(&all)).then(|| around.needed(all.clone()));
                found.map(|premises| explained(&premises))
            };
            one.map(|rule| explained(&[rule])).or_else(together)
        })
    }

    /// True if a rule of the same place accepts a value that violates the condition, so that it does not imply it. Evaluating it takes
    /// far less than a proof.
    fn lets_violation_through(&self, rule: &PlacedFormula) -> bool {
        let is_static = rule.timing == RuleTiming::Always && rule.place == self.conclusion.place;
        is_static && self.violations().iter().any(|violation| violation.formula_holds(&rule.formula))
    }

    fn violations(&self) -> &[FormulaScope] {
        self.violations.get_or_init(|| {
            let node = schema_at_place(self.accepting.schema, &self.conclusion.place);
            let Some(node) = node.filter(|_| self.conclusion.timing == RuleTiming::Always) else {
                return Vec::new();
            };
            let violated = Formula::negation_of((*self.conclusion.formula).clone());
            let values = make_case_values(&violated, node, false, VIOLATIONS);
            let scopes = values
                .iter()
                .map(|(value, _)| FormulaScope::new().with_root("self", from_schema(value, node)));
            scopes.filter(|scope| scope.formula_holds(&violated)).collect()
        })
    }
}

/// An implication at the place of a condition, or some steps around it.
struct Surroundings<'a> {
    search: &'a PremiseSearch<'a>,
    /// Number of steps to the place.
    above: usize,
}

impl Surroundings<'_> {
    /// The rules here and below that read what the condition reads: the partner first, then those at the same place, then those that
    /// share most.
    fn candidates(&self) -> Vec<PlacedFormula> {
        let PremiseSearch { accepting, conclusion, reads, partner, .. } = self.search;
        let Some(way) = conclusion.place.get(..self.above) else { return Vec::new() };
        let is_own = self.above == conclusion.place.len();
        let index = accepting.index();
        let related = index.related(reads);
        let linking = self.linking_rules(&related);
        let linked = linking.iter().filter_map(|(number, _)| index.reads_of(*number));
        let mut numbers: Vec<usize> = linked.flat_map(|reads| index.related(reads)).collect();
        let is_linked = |number: &usize| {
            accepting.rules.get(*number).is_some_and(|rule| {
                linking.iter().any(|(_, around)| {
                    let step = rule.place.get(around.place.len());
                    rule.place.starts_with(&around.place) && step.is_some_and(|step| names_step(around, step))
                })
            })
        };
        numbers.retain(is_linked);
        let is_on_way =
            |number: &usize| accepting.rules.get(*number).is_some_and(|rule| self.is_on_way(&rule.place));
        numbers.extend(related.into_iter().filter(is_on_way));
        // Above the own place, each rule must be new there or be one around the place.
        numbers.retain(|number| {
            let rule = accepting.rules.get(*number);
            rule.is_some_and(|rule| rule.place.starts_with(way) && (is_own || self.is_related(rule)))
        });
        numbers.sort_unstable();
        numbers.dedup();
        numbers.sort_by_cached_key(|number| {
            let shared = index.reads_of(*number).map_or(0, |other| reads.count_shared(other));
            let is_elsewhere = accepting.rules.get(*number).is_none_or(|rule| rule.place != conclusion.place);
            (Some(*number) != *partner, is_elsewhere, Reverse(shared))
        });
        numbers.truncate(MOST_EVALUATED);
        numbers.into_iter().filter_map(|number| accepting.rule_formula(number).ok()).collect()
    }

    /// The premises for one proof: the candidates, and if they are few the rules of the same place that read what these read.
    fn premises_together(&self, candidates: &[PlacedFormula]) -> Vec<PlacedFormula> {
        let mut all: Vec<PlacedFormula> = candidates.iter().take(MOST_PREMISES).cloned().collect();
        let PremiseSearch { accepting, conclusion, .. } = self.search;
        if all.len() >= MOST_PREMISES || self.above != conclusion.place.len() {
            return all;
        }
        let further: Vec<usize> = all
            .iter()
            .map(|rule| ReadNames::of_names(&rule.place, rule.field_names()))
            .flat_map(|reads| accepting.index().related(&reads))
            .filter(|number| accepting.rules.get(*number).is_some_and(|rule| rule.place == conclusion.place))
            .collect();
        for formula in further.into_iter().filter_map(|number| accepting.rule_formula(number).ok()) {
            if all.len() >= MOST_PREMISES {
                break;
            }
            if all.iter().all(|known| known.name != formula.name) {
                all.push(formula);
            }
        }
        all
    }

    /// True for places around the place, and for those in it.
    fn is_on_way(&self, place: &[PlaceStep]) -> bool {
        let own = &self.search.conclusion.place;
        own.starts_with(place) || place.starts_with(own)
    }

    /// The rules around the place, which may compare what is in it with what is not.
    fn linking_rules(&self, related: &[usize]) -> Vec<(usize, &DefinitionRule<'static>)> {
        let PremiseSearch { accepting, conclusion, .. } = self.search;
        let place = &conclusion.place;
        let is_around = |rule: &DefinitionRule| {
            rule.place.len() < place.len()
                && place.starts_with(&rule.place)
                && place.get(rule.place.len()).is_some_and(|step| names_step(rule, step))
        };
        let rules = related.iter().filter_map(|number| Some((*number, accepting.rules.get(*number)?)));
        rules.filter(|(_, rule)| is_around(rule)).take(MOST_LINKING).collect()
    }

    /// True for rules on the way to the place and directly below nodes on the way.
    fn is_related(&self, rule: &DefinitionRule) -> bool {
        let place = &self.search.conclusion.place;
        let shared = rule.place.iter().zip(place).take_while(|(one, other)| one == other).count();
        rule.place.len() <= shared + 2
    }

    /// True if it is proved, for creations and for updates.
    fn implies(&self, premises: &[&PlacedFormula]) -> bool {
        let Some(node) = self.node() else { return false };
        self.writes(premises).iter().all(|is_update| {
            let Some(left) = self.search.left.get().checked_sub(1) else { return false };
            self.search.left.set(left);
            self.question(premises, *is_update).is_some_and(|(premises, conclusion)| {
                is_implied(&premises.iter().collect::<Vec<_>>(), &conclusion, node)
            })
        })
    }

    /// Explains what [`Self::implies`] proves.
    fn explain(&self, premises: &[&PlacedFormula]) -> ProofExplanation {
        let node = self.node().unwrap_or(&Value::Null);
        let certificate = |is_update: &bool| {
            let (premises, conclusion) = self.question(premises, *is_update)?;
            certify_implication(&premises.iter().collect::<Vec<_>>(), &conclusion, node)
        };
        let certificates: Vec<_> = self.writes(premises).iter().map(certificate).collect();
        let (lines, value) = explain_claim(&certificates, node);
        ProofExplanation { lines, value }
    }

    /// The schema of the values that the proof is about.
    fn node(&self) -> Option<&Value> {
        schema_at_place(self.search.accepting.schema, self.search.conclusion.place.get(..self.above)?)
    }

    /// The writes to examine: a premise that may read the stored value says something else in an update.
    fn writes(&self, premises: &[&PlacedFormula]) -> &'static [bool] {
        let has_optional = premises.iter().any(|premise| premise.timing == RuleTiming::Optional);
        match self.search.conclusion.timing {
            RuleTiming::Always if !has_optional => &[false],
            RuleTiming::Update => &[true],
            RuleTiming::Always | RuleTiming::Optional => &[false, true],
        }
    }

    /// The premises and the conclusion as the place sees them.
    fn question(&self, premises: &[&PlacedFormula], is_update: bool) -> Option<(Vec<Formula>, Formula)> {
        let seen =
            |formula: &PlacedFormula| formula.seen_from(self.above, is_update, self.search.accepting.schema);
        let conclusion = seen(self.search.conclusion)?;
        let mut premises: Vec<Formula> = premises.iter().filter_map(|premise| seen(premise)).collect();
        if is_update {
            premises.push(stored_value_exists());
        }
        Some((premises, conclusion))
    }

    /// Those premises without which the others do not imply the condition.
    fn needed<'f>(&self, mut premises: Vec<&'f PlacedFormula>) -> Vec<&'f PlacedFormula> {
        let mut at = 0;
        while at < premises.len() {
            let removed = premises.remove(at);
            if !self.implies(&premises) {
                premises.insert(at, removed);
                at += 1;
            }
        }
        premises
    }
}

/// True if the text of a rule may be about what is at a step from its place.
fn names_step(rule: &DefinitionRule, step: &PlaceStep) -> bool {
    match step {
        PlaceStep::Field(name) => rule.source.rule.contains(name.as_str()),
        PlaceStep::Any => true,
    }
}
