//! Settles differences: searches whole values that only one of the two sides accepts.

use std::cell::RefCell;

use serde_json::Value;

use super::build::{ScalarCache, SchemaAttempt, ValueBuilder};
use super::canonical_proof::ContainmentProof;
use super::schema_edit::SchemaEdit;
use super::schema_validator::{InvalidSchema, SchemaValidator, ValueRefusal};
use super::source::SchemaSource;
use crate::bound::ImpliedDirection;
use crate::report::{Change, Witness};
use crate::schema::{TOO_LARGE, shrink_object, values_in};
use kvrules_regex::StepBudget;

use super::cost::ValidationCosts;

/// Two schemas, prepared for evaluation.
pub(super) struct SchemaPair<'s> {
    old: ValidatedSide<'s>,
    new: ValidatedSide<'s>,
}

/// State of the search for one difference, with its limits.
struct WitnessSearch<'b, 's> {
    steps: StepBudget,
    costs: [&'b ValidationCosts<'s>; 2],
    objects: usize,
    is_cut: bool,
}

impl WitnessSearch<'_, '_> {
    /// Takes the steps for asking about a value.
    fn may_ask(&self, value: &Value) -> bool {
        let most = self.steps.steps_left();
        let retained = self.costs.map(|costs| costs.of_value(value, most));
        self.steps.try_take(FOR_EACH_VALUE + values_in(value) + retained[0].max(retained[1]))
    }
}

struct ValidatedSide<'s> {
    source: &'s SchemaSource,
    costs: ValidationCosts<'s>,
    validator: SchemaValidator,
    known: ScalarCache,
}

/// The side that no validator accepts, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidSide {
    /// The old side.
    Old(InvalidSchema),
    /// The new side.
    New(InvalidSchema),
}

/// The number of steps that all searches may take: a step for each schema that a value, or something in it, is checked against, and some
/// for making it.
const MOST_STEPS: u64 = 3_000_000;

/// The least that a search has, if there is so much left.
const LEAST_STEPS: u64 = 10_000;

/// The steps for making a value and asking about it, next to what is in it.
const FOR_EACH_VALUE: u64 = 20;

/// Number of values that are made for each attempt, at most, and so many for all attempts of one direction.
const FOR_EACH: usize = 24;
const FOR_ALL: usize = 240;

impl<'s> SchemaPair<'s> {
    pub(super) fn new(old: &'s SchemaSource, new: &'s SchemaSource) -> Result<Self, InvalidSide> {
        let evaluates = (
            old.build_validator().map_err(InvalidSide::Old)?,
            new.build_validator().map_err(InvalidSide::New)?,
        );
        let side = |source, validator| ValidatedSide {
            source,
            costs: ValidationCosts::new(source),
            validator,
            known: ScalarCache::default(),
        };
        Ok(Self { old: side(old, evaluates.0), new: side(new, evaluates.1) })
    }

    /// The changes that edits come to, and the steps that it took. Each edit has its share of those that are left.
    pub(super) fn resolve_edits(&self, edits: &[SchemaEdit<'s>]) -> (Vec<Change>, u64) {
        // If only one difference exists, it causes every refusal, even one that its edit does not expect.
        let is_only = edits.iter().filter(|edit| edit.bound != ImpliedDirection::Equal).count() == 1;
        let all = StepBudget::new(MOST_STEPS);
        let settled = edits.iter().enumerate().map(|(at, edit)| {
            let left = u64::try_from(edits.len() - at).unwrap_or(u64::MAX);
            let share = (all.steps_left() / left.max(1)).max(LEAST_STEPS.min(all.steps_left()));
            let costs = [&self.old.costs, &self.new.costs];
            let mut search =
                WitnessSearch { steps: StepBudget::new(share), costs, objects: 0, is_cut: false };
            let change = self.search_edit(edit, is_only, &mut search);
            all.try_take(search.steps.steps_used());
            (change, search.is_cut)
        });
        let mut settled: Vec<(Change, bool)> = settled.collect();
        let proof = self.prove_rest(edits, &settled);
        for (edit, (change, is_cut)) in edits.iter().zip(&mut settled) {
            conclude_change(change, proof.narrow_bound(edit.bound), *is_cut);
        }
        (settled.into_iter().map(|(change, _)| change).collect(), all.steps_used())
    }

    /// Returns a proof if the values that were found leave a difference undecided. A proof that they contradict is none.
    fn prove_rest(&self, edits: &[SchemaEdit<'s>], settled: &[(Change, bool)]) -> ContainmentProof {
        let is_decided = |(edit, (change, _)): (&SchemaEdit<'s>, &(Change, bool))| {
            edit.bound.is_decided(change.refused.is_some(), change.accepted.is_some())
        };
        if edits.iter().zip(settled).all(is_decided) {
            return ContainmentProof::default();
        }
        let proof = ContainmentProof::new(self.old.source, self.new.source);
        let is_contradicted = settled.iter().any(|(change, _)| {
            proof.rejects_nothing && change.refused.is_some()
                || proof.accepts_nothing && change.accepted.is_some()
        });
        if is_contradicted { ContainmentProof::default() } else { proof }
    }

    /// Searches for values that show a difference.
    fn search_edit(
        &self,
        edit: &SchemaEdit<'s>,
        is_only: bool,
        search: &mut WitnessSearch<'_, '_>,
    ) -> Change {
        let bound = edit.bound;
        let mut change = edit.change.clone();
        if bound == ImpliedDirection::Equal {
            return change;
        }
        if bound != ImpliedDirection::Looser {
            change.refused = self.find_witness(edit, true, is_only, search);
        }
        if bound != ImpliedDirection::Tighter {
            change.accepted = self.find_witness(edit, false, is_only, search);
        }
        change.objects += search.objects;
        change
    }

    /// A value that one side takes and the other refuses for this difference: with `refused` the old side takes it.
    fn find_witness(
        &self,
        edit: &SchemaEdit<'s>,
        refused: bool,
        is_only: bool,
        search: &mut WitnessSearch<'_, '_>,
    ) -> Option<Witness> {
        let (one, other) = if refused { (&self.old, &self.new) } else { (&self.new, &self.old) };
        let attempts: &[SchemaAttempt<'s>] = if refused { &edit.refused } else { &edit.accepted };
        let shows = |value: &Value| -> Option<ValueRefusal> {
            if !one.validator.accepts_value(value) || other.validator.accepts_value(value) {
                return None;
            }
            let refusals = other.validator.find_refusals(value);
            let fits = |refusal: &&ValueRefusal| edit.fits.iter().any(|fit| fit.accepts_refusal(refusal));
            let own = refusals.iter().find(fits).cloned();
            if is_only { own.or_else(|| refusals.first().cloned()) } else { own }
        };
        let mut made = 0;
        for number in 0..FOR_EACH {
            for attempt in attempts {
                if made >= FOR_ALL {
                    return None;
                }
                if !search.steps.try_take(FOR_EACH_VALUE) {
                    search.is_cut = true;
                    return None;
                }
                let Some(value) =
                    ValueBuilder::new(one.source, number, &one.known).build_at_place(&edit.downs, attempt)
                else {
                    continue;
                };
                if !search.may_ask(&value) {
                    search.is_cut = true;
                    return None;
                }
                made += 1;
                search.objects += 1;
                if let Some(refusal) = shows(&value) {
                    return Some(minimize_witness(value, refusal, search, &shows));
                }
            }
        }
        None
    }
}

/// Sets the direction of a change from the values that were found and the bound that is known.
fn conclude_change(change: &mut Change, bound: ImpliedDirection, is_cut: bool) {
    change.conclude(bound, "object");
    if is_cut && !change.proved {
        change.notes.push(TOO_LARGE.to_owned());
    }
}

/// The value without the parts that have no effect, within the steps that are left.
fn minimize_witness(
    value: Value,
    refusal: ValueRefusal,
    search: &WitnessSearch<'_, '_>,
    shows: &dyn Fn(&Value) -> Option<ValueRefusal>,
) -> Witness {
    let last = RefCell::new(refusal);
    let small = shrink_object(value, &|_| false, &|value| {
        search.may_ask(value).then(|| shows(value).map(|refusal| last.replace(refusal)).is_some())
    });
    Witness::new(small, last.into_inner().to_message())
}
