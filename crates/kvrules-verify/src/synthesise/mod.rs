//! Objects for predicates: every case of every place that they refer to, from small to large.
//!
//! Each place has its candidates, values of its type on both sides of everything that is asked of it (`tree` collects
//! what is asked, `scalar` and its like make the candidates). Candidates that pass and fail the same tests are of one
//! class. `combine` puts the places together: every candidate of each place with the classes of the others, and the
//! classes of all places with one another. So two engines that agree on all objects agree in every case that the
//! predicates distinguish.

mod combine;
mod fill;
mod stretch;
mod tree;

mod candidate;
mod integers;
mod patterns;
mod quantities;
mod scalar;
mod texts;

use std::collections::BTreeSet;

use kvrules_ir::{ElaboratedRule, RegexPattern};
use serde_json::{Value, json};

pub(crate) use candidate::Candidate;
pub(crate) use combine::sample_candidates;
pub(crate) use patterns::texts_of;
pub(crate) use stretch::stretch_objects;
pub(crate) use tree::{PlaceNode, PlaceTree};

/// At most about so many objects are made of the combinations of places of one rule.
const OF_RULE: usize = 8000;

/// The same for several rules together, each of which was examined by itself.
const OF_SET: usize = 500;

/// The objects of some predicates.
#[derive(Debug)]
pub(crate) struct Synthesis {
    /// From small to large, each once.
    pub(crate) objects: Vec<Candidate>,
    /// True if they show every case; false if those were too many.
    pub(crate) complete: bool,
}

/// Sizes next to which an artefact draws a line of its own, so that objects are wanted on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SizeLimits {
    /// Numbers of elements.
    pub(crate) items: BTreeSet<usize>,
    /// Numbers of characters.
    pub(crate) lengths: BTreeSet<usize>,
}

/// Texts that an expression matches and texts that it nearly matches.
pub(crate) fn pattern_texts(pattern: &str) -> Vec<String> {
    patterns::pattern_texts(&RegexPattern(pattern.to_owned()))
}

/// Objects that show every case of some rules, if those are not too many.
pub(crate) fn synthesise_objects(rules: &[&ElaboratedRule], lines: &SizeLimits) -> Synthesis {
    synthesise_tree(&PlaceTree::of(rules), lines, if rules.len() > 1 { OF_SET } else { OF_RULE })
}

/// Puts into an object what every object has that the rules refer to.
pub(crate) fn complete_objects(rules: &[&ElaboratedRule], objects: &mut [Candidate]) {
    let tree = PlaceTree::of(rules);
    for object in objects {
        fill::fill_required(&tree.root, &mut object.value);
    }
}

fn synthesise_tree(tree: &PlaceTree, lines: &SizeLimits, limit: usize) -> Synthesis {
    let (values, complete) = combine::place_values(&tree.root, lines, limit);
    let mut objects: Vec<Candidate> =
        values.into_iter().filter(|candidate| candidate.value.is_object()).collect();
    if objects.is_empty() {
        objects.push(Candidate::new(json!({})));
    }
    Synthesis { objects: candidate::in_order(objects), complete }
}

/// Puts the fields of one object into another.
pub(crate) fn merge_fields(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(fields), Value::Object(more)) => {
            for (name, value) in more {
                merge_fields(fields.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// Puts the fields of one object into another, and those of each element into the element that is there already.
pub(crate) fn merge_elements(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(fields), Value::Object(more)) => {
            for (name, value) in more {
                merge_elements(fields.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Array(items), Value::Array(more)) => {
            for (item, value) in items.iter_mut().zip(more) {
                merge_elements(item, value);
            }
            items.extend(more.iter().skip(items.len()).cloned());
        }
        (into, from) => *into = from.clone(),
    }
}

/// Returns the size of an object for a reader: smaller objects come first.
pub(crate) fn object_size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(object_size).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(object_size).sum::<usize>(),
        Value::Null => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
