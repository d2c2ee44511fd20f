//! A search for a write that one side takes and the other rejects because of a difference.

use std::cell::RefCell;

use serde_json::{Map, Value, json};

use super::blame::DifferenceBlame;
use super::place::{NodeStep, ObjectStep};
use super::schema_evaluator::{ObjectRefusal, SchemaEvaluator};
use super::shrink::{is_required, shrink_object};
use super::trial::TrialWrite;
use crate::report::Witness;

/// A search for a write that one side takes and the other does not.
pub(super) struct WriteSearch<'a> {
    pub(super) one: &'a SchemaEvaluator,
    pub(super) other: &'a SchemaEvaluator,
    /// The schema of the side that takes the write.
    pub(super) schema: &'a Value,
    pub(super) downs: &'a [NodeStep],
    /// Fields that every object has, with their usual values.
    pub(super) head: &'a Map<String, Value>,
    pub(super) blame: &'a DifferenceBlame<'a>,
    pub(super) refused: bool,
    /// Takes the steps for asking about an object.
    pub(super) may_ask: &'a dyn Fn(&Value) -> bool,
}

impl WriteSearch<'_> {
    /// The rejection that a write shows; `None` if the difference causes none.
    fn shown(&self, trial: &TrialWrite) -> Option<ShownRejection> {
        if !trial.is_possible(self.one) || !trial.evaluate_with(self.one).is_accepted() {
            return None;
        }
        let verdict = trial.evaluate_with(self.other);
        if !verdict.is_refused() {
            return None;
        }
        let ask = |evaluator: &SchemaEvaluator| trial.evaluate_with(evaluator);
        let own = self.blame.own_refusals(self.refused, &verdict, &ask)?;
        let here = find_refusal(&own, self.downs);
        let because = here.or(own.first())?.to_message();
        let is_only = own.len() == verdict.refusals.len();
        Some(ShownRejection { because, is_here: here.is_some(), is_only })
    }

    /// The witness of a write that is rejected at the place of the difference for no other reason. Others are kept as the second best.
    pub(super) fn find_best(&self, trial: TrialWrite, second_best: &mut SecondBest) -> Option<Witness> {
        let shown = self.shown(&trial)?;
        if !shown.is_here {
            second_best.elsewhere.get_or_insert_with(|| trial.witness(shown.because));
            return None;
        }
        if !shown.is_only && second_best.with_others.is_some() {
            return None;
        }
        let (witness, is_only) = self.smallest(trial, shown);
        if is_only {
            return Some(witness);
        }
        second_best.with_others = Some(witness);
        None
    }

    /// The write without the parts that have no effect, within the steps that are left; true if it is rejected for one reason alone.
    fn smallest(&self, trial: TrialWrite, shown: ShownRejection) -> (Witness, bool) {
        let last = RefCell::new(shown);
        let find_shown = |object: &Value| {
            if !(self.may_ask)(object) {
                return None;
            }
            let shown = trial.with(object.clone()).and_then(|trial| self.shown(&trial));
            let must_be_only = last.borrow().is_only;
            let kept = shown.filter(|it| it.is_here && (it.is_only || !must_be_only));
            Some(kept.map(|shown| last.replace(shown)).is_some())
        };
        let is_needed = |place: &[ObjectStep]| is_required(self.schema, place);
        let usual = self.with_usual_head(trial.object.clone(), &find_shown);
        let small = shrink_object(usual, &is_needed, &find_shown);
        let ShownRejection { because, is_only, .. } = last.into_inner();
        (trial.with(small).unwrap_or(trial).witness(because), is_only)
    }

    /// The object with the usual values of the fields that every object has, as far as it still shows the difference: values that are made
    /// from the schema name no kind.
    fn with_usual_head(&self, mut object: Value, shows: &dyn Fn(&Value) -> Option<bool>) -> Value {
        for (name, value) in self.head {
            let usual = with_fields(&object, &json!({ name: value }));
            if usual != object && shows(&usual) == Some(true) {
                object = usual;
            }
        }
        object
    }
}

/// An object with the fields of another in place of its own.
pub(super) fn with_fields(base: &Value, fields: &Value) -> Value {
    let (Value::Object(base), Value::Object(fields)) = (base, fields) else { return fields.clone() };
    let mut all = base.clone();
    for (name, value) in fields {
        let value = base.get(name).map_or_else(|| value.clone(), |known| with_fields(known, value));
        all.insert(name.clone(), value);
    }
    Value::Object(all)
}

/// A rejection that a difference causes.
struct ShownRejection {
    because: String,
    /// True if it is at the place of the difference.
    is_here: bool,
    /// True if there is no other reason to reject the object.
    is_only: bool,
}

/// Witnesses that are used if there is no better one.
#[derive(Default)]
pub(super) struct SecondBest {
    /// Rejected for other reasons too.
    with_others: Option<Witness>,
    /// Rejected at another place.
    elsewhere: Option<Witness>,
}

impl SecondBest {
    pub(super) fn into_witness(self) -> Option<Witness> {
        self.with_others.or(self.elsewhere)
    }
}

/// The reason to refuse an object that lies at a place or below it.
fn find_refusal<'r>(refusals: &'r [ObjectRefusal], downs: &[NodeStep]) -> Option<&'r ObjectRefusal> {
    let fits = |path: &[ObjectStep]| {
        path.len() >= downs.len()
            && path.iter().zip(downs).all(|(step, down)| match (step, down) {
                (ObjectStep::Field(name), NodeStep::Property(wanted)) => name == wanted,
                (ObjectStep::Field(_), NodeStep::Values) | (ObjectStep::Item(_), NodeStep::Items) => true,
                _ => false,
            })
    };
    refusals.iter().find(|refusal| fits(&refusal.path))
}
