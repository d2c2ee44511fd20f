//! Schemas about the same value: alternatives, conditions, and what must not hold.

use serde_json::{Value, json};

use super::details::presence_bound;
use super::{ANY, ChangeName, SchemaWalk, nested_attempt};
use crate::bound::ImpliedDirection;
use crate::json_schema::build::SchemaAttempt;
use crate::json_schema::flat_schema::FlatSchema;
use crate::json_schema::keywords::BRANCHES;
use crate::json_schema::source::SchemaPart;
use crate::json_schema::value_step::ValueStep;

/// Number of pairs of branches that are checked against each other to find those that only moved.
const MOST_PAIRS: usize = 40_000;

impl<'s> SchemaWalk<'s, '_> {
    /// Schemas about the same value: alternatives, conditions, what must not hold.
    pub(super) fn compare_branches(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let differing: Vec<&'static str> =
            BRANCHES.into_iter().filter(|key| !self.is_same(old, new, key)).collect();
        if differing.is_empty() {
            return;
        }
        let mut bound = ImpliedDirection::Equal;
        let (mut refused, mut accepted) = (vec![SchemaAttempt::Anything], vec![SchemaAttempt::Anything]);
        let mut more: Vec<SchemaAttempt<'s>> = Vec::new();
        for key in &differing {
            let presence = presence_bound(old, new, if matches!(*key, "then" | "else") { "if" } else { key });
            let of = |flat: &FlatSchema<'s>| parts_of(flat, key);
            let (before, after) = (of(old), of(new));
            let (inner, retained) = match *key {
                "anyOf" | "oneOf" | "not" | "then" | "else" | "if" => {
                    self.compare_pairs(key, &before, &after)
                }
                _ => (ImpliedDirection::Open, (unknown_attempts(), unknown_attempts())),
            };
            let retained = if *key == "then" {
                (attempts_under(old, retained.0), attempts_under(new, retained.1))
            } else {
                retained
            };
            bound = bound.combine_with(if presence == ImpliedDirection::Open { inner } else { presence });
            let own = |parts: &[SchemaPart<'s>]| {
                parts
                    .iter()
                    .map(|part| nested_attempt(part.clone(), Vec::new(), SchemaAttempt::Anything))
                    .collect::<Vec<_>>()
            };
            refused.extend(retained.0);
            accepted.extend(retained.1);
            more.extend(own(&before).into_iter().chain(own(&after)));
        }
        // Also try a value of each type, because it may match no branch.
        let kinds = [json!({}), json!([]), json!("a"), json!(1), json!(true), Value::Null];
        more.extend(kinds.into_iter().map(SchemaAttempt::Like));
        refused.extend(more.clone());
        accepted.extend(more);
        self.note_difference((old, new), "branches", &differing, bound, (refused, accepted));
    }

    /// The branches of both sides that are not on the other.
    fn unmatched_branches(
        &mut self,
        old: &[SchemaPart<'s>],
        new: &[SchemaPart<'s>],
    ) -> (Vec<SchemaPart<'s>>, Vec<SchemaPart<'s>>) {
        let (mut gone, mut come): (Vec<SchemaPart<'s>>, Vec<SchemaPart<'s>>) = (old.to_vec(), Vec::new());
        // For many branches, only those at the same index are compared, because comparing all pairs is expensive.
        let is_large = old.len().saturating_mul(new.len()) > MOST_PAIRS;
        if is_large {
            let is_same: Vec<bool> = old
                .iter()
                .zip(new)
                .map(|(one, other)| self.same.are_same_schemas(one.value, other.value, self.is_apart))
                .collect();
            let left = |parts: &[SchemaPart<'s>]| {
                let known = is_same.iter().copied().chain(std::iter::repeat(false));
                parts.iter().zip(known).filter(|(_, known)| !known).map(|(part, _)| part.clone()).collect()
            };
            return (left(old), left(new));
        }
        for part in new {
            let known =
                gone.iter().position(|one| self.same.are_same_schemas(one.value, part.value, self.is_apart));
            match known {
                Some(at) => _ = gone.remove(at),
                None => come.push(part.clone()),
            }
        }
        (gone, come)
    }

    /// Compares branches: each branch that is absent on the other side with the next such branch of that side.
    fn compare_pairs(
        &mut self,
        key: &str,
        old: &[SchemaPart<'s>],
        new: &[SchemaPart<'s>],
    ) -> (ImpliedDirection, (Vec<SchemaAttempt<'s>>, Vec<SchemaAttempt<'s>>)) {
        let (gone, come) = self.unmatched_branches(old, new);
        // One more alternative accepts more, one more consequence of a condition accepts less.
        let (more, fewer) = match key {
            "then" | "else" => (ImpliedDirection::Tighter, ImpliedDirection::Looser),
            _ => (ImpliedDirection::Looser, ImpliedDirection::Tighter),
        };
        let mut bound = match gone.len().cmp(&come.len()) {
            std::cmp::Ordering::Equal => ImpliedDirection::Equal,
            std::cmp::Ordering::Less => more,
            std::cmp::Ordering::Greater => fewer,
        };
        let (mut refused, mut accepted) = (Vec::new(), Vec::new());
        for (one, other) in gone.iter().zip(&come) {
            let inner = self.walk_inner(|walk| {
                walk.compare_nodes(std::slice::from_ref(one), std::slice::from_ref(other), ChangeName::Value);
            });
            bound = bound.combine_with(inner.bound);
            let on = |part: &SchemaPart<'s>, all: Vec<(Vec<ValueStep>, SchemaAttempt<'s>)>| {
                all.into_iter()
                    .map(|(downs, attempt)| nested_attempt(part.clone(), downs, attempt))
                    .collect::<Vec<_>>()
            };
            let any = SchemaPart { value: &ANY, place: Vec::new() };
            if key == "not" {
                // `not` inverts its schema, so values that the new inner schema accepts are refused by the new
                // `not`, and the reverse.
                refused.extend(on(&any, inner.accepted));
                accepted.extend(on(&any, inner.refused));
            } else {
                refused.extend(on(one, inner.refused));
                accepted.extend(on(other, inner.accepted));
            }
        }
        let bound = match key {
            "anyOf" | "then" | "else" => bound,
            "not" if old.len() == 1 && new.len() == 1 => bound.negated_bound(),
            _ => ImpliedDirection::Open,
        };
        (bound, (refused, accepted))
    }
}

/// Attempts on values for which the condition holds.
fn attempts_under<'s>(flat: &FlatSchema<'s>, attempts: Vec<SchemaAttempt<'s>>) -> Vec<SchemaAttempt<'s>> {
    let condition = parts_of(flat, "if").into_iter().next();
    let wrapped = |attempt| match &condition {
        Some(condition) => nested_attempt(condition.clone(), Vec::new(), attempt),
        None => attempt,
    };
    attempts.into_iter().map(wrapped).collect()
}

/// The schemas of a keyword that has one or many.
fn parts_of<'s>(flat: &FlatSchema<'s>, key: &str) -> Vec<SchemaPart<'s>> {
    let mut found = Vec::new();
    for (fields, place) in &flat.parts {
        let own = SchemaPart { value: &ANY, place: place.clone() };
        match fields.get(key) {
            Some(Value::Array(branches)) => {
                let branches = branches.iter().enumerate();
                found.extend(
                    branches.map(|(index, branch)| own.part_below(&[key, &index.to_string()], branch)),
                );
            }
            Some(branch) => found.push(own.part_below(&[key], branch)),
            None => {}
        }
    }
    found
}

/// Attempts with something that no keyword refers to.
fn unknown_attempts<'s>() -> Vec<SchemaAttempt<'s>> {
    let field = |value: Value| SchemaAttempt::WithValue("unknownField".to_owned(), value);
    vec![
        field(json!("a")),
        field(json!(1)),
        SchemaAttempt::Items(1),
        SchemaAttempt::Items(2),
        SchemaAttempt::Items(3),
    ]
}
