//! Values of nodes that are neither objects nor lists.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use kvrules_apiserver::object::ValueSchema;
use serde_json::{Map, Value, json};

use super::ExpressionHints;
use crate::schema::keyword::{
    INT_OR_STRING, JUNCTORS, default_value, has_branches, keyword_flag, keyword_list, keyword_schema,
    keyword_size, keyword_text,
};
use crate::schema::schema_evaluator::SchemaEvaluator;
use crate::schema::values::{another_match, find_match};

/// A pattern with the least and the greatest length of a text.
type PatternWithin = (String, i64, Option<i64>);

/// The values of all nodes that were met.
#[derive(Debug, Default)]
pub(super) struct ScalarValues {
    pub(super) hints: ExpressionHints,
    /// The values of each node, by its text.
    known: RefCell<HashMap<String, Rc<NodeValues>>>,
    /// More texts of nodes with a pattern than their values, by the text of the node.
    more: RefCell<HashMap<String, Vec<String>>>,
    /// A text of each pattern within its lengths.
    matching: RefCell<HashMap<PatternWithin, Option<String>>>,
    /// The number of values that were compared with all branches of a node.
    evaluated: Cell<usize>,
}

/// Number of texts of a pattern that are looked for.
const FEW: usize = 4;

/// Number of values of a node with branches that are kept: a server compares each with all branches.
const MOST_EVALUATED: usize = 300;

/// A node, and some values that it allows, the plainest first.
#[derive(Debug)]
pub(super) struct NodeValues {
    node: ValueSchema,
    pub(super) values: Vec<Value>,
}

/// True if the values of a node are neither objects nor lists.
pub(super) fn is_scalar(node: &Value) -> bool {
    matches!(keyword_text(node, "type"), "string" | "integer" | "number" | "boolean")
        || keyword_flag(node, INT_OR_STRING)
}

impl ScalarValues {
    pub(super) fn with_hints(hints: ExpressionHints) -> Self {
        Self { hints, ..Self::default() }
    }

    /// Values of a node, made once for each. Its branches are kept too.
    pub(super) fn node_values(&self, node: &Value) -> Rc<NodeValues> {
        let key = node.to_string();
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.make_values(node));
        self.known.borrow_mut().insert(key, Rc::clone(&made));
        made
    }

    /// For each number another value of a node, as far as there are.
    pub(super) fn nth_value(&self, node: &Value, index: usize) -> Option<Value> {
        const MOST: usize = 40;
        let known = self.node_values(node);
        let made = match keyword_text(node, "type") {
            "integer" => json!(100 + index),
            _ => json!(format!("item-{index}")),
        };
        let fits = known.node.allows_value(&made) && !has_branches(node);
        if let Some(value) = known.values.get(index).cloned().or(fits.then_some(made)) {
            return Some(value);
        }
        let pattern = keyword_text(node, "pattern");
        let length = (keyword_size(node, "minLength").unwrap_or(0), keyword_size(node, "maxLength"));
        let (mut more, at) = (self.more.borrow_mut(), index.checked_sub(known.values.len())?);
        let more = more.entry(node.to_string()).or_default();
        while more.len() <= at.min(MOST) && !pattern.is_empty() {
            let listed = known.values.iter().filter_map(Value::as_str);
            let all: Vec<&str> = listed.chain(more.iter().map(String::as_str)).collect();
            let found = another_match(pattern, length, &all)?;
            more.push(found);
        }
        more.get(at).map(|text| json!(text)).filter(|value| known.node.allows_value(value))
    }

    fn make_values(&self, node: &Value) -> NodeValues {
        let mut values = Vec::new();
        for variant in branch_variants(node) {
            self.collect_candidates(&variant, &mut values);
        }
        let allowing = ValueSchema::new(node);
        // The parts of `allOf` are tested one by one, so that the first that rejects a value ends the test.
        let all: Vec<ValueSchema> = keyword_list(node, "allOf").iter().map(ValueSchema::new).collect();
        let evaluator = has_branches(node).then(|| {
            let mut node = node.clone();
            node.as_object_mut().and_then(|fields| fields.shift_remove("default"));
            SchemaEvaluator::new(&json!({"type": "object", "properties": {"v": node}}))
        });
        let evaluated = |evaluator: &SchemaEvaluator, value: &Value| {
            self.evaluated.set(self.evaluated.get() + 1);
            evaluator.evaluate_create(&json!({"v": value})).is_accepted()
        };
        let fits = |value: &Value| {
            !value.is_null()
                && allowing.allows_value(value)
                && all.iter().all(|one| one.allows_value(value))
                && evaluator.as_ref().is_none_or(|evaluator| evaluated(evaluator, value))
        };
        let mut kept: Vec<Value> = Vec::new();
        let mut tried = HashSet::new();
        for value in values {
            if kept.len() >= MOST_EVALUATED && evaluator.is_some() {
                break;
            }
            if tried.insert(value.to_string()) && !kept.contains(&value) && fits(&value) {
                kept.push(value);
            }
        }
        let (pattern, wanted) = (keyword_text(node, "pattern"), keyword_text(node, "type"));
        let length = (keyword_size(node, "minLength").unwrap_or(0), keyword_size(node, "maxLength"));
        if !pattern.is_empty() && wanted == "string" {
            let mut tried: Vec<String> = kept.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            for _ in 0..FEW {
                let known: Vec<&str> = tried.iter().map(String::as_str).collect();
                let Some(found) = another_match(pattern, length, &known).filter(|_| kept.len() < FEW) else {
                    break;
                };
                kept.extend(Some(json!(found)).filter(fits));
                tried.push(found);
            }
        }
        NodeValues { node: allowing, values: kept }
    }

    /// Values that a node may allow.
    fn collect_candidates(&self, node: &Value, values: &mut Vec<Value>) {
        values.extend(keyword_list(node, "enum").iter().cloned());
        values.extend(default_value(node).cloned());
        let wanted = keyword_text(node, "type");
        let mixed = keyword_flag(node, INT_OR_STRING);
        if mixed || wanted == "integer" || wanted == "number" {
            self.collect_numbers(node, values);
        }
        if wanted == "number" {
            values.extend([json!(1.5), json!(0.25)]);
            let bounds = ["minimum", "maximum"].into_iter().filter_map(|key| node.get(key)?.as_f64());
            values.extend(bounds.flat_map(|bound| [json!(bound - 0.5), json!(bound + 0.5)]));
        }
        if mixed || wanted == "string" {
            values.extend(self.candidate_texts(node).into_iter().map(Value::from));
            values.extend(self.hints.lists_for_texts.then(|| json!([])));
        }
        if wanted == "boolean" {
            values.extend([json!(false), json!(true)]);
        }
    }

    fn collect_numbers(&self, node: &Value, values: &mut Vec<Value>) {
        values.extend([json!(1), json!(0)]);
        for keyword in ["minimum", "maximum", "multipleOf"] {
            values.extend(node.get(keyword).filter(|bound| bound.is_number()).cloned());
        }
        let near = |keyword: &str, step: i64| Some(node.get(keyword)?.as_i64()?.saturating_add(step));
        let mut numbers: Vec<i64> = near("minimum", 1).into_iter().chain(near("maximum", -1)).collect();
        numbers.extend([2, 3, -1, 10]);
        numbers.extend(&self.hints.integers);
        if let Some(factor) = keyword_size(node, "multipleOf").filter(|factor| *factor > 1) {
            let bounds = near("minimum", 0).into_iter().chain(near("maximum", 0));
            let some: Vec<i64> = numbers.iter().copied().chain(bounds).collect();
            for number in some {
                let below = number.saturating_sub(number.rem_euclid(factor));
                numbers.extend([below, below.saturating_add(factor)]);
            }
        }
        values.extend(numbers.into_iter().map(Value::from));
    }

    fn candidate_texts(&self, node: &Value) -> Vec<String> {
        let (least, most) = (keyword_size(node, "minLength").unwrap_or(0), keyword_size(node, "maxLength"));
        let mut texts: Vec<String> = kvrules_generate::sample_format(keyword_text(node, "format"))
            .map(str::to_owned)
            .into_iter()
            .collect();
        let pattern = keyword_text(node, "pattern");
        if !pattern.is_empty() {
            let key = (pattern.to_owned(), least, most);
            let known = self.matching.borrow().get(&key).cloned();
            let found = known.unwrap_or_else(|| find_match(pattern, least, most));
            self.matching.borrow_mut().insert(key, found.clone());
            texts.extend(found);
        }
        let length = usize::try_from(least.max(1)).unwrap_or(1).min(4096);
        texts.extend([
            "a".repeat(length),
            "b".repeat(length),
            String::new(),
            "c".repeat(length + 1),
            "1".repeat(length),
            "a-1".to_owned(),
        ]);
        texts.extend(self.hints.texts.iter().cloned());
        let sizes = self.hints.integers.iter().filter(|size| (2..=300).contains(*size));
        texts.extend(sizes.filter_map(|size| usize::try_from(*size).ok()).map(|size| "a".repeat(size)));
        texts
    }
}

/// The node by itself, and with each of its branches put in, so that values of all of them are made. None has branches.
fn branch_variants(node: &Value) -> Vec<Value> {
    let mut plain = node.as_object().cloned().unwrap_or_else(Map::new);
    for junctor in JUNCTORS.into_iter().chain(["not"]) {
        plain.shift_remove(junctor);
    }
    let mut variants = vec![Value::Object(plain.clone())];
    let branches = JUNCTORS
        .into_iter()
        .flat_map(|junctor| keyword_list(node, junctor))
        .chain(keyword_schema(node, "not"));
    for branch in branches {
        let mut whole = plain.clone();
        let own = branch.as_object().into_iter().flatten().filter(|(key, _)| *key != "type");
        whole.extend(own.map(|(key, value)| (key.clone(), value.clone())));
        variants.extend(self::branch_variants(&Value::Object(whole)));
    }
    variants
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values of an integer with so many branches, and how often a value was compared with all of them.
    fn made(junctor: &str, count: usize) -> (Vec<Value>, usize) {
        let branches: Vec<Value> = (0..count).map(|least| json!({"minimum": least})).collect();
        let scalars = ScalarValues::default();
        let known = scalars.node_values(&json!({"type": "integer", junctor: branches}));
        (known.values.clone(), scalars.evaluated.get())
    }

    #[test]
    fn few_values_are_compared_with_all_of_many_branches() {
        let (values, evaluated) = made("allOf", 2000);
        assert_eq!(values, [json!(1999), json!(2000)]);
        assert_eq!(evaluated, values.len());
        let (values, evaluated) = made("anyOf", 2000);
        assert_eq!(values.len(), MOST_EVALUATED);
        assert!(evaluated <= MOST_EVALUATED + 10, "{evaluated}");
    }

    #[test]
    fn all_values_of_few_branches_are_kept() {
        let (values, _) = made("anyOf", 20);
        assert!((0..=20).all(|value| values.contains(&json!(value))), "{values:?}");
    }
}
