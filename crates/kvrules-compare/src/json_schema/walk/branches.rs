//! Schemas about the same value: alternatives, conditions, and what must not hold.

use serde_json::{Value, json};

use super::details::presence;
use super::{ANY, Told, Walk, also};
use crate::bound::Bound;
use crate::json_schema::build::Attempt;
use crate::json_schema::flat_schema::Flat;
use crate::json_schema::keywords::BRANCHES;
use crate::json_schema::source::Part;
use crate::json_schema::value_step::Down;

/// So many pairs of branches are held against each other to find those that only moved.
const MOST_PAIRS: usize = 40_000;

impl<'s> Walk<'s, '_> {
    /// Schemas about the same value: alternatives, conditions, what must not hold.
    pub(super) fn branches(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let differing: Vec<&'static str> =
            BRANCHES.into_iter().filter(|key| !self.is_same(old, new, key)).collect();
        if differing.is_empty() {
            return;
        }
        let mut bound = Bound::Equal;
        let (mut refused, mut accepted) = (vec![Attempt::Anything], vec![Attempt::Anything]);
        let mut more: Vec<Attempt<'s>> = Vec::new();
        for key in &differing {
            let presence = presence(old, new, if matches!(*key, "then" | "else") { "if" } else { key });
            let of = |flat: &Flat<'s>| parts_of(flat, key);
            let (before, after) = (of(old), of(new));
            let (inner, held) = match *key {
                "anyOf" | "oneOf" | "not" | "then" | "else" | "if" => self.pairs(key, &before, &after),
                _ => (Bound::Open, (unknown(), unknown())),
            };
            let held = if *key == "then" { (under(old, held.0), under(new, held.1)) } else { held };
            bound = bound.with(if presence == Bound::Open { inner } else { presence });
            let own = |parts: &[Part<'s>]| {
                parts.iter().map(|part| also(part.clone(), Vec::new(), Attempt::Anything)).collect::<Vec<_>>()
            };
            refused.extend(held.0);
            accepted.extend(held.1);
            more.extend(own(&before).into_iter().chain(own(&after)));
        }
        // What is neither of the branches, too.
        let kinds = [json!({}), json!([]), json!("a"), json!(1), json!(true), Value::Null];
        more.extend(kinds.into_iter().map(Attempt::Like));
        refused.extend(more.clone());
        accepted.extend(more);
        self.note((old, new), "branches", &differing, bound, (refused, accepted));
    }

    /// The branches of both sides that are not on the other.
    fn unmatched(&mut self, old: &[Part<'s>], new: &[Part<'s>]) -> (Vec<Part<'s>>, Vec<Part<'s>>) {
        let (mut gone, mut come): (Vec<Part<'s>>, Vec<Part<'s>>) = (old.to_vec(), Vec::new());
        // Of many branches only those are found again that stand where they stood.
        let is_large = old.len().saturating_mul(new.len()) > MOST_PAIRS;
        if is_large {
            let is_same: Vec<bool> = old
                .iter()
                .zip(new)
                .map(|(one, other)| self.same.all(one.value, other.value, self.is_apart))
                .collect();
            let left = |parts: &[Part<'s>]| {
                let known = is_same.iter().copied().chain(std::iter::repeat(false));
                parts.iter().zip(known).filter(|(_, known)| !known).map(|(part, _)| part.clone()).collect()
            };
            return (left(old), left(new));
        }
        for part in new {
            let known = gone.iter().position(|one| self.same.all(one.value, part.value, self.is_apart));
            match known {
                Some(at) => _ = gone.remove(at),
                None => come.push(part.clone()),
            }
        }
        (gone, come)
    }

    /// Compares branches: each branch that is absent on the other side with the next such branch of that side.
    fn pairs(
        &mut self,
        key: &str,
        old: &[Part<'s>],
        new: &[Part<'s>],
    ) -> (Bound, (Vec<Attempt<'s>>, Vec<Attempt<'s>>)) {
        let (gone, come) = self.unmatched(old, new);
        let mut bound = match gone.len().cmp(&come.len()) {
            std::cmp::Ordering::Equal => Bound::Equal,
            std::cmp::Ordering::Less => Bound::Looser,
            std::cmp::Ordering::Greater => Bound::Tighter,
        };
        let (mut refused, mut accepted) = (Vec::new(), Vec::new());
        for (one, other) in gone.iter().zip(&come) {
            let inner = self
                .inner(|walk| walk.node(std::slice::from_ref(one), std::slice::from_ref(other), Told::Value));
            bound = bound.with(inner.bound);
            let on = |part: &Part<'s>, all: Vec<(Vec<Down>, Attempt<'s>)>| {
                all.into_iter().map(|(downs, attempt)| also(part.clone(), downs, attempt)).collect::<Vec<_>>()
            };
            let any = Part { value: &ANY, place: Vec::new() };
            if key == "not" {
                // What one side allows more is what the other refuses more.
                refused.extend(on(&any, inner.accepted));
                accepted.extend(on(&any, inner.refused));
            } else {
                refused.extend(on(one, inner.refused));
                accepted.extend(on(other, inner.accepted));
            }
        }
        let bound = match key {
            "anyOf" | "then" | "else" => bound,
            "not" if old.len() == 1 && new.len() == 1 => bound.flipped(),
            _ => Bound::Open,
        };
        (bound, (refused, accepted))
    }
}

/// Attempts on values for which the condition holds.
fn under<'s>(flat: &Flat<'s>, attempts: Vec<Attempt<'s>>) -> Vec<Attempt<'s>> {
    let condition = parts_of(flat, "if").into_iter().next();
    let wrapped = |attempt| match &condition {
        Some(condition) => also(condition.clone(), Vec::new(), attempt),
        None => attempt,
    };
    attempts.into_iter().map(wrapped).collect()
}

/// The schemas of a keyword that has one or many.
fn parts_of<'s>(flat: &Flat<'s>, key: &str) -> Vec<Part<'s>> {
    let mut found = Vec::new();
    for (fields, place) in &flat.parts {
        let own = Part { value: &ANY, place: place.clone() };
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

/// Attempts with something that no keyword speaks of.
fn unknown<'s>() -> Vec<Attempt<'s>> {
    let field = |value: Value| Attempt::WithValue("unknownField".to_owned(), value);
    vec![field(json!("a")), field(json!(1)), Attempt::Items(1), Attempt::Items(2), Attempt::Items(3)]
}
