//! Nodes with branches, as one node that says what values of one of their branches have.

use std::borrow::Cow;

use kvrules_generate::PseudoRandom;
use serde_json::{Value, json};

use super::scalars::is_scalar;
use crate::schema::keyword::{
    JUNCTORS, has_branches, keyword_list, keyword_schema, keyword_texts, properties,
};

/// The key under which a node that was made here names fields that are not to be there.
pub(super) const BANNED: &str = "fields that are not to be there";

/// A node with one of its branches put in, for those that have some. Scalars keep theirs: of them values are tried.
pub(super) fn choose_branch<'n>(node: &'n Value, chance: &mut PseudoRandom) -> Cow<'n, Value> {
    if !has_branches(node) || is_scalar(node) {
        return Cow::Borrowed(node);
    }
    let mut merged = node.clone();
    for junctor in JUNCTORS.into_iter().chain(["not"]) {
        merged.as_object_mut().and_then(|fields| fields.shift_remove(junctor));
    }
    for junctor in JUNCTORS {
        let branches = keyword_list(node, junctor);
        let at = chance.number_below(branches.len());
        for (index, branch) in branches.iter().enumerate() {
            if junctor == "allOf" || index == at {
                merge_branch(&mut merged, &choose_branch(branch, chance));
            } else if junctor == "oneOf" && chance.number_below(2) == 0 {
                negate_branch(&mut merged, branch, chance);
            }
        }
    }
    if let Some(branch) = keyword_schema(node, "not") {
        negate_branch(&mut merged, branch, chance);
    }
    Cow::Owned(merged)
}

/// Merges the requirements of a branch into a node.
fn merge_branch(node: &mut Value, branch: &Value) {
    if is_scalar(node) {
        push_keyword(node, "allOf", branch.clone());
        return;
    }
    let (Some(fields), Some(more)) = (node.as_object_mut(), branch.as_object()) else { return };
    for (keyword, value) in more {
        match (keyword.as_str(), fields.get_mut(keyword)) {
            ("required" | BANNED, Some(Value::Array(known))) => {
                known.extend(value.as_array().cloned().unwrap_or_default());
            }
            ("properties", Some(Value::Object(known))) => {
                for (name, below) in value.as_object().into_iter().flatten() {
                    match known.get_mut(name) {
                        Some(spine) => merge_branch(spine, below),
                        None => _ = known.insert(name.clone(), below.clone()),
                    }
                }
            }
            ("items" | "additionalProperties", Some(spine)) => merge_branch(spine, value),
            ("minItems" | "minProperties", Some(known)) => {
                *known = json!(known.as_i64().max(value.as_i64()));
            }
            ("maxItems" | "maxProperties", Some(known)) => {
                *known = json!(known.as_i64().into_iter().chain(value.as_i64()).min());
            }
            ("type", _) => {}
            _ => _ = fields.insert(keyword.clone(), value.clone()),
        }
    }
}

/// Asks that a branch fails, in one of the ways in which it can.
fn negate_branch(node: &mut Value, branch: &Value, chance: &mut PseudoRandom) {
    let (required, below) = (keyword_texts(branch, "required"), properties(branch).collect::<Vec<_>>());
    let at = chance.number_below(required.len() + below.len());
    if let Some(name) = required.get(at) {
        push_keyword(node, BANNED, json!(name));
    } else if let Some((name, below)) = at.checked_sub(required.len()).and_then(|at| below.get(at)) {
        push_keyword(node, "required", json!(name));
        if let Some(spine) = node.get_mut("properties").and_then(|all| all.get_mut(name.as_str())) {
            push_keyword(spine, "allOf", json!({"not": below}));
        }
    }
}

/// Adds a value to a list of a node.
fn push_keyword(node: &mut Value, keyword: &str, value: Value) {
    let Some(fields) = node.as_object_mut() else { return };
    if let Value::Array(values) = fields.entry(keyword).or_insert_with(|| json!([])) {
        values.push(value);
    }
}
