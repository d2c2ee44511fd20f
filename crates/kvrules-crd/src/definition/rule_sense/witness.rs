//! Objects that the server rejects only because a rule ends in an error.

use std::collections::HashMap;

use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::Expressions;
use kvrules_cel::ast::Expression;
use kvrules_generate::{ObjectGenerator, PlaceStep, PseudoRandom};
use kvrules_lift::{DefinitionRule, LiftedExpression, RuleFailure, find_failure, is_error_of_absence};
use serde_json::{Value, json};

/// The most objects of a version that are tried to make rules end in errors.
const MOST_OBJECTS: usize = 600;

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

    pub(super) fn find_failure(
        &mut self,
        rule: &DefinitionRule,
        expression: &Expression,
        formulas: &LiftedExpression,
    ) -> Option<RuleFailure> {
        let mut tried = 0;
        let mut is_sole_error = |value: &Value, old: Option<&Value>| {
            tried += 1;
            self.is_sole_error_in(rule, value, old, tried - 1)
        };
        find_failure(rule, expression, formulas, &mut is_sole_error)
    }

    /// True if the server finds no other error in an object with a value, and none in an object with the value that it replaces.
    fn is_sole_error_in(
        &mut self,
        rule: &DefinitionRule,
        value: &Value,
        old: Option<&Value>,
        holder: usize,
    ) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let Some(object) = self.object_with(&rule.place, value, holder) else { return false };
        let stored = match old {
            None => None,
            Some(old) => match self.object_with(&rule.place, old, holder) {
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
            let attempt = holders.made.len() + 1;
            holders.made.push(generator.generate_holding(place, attempt, &Value::Null));
        }
        std::mem::swap(&mut generator.chance, &mut holders.chance);
        let mut object = holders.made.get(holder)?.clone()?;
        *place.iter().try_fold(&mut object, descend_into)? = value.clone();
        object.as_object_mut()?.insert("metadata".to_owned(), json!({ "name": "example" }));
        Some(object)
    }
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
