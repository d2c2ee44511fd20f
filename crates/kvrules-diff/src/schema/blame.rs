//! Decides if a difference causes the different results of two schemas for an object, if they differ in several
//! places.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::edit::ObjectEdit;
use super::keyword::RULES;
use super::place::NodeStep;
use super::schema_evaluator::{AdmissionVerdict, ObjectRefusal, SchemaEvaluator};
use super::version::Version;
use kvrules_regex::StepBudget;

/// The two schemas that lie between the old and the new one: the old one with a difference and no other, the new one without it.
pub(super) struct DifferenceBlame<'s> {
    versions: (Version<'s>, Version<'s>),
    edit: &'s ObjectEdit,
    /// The steps that are left, and how many it takes to make a schema ready.
    steps: (&'s StepBudget, u64),
    applied: OnceCell<SchemaEvaluator>,
    reverted: OnceCell<SchemaEvaluator>,
    /// The rule of each side by itself.
    alone: [OnceCell<SchemaEvaluator>; 2],
    /// True if the difference is one of a rule, and the two schemas differ in rules and in nothing else.
    is_of_rules: bool,
}

impl<'s> DifferenceBlame<'s> {
    pub(super) fn new(
        versions: (Version<'s>, Version<'s>),
        edit: &'s ObjectEdit,
        steps: (&'s StepBudget, u64),
        is_of_rules: bool,
    ) -> Self {
        let [applied, reverted] = [(); 2].map(|()| OnceCell::new());
        let alone = [(); 2].map(|()| OnceCell::new());
        Self { versions, edit, steps, applied, reverted, alone, is_of_rules }
    }

    /// The reasons of a rejection that the difference causes: those that it alone brings to the side that accepts, or all if without it the
    /// object is accepted. `None` if it causes none. `verdict` is the answer of the side that rejects: the new one if `refused`, else the
    /// old one.
    pub(super) fn own_refusals(
        &self,
        refused: bool,
        verdict: &AdmissionVerdict,
        ask: &dyn Fn(&SchemaEvaluator) -> AdmissionVerdict,
    ) -> Option<Vec<ObjectRefusal>> {
        if let Some(pair) = self.edit.pair.as_ref().filter(|_| self.is_of_rules) {
            let [old, new] = &self.alone;
            let (rule, alone) = if refused { (&pair.new, new) } else { (&pair.old, old) };
            return self.refusals_of_rule(rule.as_ref()?, alone, verdict, ask);
        }
        let (old, new) = self.versions;
        let (steps, cost) = self.steps;
        if self.applied.get().is_none() && !steps.try_take(2 * cost) {
            return None;
        }
        let applied = || ask(self.applied.get_or_init(|| self.transplant_difference(old, new)));
        let reverted = || ask(self.reverted.get_or_init(|| self.transplant_difference(new, old)));
        // The side that accepts with the difference, and the side that rejects without it.
        let alone = if refused { applied() } else { reverted() };
        if alone.is_refused() {
            let own: Vec<ObjectRefusal> =
                verdict.refusals.iter().filter(|it| alone.refusals.contains(it)).cloned().collect();
            return (!own.is_empty()).then_some(own);
        }
        let without = if refused { reverted() } else { applied() };
        without.is_accepted().then(|| verdict.refusals.clone())
    }

    /// The reasons of a rejection that a rule causes, if only rules differ. The side that accepts has passed all its rules, and
    /// all other reasons are those of other rules, which reject the object without the difference as well. So the rule is asked alone: to
    /// prepare all others for each difference would take the square of their number.
    fn refusals_of_rule(
        &self,
        rule: &Value,
        alone: &OnceCell<SchemaEvaluator>,
        verdict: &AdmissionVerdict,
        ask: &dyn Fn(&SchemaEvaluator) -> AdmissionVerdict,
    ) -> Option<Vec<ObjectRefusal>> {
        let (steps, cost) = self.steps;
        if alone.get().is_none() && !steps.try_take(cost) {
            return None;
        }
        let evaluator = alone.get_or_init(|| {
            let (version, _) = self.versions;
            let mut schema = without_rules(version.schema);
            put_rule(&mut schema, &self.edit.downs, None, Some(rule));
            SchemaEvaluator::new(Version { schema: &schema, has_status: version.has_status })
        });
        let by_rule = ask(evaluator);
        let own: Vec<ObjectRefusal> =
            verdict.refusals.iter().filter(|it| by_rule.refusals.contains(it)).cloned().collect();
        (!own.is_empty()).then_some(own)
    }

    /// A version with what is different taken from another.
    fn transplant_difference(&self, into: Version<'_>, from: Version<'_>) -> SchemaEvaluator {
        let mut made = into.schema.clone();
        if let Some(pair) = &self.edit.pair {
            let (own, other) = if std::ptr::eq(into.schema, self.versions.0.schema) {
                (&pair.old, &pair.new)
            } else {
                (&pair.new, &pair.old)
            };
            put_rule(&mut made, &self.edit.downs, own.as_ref(), other.as_ref());
            return SchemaEvaluator::new(Version { schema: &made, has_status: into.has_status });
        }
        for key in &self.edit.keys {
            let way: Vec<String> =
                self.edit.downs.iter().flat_map(NodeStep::tokens).chain(key.iter().cloned()).collect();
            let value = way.iter().try_fold(from.schema, |at, token| at.get(token)).cloned();
            set_or_remove(&mut made, &way, value);
        }
        let has_status = if self.edit.moves_status { from.has_status } else { into.has_status };
        SchemaEvaluator::new(Version { schema: &made, has_status })
    }
}

/// A schema without the rules of its nodes.
pub(super) fn without_rules(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let kept = keywords.iter().filter(|(key, value)| *key != RULES || !value.is_array());
            Value::Object(kept.map(|(key, value)| (key.clone(), without_rules(value))).collect())
        }
        Value::Array(parts) => parts.iter().map(without_rules).collect(),
        other => other.clone(),
    }
}

/// Puts one rule of a node in the place of another, or next to the others, or takes it away.
fn put_rule(schema: &mut Value, downs: &[NodeStep], own: Option<&Value>, other: Option<&Value>) {
    let mut way = downs.iter().flat_map(NodeStep::tokens);
    let Some(fields) = way.try_fold(schema, |at, token| at.get_mut(&token)).and_then(Value::as_object_mut)
    else {
        return;
    };
    let rules = fields.entry(RULES.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
    let Some(rules) = rules.as_array_mut() else { return };
    let at = own.and_then(|own| rules.iter().position(|rule| rule == own));
    match (at.and_then(|at| rules.get_mut(at)), other) {
        (Some(rule), Some(other)) => *rule = other.clone(),
        (None, Some(other)) => rules.push(other.clone()),
        (_, None) => rules.retain(|rule| Some(rule) != own),
    }
}

/// Puts a value at a path, or takes away what is there.
fn set_or_remove(schema: &mut Value, way: &[String], value: Option<Value>) {
    let (Some((first, rest)), Some(fields)) = (way.split_first(), schema.as_object_mut()) else { return };
    match (rest.is_empty(), value) {
        (true, Some(value)) => _ = fields.insert(first.clone(), value),
        (true, None) => _ = fields.shift_remove(first),
        (false, value) => {
            let inner = fields.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
            set_or_remove(inner, rest, value);
        }
    }
}
