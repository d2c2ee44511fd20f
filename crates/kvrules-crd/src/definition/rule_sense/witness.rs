//! Objects that the server rejects only because a rule ends in an error.

use std::collections::HashMap;

use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::Expressions;
use kvrules_generate::{ObjectGenerator, PlaceStep, PseudoRandom};
use kvrules_lift::{RuleFailure, is_error_of_absence};
use serde_json::{Value, json};

use super::places::ExaminedRule;

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
}

/// Objects that have a value at a place.
#[derive(Default)]
struct PlaceHolders {
    made: Vec<Option<Value>>,
    chance: PseudoRandom,
}

impl<'s> WitnessSearch<'s> {
    pub(super) fn new(schema: &'s Value, expressions: &'s Expressions) -> Self {
        Self { schema, expressions, server: None, left: MOST_OBJECTS, holders: HashMap::new() }
    }

    /// A failure of a rule at the end of some steps which nothing else of the schema rejects.
    pub(super) fn find_failure(&mut self, it: &ExaminedRule, steps: &[PlaceStep]) -> Option<RuleFailure> {
        let mut failures = it.failures.borrow_mut();
        for index in 0..MOST_OBJECTS_OF_RULE {
            let failure = failures.find_failure(index, &it.rule, &it.expression, &it.formulas)?;
            if self.is_sole_error_in(steps, failure, index) {
                return Some(failure.clone());
            }
        }
        None
    }

    /// True if the server finds no other error in an object with a value, and none in an object with the value that it replaces.
    fn is_sole_error_in(&mut self, place: &[PlaceStep], failure: &RuleFailure, holder: usize) -> bool {
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
        let make = || ObjectSchema::sharing_expressions(schema, expressions).without_metadata_checks();
        let server = self.server.get_or_insert_with(make);
        let stored = match stored {
            None => None,
            Some(stored) => {
                let admission = server.admit_object(&stored, None);
                if !admission.is_accepted() {
                    return false;
                }
                Some(admission.stored)
            }
        };
        let errors = server.admit_object(&object, stored.as_ref()).errors;
        !errors.is_empty() && errors.iter().all(|error| is_error_of_absence(&error.detail))
    }

    /// An object that has a value at a place.
    fn object_with(&mut self, place: &[PlaceStep], value: &Value, holder: usize) -> Option<Value> {
        if !self.holders.contains_key(place) {
            self.holders.insert(place.to_vec(), PlaceHolders::default());
        }
        let holders = self.holders.get_mut(place)?;
        let mut generator = ObjectGenerator::new(self.schema);
        std::mem::swap(&mut generator.chance, &mut holders.chance);
        while holders.made.len() <= holder {
            let attempt = holding_attempt(holders.made.len());
            holders.made.push(generator.generate_holding(place, attempt, &Value::Null));
        }
        std::mem::swap(&mut generator.chance, &mut holders.chance);
        let mut object = holders.made.get(holder)?.clone()?;
        *place.iter().try_fold(&mut object, descend_into)? = value.clone();
        object.as_object_mut()?.insert("metadata".to_owned(), json!({ "name": "example" }));
        Some(object)
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
