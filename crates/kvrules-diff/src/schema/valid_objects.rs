//! Whole objects that a version accepts: made from the schema, then repaired where rules reject them.

use std::cell::RefCell;
use std::collections::HashMap;

use kvrules_generate::{ObjectGenerator, PlaceStep, place_text, schema_at_place, values_below};
use serde_json::Value;

use super::formula_values::accepted_values;
use super::formulas::SideRules;
use super::place::ObjectStep;
use super::schema_evaluator::{ObjectRefusal, RULE, SchemaEvaluator};

/// Number of objects that are wanted, and of those that are begun.
const WANTED: usize = 4;
const BEGUN: usize = 10;
/// Number of repairs of one object.
const REPAIRS: usize = 12;
/// Number of values of a place that are kept for repairs.
const VALUES: usize = 6;

/// Makes objects that a version accepts.
pub(super) struct ObjectRepair<'a> {
    pub(super) side: &'a SideRules<'a>,
    pub(super) evaluator: &'a SchemaEvaluator,
    /// Takes the steps for asking about an object.
    pub(super) may_ask: &'a dyn Fn(&Value) -> bool,
    pub(super) known: RefCell<HashMap<String, Vec<Value>>>,
}

impl ObjectRepair<'_> {
    /// Accepted objects, with the least content first.
    pub(super) fn find_objects(&self, begin: &dyn Fn(usize) -> Option<Value>) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        for number in 0..BEGUN {
            if found.len() >= WANTED {
                break;
            }
            let object = begin(number).and_then(|object| self.repair(object, number));
            found.extend(object.filter(|object| !found.contains(object)));
        }
        found
    }

    fn repair(&self, mut object: Value, number: usize) -> Option<Value> {
        for round in 0..REPAIRS {
            if !(self.may_ask)(&object) {
                return None;
            }
            let verdict = self.evaluator.evaluate_existing(&object);
            let Some(refusal) = verdict.refusals.first() else { return Some(object) };
            object = self.repaired(&object, refusal, number + round)?;
        }
        None
    }

    /// The object with another value at the place that is rejected.
    fn repaired(&self, object: &Value, refusal: &ObjectRefusal, number: usize) -> Option<Value> {
        let place = self.place_of(&refusal.path);
        if refusal.by != RULE {
            let steps =
                if schema_at_place(self.side.schema, &place).is_some() && place.len() == refusal.path.len() {
                    refusal.path.as_slice()
                } else {
                    refusal.path.get(..place.len().min(refusal.path.len().saturating_sub(1)))?
                };
            let node = schema_at_place(self.side.schema, place.get(..steps.len())?)?;
            let value = ObjectGenerator::new(node).generate_valid(number);
            return with_value(object, steps, &value);
        }
        let length = (0..=place.len())
            .rev()
            .find(|length| self.has_rules(place.get(..*length).unwrap_or_default()))?;
        let values = self.values_of(place.get(..length)?);
        let value = values.get(number % values.len().max(1))?;
        with_value(object, refusal.path.get(..length)?, value)
    }

    fn has_rules(&self, place: &[PlaceStep]) -> bool {
        self.side.rules.iter().any(|rule| rule.place == place)
    }

    fn values_of(&self, place: &[PlaceStep]) -> Vec<Value> {
        let known = self.known.borrow().get(&place_text(place)).cloned();
        known.unwrap_or_else(|| {
            let made = accepted_values(self.side, place, VALUES);
            self.known.borrow_mut().insert(place_text(place), made.clone());
            made
        })
    }

    /// The place in the schema of a path in an object, as far as the schema has it.
    fn place_of(&self, path: &[ObjectStep]) -> Vec<PlaceStep> {
        let (mut place, mut node) = (Vec::new(), self.side.schema);
        for step in path {
            let property = match step {
                ObjectStep::Field(name) => {
                    node.get("properties").and_then(|all| all.get(name)).map(|it| (name, it))
                }
                ObjectStep::Item(_) => None,
            };
            match (property, values_below(node)) {
                (Some((name, below)), _) => {
                    place.push(PlaceStep::Field(name.clone()));
                    node = below;
                }
                (None, Some(below)) => {
                    place.push(PlaceStep::Any);
                    node = below;
                }
                (None, None) => break,
            }
        }
        place
    }
}

/// The object with a value at a path.
fn with_value(object: &Value, path: &[ObjectStep], value: &Value) -> Option<Value> {
    let mut object = object.clone();
    let mut at = &mut object;
    for step in path {
        at = match step {
            ObjectStep::Field(name) => at.as_object_mut()?.entry(name.clone()).or_insert(Value::Null),
            ObjectStep::Item(index) => at.as_array_mut()?.get_mut(*index)?,
        };
    }
    *at = value.clone();
    Some(object)
}
