//! Objects that the server rejects only because a rule ends in an error.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::Expressions;
use kvrules_generate::{ObjectGenerator, PlaceStep, PseudoRandom, values_below};
use kvrules_lift::{RuleFailure, RuleOfPlace, is_unforeseen_error, make_passing_value};
use serde_json::{Value, json};

use super::places::{ExaminedPlace, ExaminedRule};

/// The most objects of a version that are tried to make rules end in errors.
const MOST_OBJECTS: usize = 600;

/// The most objects that are tried for one rule.
const MOST_OBJECTS_OF_RULE: usize = 24;

/// Looks for objects that the server rejects only because a rule ends in an error.
pub(super) struct WitnessSearch<'s> {
    schema: &'s Value,
    /// Expressions of the schema that are parsed.
    expressions: &'s Expressions,
    server: Option<ObjectSchema>,
    left: usize,
    /// The objects that values of a place are put into: the rules of a place share them.
    holders: HashMap<Vec<PlaceStep>, PlaceHolders>,
    /// The places with rules, outer ones first.
    places: HashMap<Vec<PlaceStep>, Rc<ExaminedPlace<'s>>>,
}

/// Objects that have a value at a place.
#[derive(Default)]
struct PlaceHolders {
    /// One whose places pass their rules by the formulas of these.
    passing: Option<Value>,
    made: Vec<Option<Value>>,
    chance: PseudoRandom,
}

impl<'s> WitnessSearch<'s> {
    pub(super) fn new(schema: &'s Value, expressions: &'s Expressions) -> Self {
        let (holders, places) = Default::default();
        Self { schema, expressions, server: None, left: MOST_OBJECTS, holders, places }
    }

    /// Notes the rules of a place, for objects that hold values of places in it.
    pub(super) fn note_place(&mut self, steps: &[PlaceStep], place: &Rc<ExaminedPlace<'s>>) {
        self.places.insert(steps.to_vec(), Rc::clone(place));
    }

    /// A failure of a rule at the end of some steps which nothing else of the schema rejects.
    pub(super) fn find_failure(
        &mut self,
        it: &ExaminedRule<'_>,
        others: &[RuleOfPlace<'_>],
        steps: &[PlaceStep],
    ) -> Option<RuleFailure> {
        let mut failures = it.failures.borrow_mut();
        for index in 0..MOST_OBJECTS_OF_RULE {
            let failure = failures.find_failure(index, &it.rule, it.expression()?, &it.formulas, others)?;
            let holders = [None, Some(index)];
            if holders.into_iter().any(|holder| self.is_sole_error_in(steps, failure, holder)) {
                return Some(failure.clone());
            }
        }
        None
    }

    /// True if the server finds no other error in an object with a value, and in one with the value that it replaces: other rules that end
    /// in errors are findings themselves, and what is stored may be older than they are.
    fn is_sole_error_in(
        &mut self,
        place: &[PlaceStep],
        failure: &RuleFailure,
        holder: Option<usize>,
    ) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let Some(object) = self.object_with(place, &failure.value, holder) else { return false };
        let stored = match &failure.old {
            None => None,
            Some(old) => match self.object_with(place, old, holder) {
                Some(stored) => Some(stored),
                None => return false,
            },
        };
        let schema = self.schema;
        let expressions = self.expressions;
        // Copying descriptions takes less than leaving them out, which hashes all names again.
        let make = || {
            ObjectSchema::sharing_schema_and_expressions(Arc::new(schema.clone()), expressions)
                .without_metadata_checks()
        };
        let server = self.server.get_or_insert_with(make);
        let stored = match stored {
            None => None,
            Some(stored) => {
                let admission = server.admit_object(&stored, None);
                if !admission.errors.iter().all(|error| is_unforeseen_error(&error.detail)) {
                    return false;
                }
                Some(admission.stored)
            }
        };
        let errors = server.admit_object(&object, stored.as_ref()).errors;
        !errors.is_empty() && errors.iter().all(|error| is_unforeseen_error(&error.detail))
    }

    /// An object that has a value at a place: one that passes its rules, or that with a number of others.
    fn object_with(&mut self, place: &[PlaceStep], value: &Value, holder: Option<usize>) -> Option<Value> {
        if !self.holders.contains_key(place) {
            let passing = self.passing_holder(place, 0, self.schema, None);
            self.holders.insert(place.to_vec(), PlaceHolders { passing, ..PlaceHolders::default() });
        }
        let holders = self.holders.get_mut(place)?;
        let mut object = match holder {
            None => holders.passing.clone()?,
            Some(number) => holders.generated(self.schema, place, number)?,
        };
        *place.iter().try_fold(&mut object, descend_into)? = value.clone();
        object.as_object_mut()?.insert("metadata".to_owned(), json!({ "name": "example" }));
        Some(object)
    }

    /// A value that has something at a place, from the step with a number on, and that passes the rules of the places on the way.
    fn passing_holder(
        &self,
        place: &[PlaceStep],
        depth: usize,
        node: &Value,
        base: Option<Value>,
    ) -> Option<Value> {
        let (way, rest) = place.split_at_checked(depth)?;
        let Some(step) = rest.first() else { return Some(Value::Null) };
        let mut value = match self.places.get(way) {
            Some(known) => make_passing_value(&known.schema, &known.rules_except(None), rest, base)?,
            None => base.or_else(|| ObjectGenerator::new(node).generate_with(&[], 0))?,
        };
        let below = match step {
            PlaceStep::Field(name) => node.get("properties")?.get(name)?,
            PlaceStep::Any => values_below(node)?,
        };
        match (step, &mut value) {
            (PlaceStep::Field(name), Value::Object(fields)) => {
                let inner = self.passing_holder(place, depth + 1, below, fields.remove(name))?;
                fields.insert(name.clone(), inner);
            }
            (PlaceStep::Any, Value::Array(items)) => {
                let last = items.pop();
                items.push(self.passing_holder(place, depth + 1, below, last)?);
            }
            (PlaceStep::Any, Value::Object(fields)) => {
                let inner = self.passing_holder(place, depth + 1, below, fields.remove("a"))?;
                fields.insert("a".to_owned(), inner);
            }
            _ => return None,
        }
        Some(value)
    }
}

impl PlaceHolders {
    /// The object with a number that has something at a place.
    fn generated(&mut self, schema: &Value, place: &[PlaceStep], number: usize) -> Option<Value> {
        let mut generator = ObjectGenerator::new(schema);
        std::mem::swap(&mut generator.chance, &mut self.chance);
        while self.made.len() <= number {
            let attempt = holding_attempt(self.made.len());
            self.made.push(generator.generate_holding(place, attempt, &Value::Null));
        }
        std::mem::swap(&mut generator.chance, &mut self.chance);
        self.made.get(number)?.clone()
    }
}

/// The number of an attempt to make an object: every other one, and the first, has nothing that is not needed, so that other rules have
/// nothing to reject.
fn holding_attempt(index: usize) -> usize {
    if index.is_multiple_of(2) { index * 2 } else { index / 2 % 3 + 1 }
}

/// The value at a step in an object that was made to hold another, which is the last item of a list.
fn descend_into<'v>(value: &'v mut Value, step: &PlaceStep) -> Option<&'v mut Value> {
    match (step, value) {
        (PlaceStep::Field(name), Value::Object(fields)) => fields.get_mut(name),
        (PlaceStep::Any, Value::Array(items)) => items.last_mut(),
        (PlaceStep::Any, Value::Object(fields)) => fields.get_mut("a"),
        _ => None,
    }
}
