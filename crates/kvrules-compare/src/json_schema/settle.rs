//! Settling differences: values that show them are looked for among whole ones that both sides are asked about.

use serde_json::Value;

use super::build::{Attempt, Builder};
use super::edit::Edit;
use super::judge::{Judge, NoSchema, Refusal};
use super::source::Source;
use crate::bound::Bound;
use crate::report::{Change, Direction, Witness};
use crate::schema::{TOO_LARGE, shrink};
use kvrules_regex::Steps;

use super::cost;

/// Two schemas, ready to be asked.
pub(super) struct Bench<'s> {
    old: Side<'s>,
    new: Side<'s>,
    steps: Steps,
    /// The steps that it takes to ask about one value.
    cost: u64,
}

struct Side<'s> {
    source: &'s Source,
    judge: Judge,
}

/// Which side no validator takes, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The old side.
    Old(NoSchema),
    /// The new side.
    New(NoSchema),
}

/// The number of steps that all searches may take: a step for each schema that a value is held to, and for each field.
const MOST_STEPS: u64 = 8_000_000;

/// So many values are made for each attempt, at most, and so many for all attempts of one direction.
const FOR_EACH: usize = 24;
const FOR_ALL: usize = 240;

impl<'s> Bench<'s> {
    pub(super) fn new(old: &'s Source, new: &'s Source) -> Result<Self, Unfit> {
        let judges = (old.judge().map_err(Unfit::Old)?, new.judge().map_err(Unfit::New)?);
        let cost = 20 + cost::of_value(old).max(cost::of_value(new));
        let (old, new) = (Side { source: old, judge: judges.0 }, Side { source: new, judge: judges.1 });
        Ok(Self { old, new, steps: Steps::new(MOST_STEPS), cost })
    }

    /// The changes that edits come to.
    pub(super) fn settle(&self, edits: &[Edit<'s>]) -> Vec<Change> {
        // What both sides are told apart by is this difference where there is no other.
        let is_only = edits.iter().filter(|edit| edit.bound != Bound::Equal).count() == 1;
        edits.iter().map(|edit| self.settled(edit, is_only)).collect()
    }

    fn settled(&self, edit: &Edit<'s>, is_only: bool) -> Change {
        let bound = edit.bound;
        let mut change = edit.change.clone();
        let mut is_cut = false;
        if bound == Bound::Equal {
            (change.direction, change.proved) = (Direction::Equal, true);
            return change;
        }
        if bound != Bound::Looser {
            change.refused = self.search(edit, true, is_only, (&mut change.objects, &mut is_cut));
        }
        if bound != Bound::Tighter {
            change.accepted = self.search(edit, false, is_only, (&mut change.objects, &mut is_cut));
        }
        (change.direction, change.proved) =
            bound.direction(change.refused.is_some(), change.accepted.is_some());
        if change.direction == Direction::Unknown {
            change.at_most = bound.at_most();
            change.notes.push(bound.doubt(change.objects));
        }
        if is_cut && !change.proved {
            change.notes.push(TOO_LARGE.to_owned());
        }
        change
    }

    /// A value that one side takes and the other refuses for this difference: with `refused` the old side takes it.
    fn search(
        &self,
        edit: &Edit<'s>,
        refused: bool,
        is_only: bool,
        (objects, is_cut): (&mut usize, &mut bool),
    ) -> Option<Witness> {
        let (one, other) = if refused { (&self.old, &self.new) } else { (&self.new, &self.old) };
        let attempts: &[Attempt<'s>] = if refused { &edit.refused } else { &edit.accepted };
        let shows = |value: &Value| -> Option<Refusal> {
            if !self.steps.take(self.cost) || !one.judge.accepts(value) || other.judge.accepts(value) {
                return None;
            }
            let refusals = other.judge.refusals(value);
            let fits = |refusal: &&Refusal| edit.fits.iter().any(|fit| fit.takes(refusal));
            let own = refusals.iter().find(fits).cloned();
            if is_only { own.or_else(|| refusals.first().cloned()) } else { own }
        };
        let mut made = 0;
        for number in 0..FOR_EACH {
            for attempt in attempts {
                if made >= FOR_ALL {
                    return None;
                }
                if !self.steps.take(self.cost) {
                    *is_cut = true;
                    return None;
                }
                let Some(value) = Builder::new(one.source, number).value(&edit.downs, attempt) else {
                    continue;
                };
                made += 1;
                *objects += 1;
                if shows(&value).is_some() {
                    let small = shrink(value, &|value| shows(value).is_some());
                    let because = shows(&small).map(|refusal| refusal.told()).unwrap_or_default();
                    return Some(Witness::new(small, because));
                }
            }
        }
        None
    }
}
