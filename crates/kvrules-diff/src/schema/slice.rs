//! The part of a schema that a difference is settled in: definitions have thousands of fields, and most of them decide nothing
//! about another one.
//!
//! On the way to the place, fields next to it are left out which need not be there and which no rule, no branch and no count of
//! fields refers to. Of very many required fields none is kept, and an object gets them afterwards. What is shown with such a part is checked against the whole schemas before it is reported.

use std::cell::Cell;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::edit::{ObjectAttempt, ObjectEdit, RulePair};
use super::keyword::{RULES, has_branches, is_meta, keyword_list, keyword_text, keyword_texts, properties};
use super::place::NodeStep;

/// Both schemas with what an edit needs; none if that is all of them.
pub(super) fn slice_schemas((old, new): (&Value, &Value), edit: &ObjectEdit) -> Option<(Value, Value)> {
    if edit.moves_status {
        return None;
    }
    let sliced = if let Some(pair) = &edit.pair {
        let cut =
            |node, other, rule| RuleSlice::new(pair).cut_node(node, Some(other), &edit.downs, rule, true);
        (cut(old, new, pair.old.as_ref()), cut(new, old, pair.new.as_ref()))
    } else {
        let names = names_at(edit);
        let cut = |node, other| cut_node(node, Some(other), &edit.downs, names.as_deref(), true);
        (cut(old, new), cut(new, old))
    };
    (sliced.0 != *old || sliced.1 != *new).then_some(sliced)
}

/// The part of a schema for the difference of a rule: of other rules there are a few, and none next to the rule. What others refuse as
/// well is seen when an object is checked against the whole schema.
struct RuleSlice<'p> {
    expressions: Vec<&'p str>,
    /// The number of other rules that may still be kept.
    rules_left: Cell<usize>,
}

/// Fields that the metadata of every object have for the rules of the object. Without them `with_object_meta` replaces the metadata.
const IDENTITY: [&str; 5] = ["apiVersion", "kind", "metadata", "name", "generateName"];

/// The most other rules in the part of a schema for one rule.
const MOST_RULES: usize = 24;

impl<'p> RuleSlice<'p> {
    fn new(pair: &'p RulePair) -> Self {
        let rules = [&pair.old, &pair.new].into_iter().flatten();
        Self {
            expressions: rules.map(|rule| keyword_text(rule, "rule")).collect(),
            rules_left: Cell::new(MOST_RULES),
        }
    }

    fn cut_node(
        &self,
        node: &Value,
        other: Option<&Value>,
        downs: &[NodeStep],
        rule: Option<&Value>,
        is_root: bool,
    ) -> Value {
        let (Some((down, rest)), Some(fields)) = (downs.split_first(), node.as_object()) else {
            return self.with_rule(node, rule);
        };
        let both = || std::iter::once(node).chain(other);
        let own = self.rules_about(node, downs);
        let named: Vec<&Value> = both().flat_map(|node| rules_naming(node, downs)).take(MOST_RULES).collect();
        let keeps_all = both().any(has_counts_or_branches)
            || (!named.is_empty() && properties(node).count() <= MOST_FIELDS);
        let is_named = |name: &str| named.iter().any(|rule| keyword_text(rule, "rule").contains(name));
        let is_way = |name: &str| matches!(down, NodeStep::Property(wanted) if wanted == name);
        let below =
            |child: &Value| self.cut_node(child, other.and_then(|other| down.of(other)), rest, rule, false);
        let mut cut = with_properties(
            fields,
            both(),
            is_root,
            &|name| keeps_all || is_way(name) || is_named(name),
            &|name, child| if is_way(name) { below(child) } else { self.with_few_rules(child, false) },
        );
        let Some(cut_fields) = cut.as_object_mut() else { return cut };
        for (step, key) in [(NodeStep::Items, "items"), (NodeStep::Values, "additionalProperties")] {
            if let Some(child) = fields.get(key).filter(|child| child.is_object()) {
                let child = if *down == step { below(child) } else { self.with_few_rules(child, false) };
                cut_fields.insert(key.to_owned(), child);
            }
        }
        if fields.contains_key(RULES) {
            cut_fields.insert(RULES.to_owned(), own);
        }
        cut
    }

    /// The node of the rule with the rule alone.
    fn with_rule(&self, node: &Value, rule: Option<&Value>) -> Value {
        let mut cut = self.with_few_rules(node, true);
        if let Some(fields) = cut.as_object_mut() {
            fields.insert(RULES.to_owned(), rule.cloned().into_iter().collect());
        }
        cut
    }

    /// A node with the fields that the rule may name, with all if it names none, and with a few of its rules. `is_own` for the node of
    /// the rule, of which no other rules are kept.
    fn with_few_rules(&self, node: &Value, is_own: bool) -> Value {
        let Some(fields) = node.as_object() else { return node.clone() };
        let required = keyword_texts(node, "required");
        // A simple substring test may keep too many properties, but never too few.
        let is_named = |name: &str| self.expressions.iter().any(|rule| rule.contains(name));
        let names_any = properties(node).any(|(name, _)| is_named(name));
        let is_kept =
            |name: &str| !names_any || is_named(name) || required.contains(&name) || IDENTITY.contains(&name);
        let made = |(key, value): (&String, &Value)| {
            let value = match (key.as_str(), value) {
                ("properties", Value::Object(all)) => {
                    let kept = all.iter().filter(|(name, _)| is_kept(name));
                    let kept = kept.map(|(name, child)| (name.clone(), self.with_few_rules(child, false)));
                    Value::Object(kept.collect())
                }
                ("items" | "additionalProperties", child) => self.with_few_rules(child, false),
                (RULES, _) if is_own => Value::Array(Vec::new()),
                (RULES, Value::Array(rules)) => self.few_of(rules.iter()),
                (_, other) => other.clone(),
            };
            (key.clone(), value)
        };
        Value::Object(fields.iter().map(made).collect())
    }

    /// A few of the rules of a node on the way that name what is on the way below it.
    fn rules_about(&self, node: &Value, downs: &[NodeStep]) -> Value {
        self.few_of(rules_naming(node, downs))
    }

    fn few_of<'r>(&self, rules: impl Iterator<Item = &'r Value>) -> Value {
        let kept: Vec<Value> = rules.take(self.rules_left.get()).cloned().collect();
        self.rules_left.set(self.rules_left.get() - kept.len());
        Value::Array(kept)
    }
}

/// The rules of a node that name all fields on the way to a place below it.
fn rules_naming<'r>(node: &'r Value, downs: &'r [NodeStep]) -> impl Iterator<Item = &'r Value> {
    let names_way = |rule: &&Value| {
        downs.iter().all(|down| match down {
            NodeStep::Property(name) => keyword_text(rule, "rule").contains(name.as_str()),
            NodeStep::Items | NodeStep::Values => true,
        })
    };
    keyword_list(node, RULES).iter().filter(names_way)
}

/// A node with one rule of a pair, and with the fields that either of the two may name; with all if they name none.
pub(super) fn with_one_rule(node: &Value, pair: &RulePair, rule: Option<&Value>) -> Value {
    let rules: Vec<&str> =
        [&pair.old, &pair.new].into_iter().flatten().map(|rule| keyword_text(rule, "rule")).collect();
    let required = keyword_texts(node, "required");
    // A simple substring test may keep too many properties, but never too few.
    let is_named = |name: &str| rules.iter().any(|rule| rule.contains(name));
    let names_any = properties(node).any(|(name, _)| is_named(name));
    let kept = |(key, value): (&String, &Value)| match value.as_object().filter(|_| key == "properties") {
        Some(all) if names_any => {
            let kept = all.iter().filter(|(name, _)| is_named(name) || required.contains(&name.as_str()));
            (key.clone(), Value::Object(kept.map(|(name, child)| (name.clone(), child.clone())).collect()))
        }
        _ => (key.clone(), value.clone()),
    };
    let mut fields: Map<String, Value> = node.as_object().into_iter().flatten().map(kept).collect();
    fields.insert(RULES.to_owned(), rule.cloned().into_iter().collect());
    Value::Object(fields)
}

/// The fields at the place that an edit is about; none if it is about more than fields.
fn names_at(edit: &ObjectEdit) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for key in &edit.keys {
        match (key.first().map(String::as_str), key.get(1)) {
            (Some("properties"), Some(name)) => names.push(name.as_str()),
            (Some("required"), None) => {}
            _ => return None,
        }
    }
    for attempt in edit.refused.iter().chain(&edit.accepted) {
        match attempt {
            ObjectAttempt::With(name)
            | ObjectAttempt::WithValue(name, _)
            | ObjectAttempt::Without(name)
            | ObjectAttempt::RemoveField(name) => names.push(name),
            ObjectAttempt::Anything => {}
            _ => return None,
        }
    }
    Some(names)
}

fn cut_node(
    node: &Value,
    other: Option<&Value>,
    downs: &[NodeStep],
    names: Option<&[&str]>,
    is_root: bool,
) -> Value {
    let both = || std::iter::once(node).chain(other);
    let Some(fields) = node.as_object().filter(|_| !both().any(is_entangled)) else { return node.clone() };
    let rules: Vec<&str> =
        both().flat_map(|node| keyword_list(node, RULES)).map(|rule| keyword_text(rule, "rule")).collect();
    let below = |down: &NodeStep, child: &Value, rest: &[NodeStep]| {
        cut_node(child, other.and_then(|other| down.of(other)), rest, names, false)
    };
    match (downs.split_first(), names) {
        (None, None) => node.clone(),
        (None, Some(names)) => {
            let keeps = |name: &str| names.contains(&name) || rules.iter().any(|rule| rule.contains(name));
            with_properties(fields, both(), is_root, &keeps, &|_, child| child.clone())
        }
        (Some((down @ NodeStep::Property(wanted), rest)), _) => {
            let keeps = |name: &str| name == wanted || rules.iter().any(|rule| rule.contains(name));
            with_properties(fields, both(), is_root, &keeps, &|name, child| {
                if name == wanted { below(down, child, rest) } else { child.clone() }
            })
        }
        (Some((down @ (NodeStep::Items | NodeStep::Values), rest)), _) => {
            let key = if *down == NodeStep::Items { "items" } else { "additionalProperties" };
            let kept = |(name, value): (&String, &Value)| {
                let value = if name == key { below(down, value, rest) } else { value.clone() };
                (name.clone(), value)
            };
            Value::Object(fields.iter().map(kept).collect())
        }
    }
}

/// The most fields of a node with rules that is kept as it is, and the most required fields that are kept.
const MOST_FIELDS: usize = 40;

/// True if the schema constrains several fields of an object together. Rules do so too: of a node with many fields those that rules name are
/// kept, though a rule may count the fields.
fn is_entangled(node: &Value) -> bool {
    let has_rules = !keyword_list(node, RULES).is_empty();
    has_counts_or_branches(node) || (has_rules && properties(node).count() <= MOST_FIELDS)
}

fn has_counts_or_branches(node: &Value) -> bool {
    let has_count = ["minProperties", "maxProperties"].iter().any(|key| node.get(*key).is_some());
    has_count || has_branches(node)
}

/// A node with some of its properties: those to be kept, and those that either side requires.
fn with_properties<'n>(
    fields: &Map<String, Value>,
    both: impl Iterator<Item = &'n Value>,
    is_root: bool,
    keeps: &dyn Fn(&str) -> bool,
    made: &dyn Fn(&str, &Value) -> Value,
) -> Value {
    let required: HashSet<&str> = both.flat_map(|node| keyword_texts(node, "required")).collect();
    let has_few = required.len() <= MOST_FIELDS;
    let is_kept =
        |name: &str| keeps(name) || (has_few && required.contains(name)) || (is_root && is_meta(name));
    let kept = |(key, value): (&String, &Value)| match value.as_object().filter(|_| key == "properties") {
        Some(properties) => {
            let kept = properties.iter().filter(|(name, _)| is_kept(name));
            let kept = kept.map(|(name, child)| (name.clone(), made(name, child)));
            (key.clone(), Value::Object(kept.collect()))
        }
        None if key == "required" && !has_few => {
            let names = value.as_array().into_iter().flatten();
            (key.clone(), names.filter(|name| name.as_str().is_some_and(is_kept)).cloned().collect())
        }
        None => (key.clone(), value.clone()),
    };
    Value::Object(fields.iter().map(kept).collect())
}

/// True if a part of a schema lacks required fields on the way to a place: they are too many.
pub(super) fn lacks_required_fields(schema: &Value, downs: &[NodeStep]) -> bool {
    let has_many = |node: &Value| keyword_texts(node, "required").len() > MOST_FIELDS;
    let mut node = Some(schema);
    has_many(schema)
        || downs.iter().any(|down| {
            node = node.and_then(|node| down.of(node));
            node.is_some_and(has_many)
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::walk;
    use super::super::work_budget::WorkBudget;
    use super::*;

    #[test]
    fn fields_that_decide_nothing_are_left_out() {
        let with = |most: u32| {
            json!({"type": "object", "required": ["r"], "properties": {
                "r": {"type": "string"},
                "a": {"type": "object", "properties": {"n": {"type": "integer", "maximum": most}, "m": {"type": "string"}}},
                "b": {"type": "object"},
            }})
        };
        let (old, new) = (with(5), with(6));
        let edits = walk::find_edits(&old, &new, &WorkBudget::default(), &Default::default());
        let (sliced, _) = slice_schemas((&old, &new), &edits[0]).unwrap();
        let left = json!({"type": "object", "required": ["r"], "properties": {
            "r": {"type": "string"},
            "a": {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}},
        }});
        assert_eq!(sliced, left);
    }

    #[test]
    fn what_a_rule_may_see_stays() {
        let with = |most: u32| {
            json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.a == self.b"}], "properties": {
                "a": {"type": "integer", "maximum": most}, "b": {"type": "integer"},
            }})
        };
        let (old, new) = (with(5), with(6));
        let edits = walk::find_edits(&old, &new, &WorkBudget::default(), &Default::default());
        assert_eq!(slice_schemas((&old, &new), &edits[0]), None);
    }
}
