//! Settles differences: searches whole values that only one of the two sides accepts.

use std::cell::RefCell;

use serde_json::Value;

use super::build::{ScalarCache, SchemaAttempt, ValueBuilder};
use super::judge::{InvalidSchema, SchemaValidator, ValueRefusal};
use super::schema_edit::SchemaEdit;
use super::source::SchemaSource;
use crate::bound::ImpliedDirection;
use crate::report::{Change, Direction, Witness};
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
        let held = self.costs.map(|costs| costs.of_value(value, most));
        self.steps.try_take(FOR_EACH_VALUE + values_in(value) + held[0].max(held[1]))
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
        let judges = (
            old.build_validator().map_err(InvalidSide::Old)?,
            new.build_validator().map_err(InvalidSide::New)?,
        );
        let side = |source, validator| ValidatedSide {
            source,
            costs: ValidationCosts::new(source),
            validator,
            known: ScalarCache::default(),
        };
        Ok(Self { old: side(old, judges.0), new: side(new, judges.1) })
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
            let change = self.resolve_edit(edit, is_only, &mut search);
            all.try_take(search.steps.steps_used());
            change
        });
        (settled.collect(), all.steps_used())
    }

    fn resolve_edit(
        &self,
        edit: &SchemaEdit<'s>,
        is_only: bool,
        search: &mut WitnessSearch<'_, '_>,
    ) -> Change {
        let bound = edit.bound;
        let mut change = edit.change.clone();
        if bound == ImpliedDirection::Equal {
            (change.direction, change.proved) = (Direction::Equal, true);
            return change;
        }
        if bound != ImpliedDirection::Looser {
            change.refused = self.find_witness(edit, true, is_only, search);
        }
        if bound != ImpliedDirection::Tighter {
            change.accepted = self.find_witness(edit, false, is_only, search);
        }
        change.objects += search.objects;
        (change.direction, change.proved) =
            bound.direction(change.refused.is_some(), change.accepted.is_some());
        if change.direction == Direction::Unknown {
            change.at_most = bound.at_most();
            change.notes.push(bound.undecided_note(change.objects));
        }
        if search.is_cut && !change.proved {
            change.notes.push(TOO_LARGE.to_owned());
        }
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

/// The value without the parts that have no effect, within the steps that are left.
fn minimize_witness(
    value: Value,
    refusal: ValueRefusal,
    search: &WitnessSearch<'_, '_>,
    shows: &dyn Fn(&Value) -> Option<ValueRefusal>,
) -> Witness {
    let last = RefCell::new(refusal);
    let small = shrink_object(value, &|value| {
        search.may_ask(value).then(|| shows(value).map(|refusal| last.replace(refusal)).is_some())
    });
    Witness::new(small, last.into_inner().to_message())
}
