//! Alternatives that can be expressed without `anyOf`.

use std::rc::Rc;

use serde_json::Value;

use super::intersect::same;
use super::{Group, Kinds, Shape, intersect};

/// Merges into a shape what its alternatives and negations say of kinds and of listed values, as far as that says
/// the same.
pub(crate) fn simplify(shape: &mut Shape) {
    // What is merged in may bring alternatives of its own.
    let mut waiting = std::mem::take(&mut shape.groups);
    let mut kept = Vec::new();
    waiting.reverse();
    while let Some(group) = waiting.pop() {
        kept.extend(merge(shape, &group));
        let brought = std::mem::take(&mut shape.groups);
        waiting.extend(brought.into_iter().rev());
    }
    shape.groups = kept;
    let nots = std::mem::take(&mut shape.nots);
    shape.nots = nots.into_iter().filter(|not| !negate(shape, not)).collect();
}

/// Takes one negation into the kinds of a shape; whether that says all of it.
fn negate(shape: &mut Shape, not: &Shape) -> bool {
    if !not.kinds.meets(shape.kinds) {
        return true;
    }
    let is_plain = not.is_plain() && not.lost.is_empty();
    if is_plain {
        shape.kinds = shape.kinds.minus(not.kinds);
    }
    is_plain
}

/// Merges one group of alternatives; gives it back where that cannot be done.
fn merge(shape: &mut Shape, group: &Group) -> Option<Group> {
    let branches: Vec<Rc<Shape>> =
        group.branches.iter().filter(|branch| branch.kinds.meets(shape.kinds)).cloned().collect();
    let is_trivial =
        |branch: &Shape| branch.kinds.covers(shape.kinds) && branch.is_plain() && branch.lost.is_empty();
    match branches.as_slice() {
        [] => {
            shape.kinds = Kinds::NONE;
            return None;
        }
        [only] => {
            *shape = intersect(shape.clone(), only);
            return None;
        }
        _ if !group.is_one && branches.iter().any(|branch| is_trivial(branch)) => return None,
        _ => {}
    }
    if let Some(values) = listed(&branches, group.is_one) {
        let mut all = Shape::of(Kinds::of_all(&values), group.at);
        all.values = Some(values);
        *shape = intersect(shape.clone(), &all);
        return None;
    }
    if let Some(united) = united(&branches, shape.kinds, group) {
        *shape = intersect(shape.clone(), &united);
        return None;
    }
    let kinds = branches.iter().fold(Kinds::NONE, |kinds, branch| kinds.or(branch.kinds));
    shape.kinds = shape.kinds.and(kinds);
    Some(Group { branches, is_one: group.is_one, at: group.at })
}

/// The values of branches that only list them.
fn listed(branches: &[Rc<Shape>], is_one: bool) -> Option<Vec<Value>> {
    let says_more = |branch: &Shape| {
        !branch.groups.is_empty()
            || !branch.nots.is_empty()
            || !branch.lost.is_empty()
            || branch.about().meets(branch.kinds)
    };
    if branches.iter().any(|branch| says_more(branch)) {
        return None;
    }
    let lists: Option<Vec<&Vec<Value>>> = branches.iter().map(|branch| branch.values.as_ref()).collect();
    let lists = lists?;
    let mut values: Vec<Value> = Vec::new();
    for value in lists.iter().copied().flatten() {
        let holders = lists.iter().filter(|list| list.iter().any(|found| same(found, value))).count();
        let is_new = !values.iter().any(|found| same(found, value));
        if is_new && (!is_one || holders == 1) {
            values.push(value.clone());
        }
    }
    Some(values)
}

/// Branches about different kinds of values, side by side in one shape.
fn united(branches: &[Rc<Shape>], kinds: Kinds, group: &Group) -> Option<Shape> {
    let mut seen = Kinds::NONE;
    let mut has_half = false;
    let mut values: Option<Vec<Value>> = None;
    let lists_values = branches.iter().any(|branch| branch.values.is_some());
    let mut parts = Vec::new();
    for branch in branches {
        let mut part = Shape::clone(branch);
        part.restrict(kinds);
        if seen.meets(part.kinds) || !part.groups.is_empty() || !part.nots.is_empty() {
            return None;
        }
        has_half |= part.kinds.meets(Kinds::NUMBER)
            && !part.kinds.covers(Kinds::NUMBER)
            && part.about().meets(Kinds::NUMBER);
        seen = seen.or(part.kinds);
        if lists_values {
            values.get_or_insert_default().extend(all_values(&part)?);
        }
        part.values = None;
        parts.push(part);
    }
    // Both kinds of numbers have their bounds in one place.
    if has_half && seen.covers(Kinds::NUMBER) {
        return None;
    }
    let mut all = Shape::any(group.at);
    for mut part in parts {
        part.restrict(part.kinds);
        part.kinds = Kinds::ALL;
        all = intersect(all, &part);
    }
    all.kinds = seen;
    all.values = values;
    Some(all)
}

/// The values of a shape that has few.
fn all_values(shape: &Shape) -> Option<Vec<Value>> {
    if let Some(values) = &shape.values {
        return Some(values.clone());
    }
    match shape.kinds {
        Kinds::NULL => Some(vec![Value::Null]),
        Kinds::BOOLEAN => Some(vec![Value::Bool(false), Value::Bool(true)]),
        _ => None,
    }
}
