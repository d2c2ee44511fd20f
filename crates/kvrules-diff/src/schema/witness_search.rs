//! Settles a difference: searches whole objects that only one of the two sides accepts.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::blame::{DifferenceBlame, without_rules};
use super::build::ExpressionHints;
use super::build::{ForcedContent, ObjectGenerator};
use super::cel::is_transition;
use super::edit::{ObjectAttempt, ObjectEdit};
use super::exclusion::ExclusionSearch;
use super::keyword::{JUNCTORS, RULES, keyword_list, keyword_text};
use super::overlay::overlay_attempt;
use super::place::NodeStep;
use super::schema_evaluator::{ObjectRefusal, SchemaEvaluator};
use super::slice::lacks_required_fields;
use super::trial::TrialWrite;
use super::valid_objects::ObjectRepair;
use super::version::{Version, is_of_status};
use super::write_search::{SecondBest, WriteSearch, with_fields};
use crate::bound::ImpliedDirection;
use crate::report::{Change, Direction, Witness, WriteKind};
use kvrules_regex::StepBudget;

/// Two schemas, prepared for evaluation.
pub(super) struct VersionPair<'s> {
    pub(super) old: VersionSide<'s>,
    pub(super) new: VersionSide<'s>,
    /// Fields that every object has, in addition to the tested ones.
    pub(super) head: Map<String, Value>,
    /// The rules of both sides; none for parts of schemas.
    pub(super) exclusion: Option<&'s ExclusionSearch<'s>>,
    steps: StepBudget,
    /// The steps that it takes to make one of the schemas ready, and to ask about an object, next to what is in the object.
    costs: (u64, u64),
    /// The steps that it takes to make one of the schemas ready with a single rule.
    cost_of_one_rule: u64,
    /// True if the two schemas differ in rules and in nothing else.
    differ_in_rules: bool,
}

/// One of them.
pub(super) struct VersionSide<'s> {
    pub(super) version: Version<'s>,
    pub(super) evaluator: SchemaEvaluator,
    pub(super) builder: ObjectGenerator,
    /// Objects that it accepts.
    bases: OnceCell<Vec<Value>>,
}

/// Result of the search for an edit so far.
#[derive(Debug, Default)]
pub(super) struct SearchResult {
    refused: Option<Witness>,
    accepted: Option<Witness>,
    objects: usize,
    /// True if there were not enough steps to continue.
    pub(super) is_cut: bool,
    /// True (for less, for more) if an object of a part of the schemas showed that less or more is accepted, and the
    /// whole schemas did not.
    hidden: (bool, bool),
}

impl SearchResult {
    /// True if every direction that the bound leaves open is shown.
    pub(super) fn is_settled(&self, bound: ImpliedDirection) -> bool {
        let is_shown = |witness: &Option<Witness>, excluding: ImpliedDirection| {
            witness.is_some() || bound == excluding || bound == ImpliedDirection::Equal
        };
        is_shown(&self.refused, ImpliedDirection::Looser)
            && is_shown(&self.accepted, ImpliedDirection::Tighter)
    }

    /// Drops what both whole schemas take, or both refuse.
    pub(super) fn confirm(&mut self, bench: &VersionPair<'_>, downs: &[NodeStep]) {
        let (in_part, mut is_cut) = ((self.refused.is_some(), self.accepted.is_some()), false);
        let mut shows = |witness: &Witness, one: &SchemaEvaluator, other: &SchemaEvaluator| {
            let trial = TrialWrite::of(witness);
            let may_ask = bench.may_ask(&trial.object);
            is_cut |= !may_ask;
            // The reason was found in a part of the schemas: it counts only if the whole schema has the same.
            let has_reason = |refusal: &ObjectRefusal| refusal.to_message() == witness.because;
            may_ask
                && trial.is_possible(one)
                && trial.evaluate_with(one).is_accepted()
                && trial.evaluate_with(other).refusals.iter().any(has_reason)
        };
        let mut confirmed = |witness: Witness, old_accepts: bool| {
            let (side, other) = if old_accepts { (&bench.old, &bench.new) } else { (&bench.new, &bench.old) };
            if shows(&witness, &side.evaluator, &other.evaluator) {
                return Some(witness);
            }
            if witness.write != WriteKind::Create || !lacks_required_fields(side.version.schema, downs) {
                return None;
            }
            (0..COMPLETIONS).find_map(|number| {
                let schema = side.version.schema;
                let base = side.builder.build_object(schema, downs, ForcedContent::Anything, number)?;
                let object = with_fields(&base, &witness.object);
                let completed = Witness { object, ..witness.clone() };
                shows(&completed, &side.evaluator, &other.evaluator).then_some(completed)
            })
        };
        self.refused = self.refused.take().and_then(|witness| confirmed(witness, true));
        self.accepted = self.accepted.take().and_then(|witness| confirmed(witness, false));
        self.is_cut |= is_cut;
        self.hidden = (in_part.0 && self.refused.is_none(), in_part.1 && self.accepted.is_none());
    }
}

/// Number of objects that the required fields are taken from.
const COMPLETIONS: usize = 3;

/// Number of whole objects that are made for each attempt, at most, and so many for all attempts of one direction.
const FOR_EACH: usize = 40;
const FOR_ALL: usize = 160;

/// Number of objects that are made for each attempt before those that are made from valid objects.
const BEFORE_VALID: usize = 5;

/// Number of values of a place that a valid object may have there, and of those that are tried.
const PLACE_VALUES: usize = 4;
const PLACE_VALUES_TRIED: usize = 60;

/// The change that an edit comes to.
pub(super) fn to_change(edit: ObjectEdit, found: SearchResult) -> Change {
    let ObjectEdit { mut change, is_message, bound, looked_at, is_cut, pair, proofs, open_questions, .. } =
        edit;
    change.objects += looked_at + found.objects;
    change.proofs = proofs;
    if bound == ImpliedDirection::Equal {
        change.direction = if is_message { Direction::MessageOnly } else { Direction::Equal };
        change.proved = true;
        return change;
    }
    (change.refused, change.accepted) = (found.refused, found.accepted);
    change.conclude(bound, "object");
    if change.direction == Direction::Unknown {
        change.notes.extend(pair.and(hidden_by_others(found.hidden)).map(str::to_owned));
    }
    if !change.proved {
        change.notes.extend(open_questions);
    }
    if (found.is_cut || is_cut) && !change.proved {
        change.notes.push(TOO_LARGE.to_owned());
    }
    change
}

/// Returns a note on the effect of a rule by itself, if no object that passes all others shows it.
fn hidden_by_others((less, more): (bool, bool)) -> Option<&'static str> {
    match (less, more) {
        (true, false) => Some("by itself the rule is stricter; the objects that show it violate other rules"),
        (false, true) => Some("by itself the rule is milder; the objects that show it violate other rules"),
        (true, true) => {
            Some("by itself the rule accepts other objects; the objects that show it violate other rules")
        }
        (false, false) => None,
    }
}

/// Note for a search that did not examine all objects.
pub(crate) const TOO_LARGE: &str = "too large to decide: the schemas are too large to look for more objects";

/// Amount of work that a schema causes.
#[derive(Debug, Default)]
struct SchemaWeight {
    nodes: u64,
    rules: u64,
    /// Nodes of branches: each value is checked against all of them.
    inner: u64,
}

impl SchemaWeight {
    fn add(&mut self, value: &Value, is_inner: bool) {
        match value {
            Value::Object(fields) => {
                self.rules += u64::try_from(keyword_list(value, RULES).len()).unwrap_or(u64::MAX);
                self.count(is_inner);
                for (key, below) in fields {
                    let is_branch = key == "not" || JUNCTORS.contains(&key.as_str());
                    self.add(below, is_inner || is_branch);
                }
            }
            Value::Array(parts) => parts.iter().for_each(|below| self.add(below, is_inner)),
            _ => self.count(is_inner),
        }
    }

    fn count(&mut self, is_inner: bool) {
        self.nodes += 1;
        self.inner += u64::from(is_inner);
    }
}

/// Number of steps to prepare a rule, and to run it.
const FOR_RULE: (u64, u64) = (200, 3);

/// Number of schema nodes that count as one step when an object is evaluated.
const NODES_A_STEP: u64 = 50;

/// Returns the number of values in an object.
pub(crate) fn values_in(value: &Value) -> u64 {
    1 + match value {
        Value::Object(fields) => fields.values().map(values_in).sum(),
        Value::Array(items) => items.iter().map(values_in).sum::<u64>(),
        _ => 0,
    }
}

impl<'s> VersionPair<'s> {
    pub(super) fn new(
        old: Version<'s>,
        new: Version<'s>,
        hints: &ExpressionHints,
        head: &Map<String, Value>,
        steps: StepBudget,
    ) -> Self {
        let side = |version| VersionSide {
            version,
            evaluator: SchemaEvaluator::new(version),
            builder: ObjectGenerator::with_hints(hints.clone()),
            bases: OnceCell::new(),
        };
        let mut both = SchemaWeight::default();
        both.add(old.schema, false);
        both.add(new.schema, false);
        let evaluation = 20 + both.rules * FOR_RULE.1 + both.inner + both.nodes / NODES_A_STEP;
        let costs = (both.nodes / 2 + both.rules * FOR_RULE.0, evaluation);
        let cost_of_one_rule = both.nodes / 2 + FOR_RULE.0;
        let differ_in_rules = without_rules(old.schema) == without_rules(new.schema);
        let (old, new, head) = (side(old), side(new), head.clone());
        Self { old, new, head, exclusion: None, steps, costs, cost_of_one_rule, differ_in_rules }
    }

    /// The steps that are left.
    pub(super) fn steps(&self) -> &StepBudget {
        &self.steps
    }

    /// The steps that it takes to ask about an object, next to what is in the object.
    pub(super) fn evaluation_cost(&self) -> u64 {
        self.costs.1
    }

    /// The same with other steps.
    pub(super) fn within(&mut self, steps: StepBudget) {
        self.steps = steps;
    }

    /// Takes the steps for asking about an object.
    fn may_ask(&self, object: &Value) -> bool {
        self.steps.try_take(self.costs.1 + 2 * values_in(object))
    }

    /// Looks for writes that show an edit, where none was found yet.
    pub(super) fn look(&self, edit: &ObjectEdit, found: &mut SearchResult) {
        let bound = edit.bound;
        if bound == ImpliedDirection::Equal {
            return;
        }
        let is_rule = edit.pair.is_some() && self.differ_in_rules;
        let cost = if is_rule { self.cost_of_one_rule } else { self.costs.0 };
        let versions = (self.old.version, self.new.version);
        let blame = DifferenceBlame::new(versions, edit, (&self.steps, cost), is_rule);
        // Search first in the direction with specific attempts: a search without success uses up all the steps that
        // are left.
        let is_any = |attempts: &[ObjectAttempt]| {
            attempts.iter().all(|attempt| matches!(attempt, ObjectAttempt::Anything))
        };
        let order = if is_any(&edit.refused) { [false, true] } else { [true, false] };
        for refused in order {
            if refused && bound != ImpliedDirection::Looser && found.refused.is_none() {
                found.refused = self.search(edit, &blame, true, found);
            }
            if !refused && bound != ImpliedDirection::Tighter && found.accepted.is_none() {
                found.accepted = self.search(edit, &blame, false, found);
            }
        }
    }

    /// A write that one side takes and the other refuses for this difference: with `refused` the old side takes it.
    fn search(
        &self,
        edit: &ObjectEdit,
        blame: &DifferenceBlame<'_>,
        refused: bool,
        found: &mut SearchResult,
    ) -> Option<Witness> {
        let (one, other) = if refused { (&self.old, &self.new) } else { (&self.new, &self.old) };
        let attempts = if refused { &edit.refused } else { &edit.accepted };
        let may_ask = |object: &Value| self.may_ask(object);
        let (one_evaluator, other_evaluator) = (&one.evaluator, &other.evaluator);
        let search = WriteSearch {
            one: one_evaluator,
            other: other_evaluator,
            schema: one.version.schema,
            downs: &edit.downs,
            head: &self.head,
            blame,
            refused,
            may_ask: &may_ask,
        };
        let (mut made, mut second_best) = (0, SecondBest::default());
        let is_any = attempts.iter().all(|attempt| matches!(attempt, ObjectAttempt::Anything));
        for number in 0..if is_any { FOR_ALL } else { FOR_EACH } {
            if number == BEFORE_VALID
                && let Some(shown) = self.search_valid(edit, &search, attempts, found, &mut second_best)
            {
                return Some(shown);
            }
            for attempt in attempts {
                if made >= FOR_ALL {
                    return second_best.into_witness();
                }
                if !self.steps.try_take(self.costs.1) {
                    found.is_cut = true;
                    return second_best.into_witness();
                }
                let trials = self.made(one, edit, attempt, number).unwrap_or_default();
                made += usize::from(!trials.is_empty());
                for trial in trials {
                    if !self.may_ask(&trial.object) {
                        found.is_cut = true;
                        return second_best.into_witness();
                    }
                    found.objects += 1;
                    if let Some(best) = search.find_best(trial, &mut second_best) {
                        return Some(best);
                    }
                }
            }
        }
        second_best.into_witness()
    }

    /// A write that shows the difference, made from an object that the accepting side takes.
    fn search_valid(
        &self,
        edit: &ObjectEdit,
        search: &WriteSearch<'_>,
        attempts: &[ObjectAttempt],
        found: &mut SearchResult,
        second_best: &mut SecondBest,
    ) -> Option<Witness> {
        let side = if search.refused { &self.old } else { &self.new };
        for (number, base) in self.valid_objects(side, search.refused).iter().enumerate() {
            let more = if is_about_updates(edit) { self.valid_updates(side, edit, base) } else { Vec::new() };
            for attempt in attempts.iter().chain(&more) {
                let made = overlay_attempt(base, side.version.schema, &edit.downs, attempt, number);
                let Some((object, previous)) = made else { continue };
                for trial in self.writes(edit, object, previous) {
                    if !self.may_ask(&trial.object) {
                        return None;
                    }
                    found.objects += 1;
                    if let Some(best) = search.find_best(trial, second_best) {
                        return Some(best);
                    }
                }
            }
        }
        None
    }

    /// Updates from one value of a place to another, which a valid object may have there.
    fn valid_updates(&self, side: &VersionSide<'_>, edit: &ObjectEdit, base: &Value) -> Vec<ObjectAttempt> {
        let (schema, downs) = (side.version.schema, edit.downs.as_slice());
        let mut values: Vec<Value> = Vec::new();
        for number in 0..PLACE_VALUES_TRIED {
            let made = side.builder.build_object(schema, downs, ForcedContent::Anything, number);
            let value = made.as_ref().and_then(|made| value_at(made, downs)).cloned();
            let Some(value) = value.filter(|value| !values.contains(value)) else { continue };
            let attempt = ObjectAttempt::Exactly(value.clone());
            let Some((object, _)) = overlay_attempt(base, schema, downs, &attempt, number) else { continue };
            if values.len() >= PLACE_VALUES || !self.may_ask(&object) {
                break;
            }
            if side.evaluator.evaluate_existing(&object).is_accepted() {
                values.push(value);
            }
        }
        let pairs = values.iter().flat_map(|before| values.iter().map(move |after| (before, after)));
        let update = |(before, after): (&Value, &Value)| ObjectAttempt::Update(before.clone(), after.clone());
        pairs.filter(|(before, after)| before != after).map(update).collect()
    }

    /// Objects that a side takes; none for parts of schemas.
    fn valid_objects<'p>(&self, side: &'p VersionSide<'_>, is_old: bool) -> &'p [Value] {
        let Some(exclusion) = self.exclusion else { return &[] };
        side.bases.get_or_init(|| {
            let [old, new] = exclusion.sides();
            let repair = ObjectRepair {
                side: if is_old { old } else { new },
                evaluator: &side.evaluator,
                may_ask: &|object| self.may_ask(object),
                known: RefCell::new(HashMap::new()),
            };
            let begin = |number| {
                let object =
                    side.builder.build_object(side.version.schema, &[], ForcedContent::Anything, number)?;
                Some(self.headed(object))
            };
            repair.find_objects(&begin)
        })
    }

    /// Writes for one attempt.
    fn made(
        &self,
        side: &VersionSide<'_>,
        edit: &ObjectEdit,
        attempt: &ObjectAttempt,
        number: usize,
    ) -> Option<Vec<TrialWrite>> {
        let downs = &edit.downs;
        let build = |force| side.builder.build_object(side.version.schema, downs, force, number);
        let object = match attempt {
            ObjectAttempt::Like(value) => build(ForcedContent::Like(value))?,
            ObjectAttempt::Exactly(value) => build(ForcedContent::Exactly(value))?,
            ObjectAttempt::With(name) => build(ForcedContent::With(name))?,
            ObjectAttempt::WithValue(name, value) => {
                let inner = [downs, [NodeStep::Property(name.clone())].as_slice()].concat();
                side.builder.build_object(
                    side.version.schema,
                    &inner,
                    ForcedContent::Exactly(value),
                    number,
                )?
            }
            ObjectAttempt::Without(name) => build(ForcedContent::Without(name))?,
            // `head`, the fields that every object has, counts as well.
            ObjectAttempt::Count(count) if downs.is_empty() => {
                build(ForcedContent::Count(count.saturating_sub(self.head.len())))?
            }
            ObjectAttempt::Count(count) => build(ForcedContent::Count(*count))?,
            ObjectAttempt::DuplicateItem => build(ForcedContent::DuplicateItem)?,
            ObjectAttempt::Anything => build(ForcedContent::Anything)?,
            ObjectAttempt::RemoveField(name) => {
                let previous = self.headed(build(ForcedContent::With(name))?);
                let object = self.headed(build(ForcedContent::Without(name))?);
                return Some(self.writes(edit, object, Some(previous)));
            }
            ObjectAttempt::Update(before, after) => {
                let object = build(ForcedContent::Exactly(after))?;
                let previous = self.headed(put_value(object.clone(), downs, before)?);
                let object = self.headed(object);
                return Some(self.writes(edit, object, Some(previous)));
            }
        };
        Some(self.writes(edit, self.headed(object), None))
    }

    /// The writes by which an object may get where it is. Of a status that is a subresource a write of the whole object
    /// shows nothing.
    fn writes(&self, edit: &ObjectEdit, object: Value, previous: Option<Value>) -> Vec<TrialWrite> {
        let has_status = self.old.version.has_status || self.new.version.has_status;
        let (is_status, is_root) = (is_of_status(&edit.downs), edit.downs.is_empty());
        let to_status = has_status && (is_status || is_root) && !edit.moves_status;
        let of_status = to_status.then(|| TrialWrite::status(object.clone(), previous.clone())).flatten();
        let whole = match previous {
            _ if has_status && is_status => None,
            Some(previous) => Some(TrialWrite::update(object.clone(), previous)),
            None => Some(TrialWrite::create(object.clone())),
        };
        // A write of the whole object may violate what a write to the status does not.
        let again = (has_status && is_status).then(|| TrialWrite::update(object.clone(), object));
        whole.into_iter().chain(of_status).chain(again).collect()
    }

    /// The object with the fields that every object has.
    fn headed(&self, object: Value) -> Value {
        match object {
            Value::Object(fields) => {
                let mut all = self.head.clone();
                all.extend(fields);
                Value::Object(all)
            }
            other => other,
        }
    }
}

/// The value at a place: in lists the last element, in maps the one at the key that objects are made with.
fn value_at<'v>(object: &'v Value, downs: &[NodeStep]) -> Option<&'v Value> {
    downs.iter().try_fold(object, |at, down| match down {
        NodeStep::Property(name) => at.get(name),
        NodeStep::Items => at.as_array()?.last(),
        NodeStep::Values => at.get("k"),
    })
}

/// The object with a value at a place: in lists in the last element, in maps at the key that objects are made with.
fn put_value(mut object: Value, downs: &[NodeStep], value: &Value) -> Option<Value> {
    let mut at = &mut object;
    for down in downs {
        at = match down {
            NodeStep::Property(name) => at.as_object_mut()?.entry(name.clone()).or_insert(Value::Null),
            NodeStep::Items => at.as_array_mut()?.last_mut()?,
            NodeStep::Values => at.as_object_mut()?.get_mut("k")?,
        };
    }
    *at = value.clone();
    Some(object)
}

/// True if one of the rules of an edit reads the value before an update.
fn is_about_updates(edit: &ObjectEdit) -> bool {
    let rules = edit.pair.iter().flat_map(|pair| [&pair.old, &pair.new]).flatten();
    rules.into_iter().any(|rule| is_transition(keyword_text(rule, "rule")))
}
