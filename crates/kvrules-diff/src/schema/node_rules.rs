//! All rules of a node, asked whether they let a value through.
//!
//! Most values that show the change of one rule are rejected by another one, and often by the same few. So rules
//! that rejected a value are tried first on the next, and all rules together only if none of those rejects it.

use std::cell::{OnceCell, RefCell};

use kvrules_regex::StepBudget;
use serde_json::{Map, Value, json};

use super::keyword::{RULES, keyword_list};
use super::schema_evaluator::SchemaEvaluator;

/// Number of rules that are tried before all others.
const FIRST: usize = 16;

/// The rules of a node on one side.
pub(super) struct NodeRules<'s> {
    node: &'s Value,
    rules: &'s [Value],
    whole: OnceCell<SchemaEvaluator>,
    /// Rules that refused a value, the last one first.
    first: RefCell<Vec<(usize, SchemaEvaluator)>>,
}

impl<'s> NodeRules<'s> {
    pub(super) fn new(node: &'s Value) -> Self {
        Self { node, rules: keyword_list(node, RULES), whole: OnceCell::new(), first: RefCell::default() }
    }

    /// True if all rules accept an object with a value. Also false if too few steps are left to find out; each rule
    /// that is run takes one.
    pub(super) fn accepts_object(&self, object: &Value, before: Option<&Value>, steps: &StepBudget) -> bool {
        let lets = |evaluator: &SchemaEvaluator| match before {
            Some(before) => evaluator.evaluate_update(object, before).is_accepted(),
            None => evaluator.evaluate_create(object).is_accepted(),
        };
        let mut first = self.first.borrow_mut();
        let refusing =
            first.iter().take_while(|_| steps.try_take(1)).position(|(_, evaluator)| !lets(evaluator));
        if let Some(at) = refusing {
            let found = first.remove(at);
            first.insert(0, found);
            return false;
        }
        if !steps.try_take(self.step_count()) {
            return false;
        }
        let whole =
            self.whole.get_or_init(|| SchemaEvaluator::new(&with_rules(self.node, self.rules.to_vec())));
        if lets(whole) {
            return true;
        }
        let of_rule = |(at, rule): (usize, &Value)| {
            let evaluator = steps
                .try_take(1)
                .then(|| SchemaEvaluator::new(&with_rules(self.node, vec![rule.clone()])))?;
            (!lets(&evaluator)).then_some((at, evaluator))
        };
        if let Some(found) = self.rules.iter().enumerate().find_map(of_rule) {
            first.insert(0, found);
            first.truncate(FIRST);
        }
        false
    }

    fn step_count(&self) -> u64 {
        u64::try_from(self.rules.len()).unwrap_or(u64::MAX)
    }
}

/// The field that a node stands under when it is examined alone.
pub(super) const INNER: &str = "v";

/// A schema in which there is only a node with these rules.
pub(super) fn with_rules(node: &Value, rules: Vec<Value>) -> Value {
    let mut node = node.as_object().cloned().unwrap_or_else(Map::new);
    node.insert(RULES.to_owned(), Value::Array(rules));
    json!({"type": "object", "properties": {INNER: node}})
}
