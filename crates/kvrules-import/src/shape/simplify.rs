//! Alternatives that can be expressed without `anyOf`.

use std::rc::Rc;

use serde_json::Value;

use super::intersect::are_equal_values;
use super::{SchemaShape, ShapeGroup, ValueKinds, intersect_shapes};

/// Merges into a shape what its alternatives and negations require of kinds and of listed values, as far as the
/// result is equivalent.
pub(crate) fn simplify_shape(shape: &mut SchemaShape) {
    // A group that is merged in may bring groups of its own, which are then merged as well.
    let mut waiting = std::mem::take(&mut shape.groups);
    let mut kept = Vec::new();
    waiting.reverse();
    while let Some(group) = waiting.pop() {
        kept.extend(merge_group(shape, &group));
        let brought = std::mem::take(&mut shape.groups);
        waiting.extend(brought.into_iter().rev());
    }
    shape.groups = kept;
    let nots = std::mem::take(&mut shape.nots);
    shape.nots = nots.into_iter().filter(|not| !merge_negation(shape, not)).collect();
}

/// Merges one negation into the kinds of a shape. True if that expresses all of it.
fn merge_negation(shape: &mut SchemaShape, not: &SchemaShape) -> bool {
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
fn merge_group(shape: &mut SchemaShape, group: &ShapeGroup) -> Option<ShapeGroup> {
    let branches: Vec<Rc<SchemaShape>> =
        group.branches.iter().filter(|branch| branch.kinds.meets(shape.kinds)).cloned().collect();
    let is_trivial = |branch: &SchemaShape| {
        branch.kinds.covers(shape.kinds) && branch.is_plain() && branch.lost.is_empty()
    };
    match branches.as_slice() {
        [] => {
            shape.kinds = ValueKinds::NONE;
            return None;
        }
        [only] => {
            *shape = intersect_shapes(shape.clone(), only);
            return None;
        }
        _ if !group.is_one && branches.iter().any(|branch| is_trivial(branch)) => return None,
        _ => {}
    }
    if let Some(values) = listed_values(&branches, group.is_one) {
        let mut all = SchemaShape::of(ValueKinds::of_all(&values), group.at);
        all.values = Some(values);
        *shape = intersect_shapes(shape.clone(), &all);
        return None;
    }
    if let Some(united) = unite_branches(&branches, shape.kinds, group) {
        *shape = intersect_shapes(shape.clone(), &united);
        return None;
    }
    let kinds = branches.iter().fold(ValueKinds::NONE, |kinds, branch| kinds.or(branch.kinds));
    shape.kinds = shape.kinds.and(kinds);
    Some(ShapeGroup { branches, is_one: group.is_one, at: group.at })
}

/// The values of branches that only list them.
fn listed_values(branches: &[Rc<SchemaShape>], is_one: bool) -> Option<Vec<Value>> {
    let says_more = |branch: &SchemaShape| {
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
        let holders =
            lists.iter().filter(|list| list.iter().any(|found| are_equal_values(found, value))).count();
        let is_new = !values.iter().any(|found| are_equal_values(found, value));
        if is_new && (!is_one || holders == 1) {
            values.push(value.clone());
        }
    }
    Some(values)
}

/// Branches about different kinds of values, side by side in one shape.
fn unite_branches(
    branches: &[Rc<SchemaShape>],
    kinds: ValueKinds,
    group: &ShapeGroup,
) -> Option<SchemaShape> {
    let mut seen = ValueKinds::NONE;
    let mut has_half = false;
    let mut values: Option<Vec<Value>> = None;
    let lists_values = branches.iter().any(|branch| branch.values.is_some());
    let mut parts = Vec::new();
    for branch in branches {
        let mut part = SchemaShape::clone(branch);
        part.restrict(kinds);
        if seen.meets(part.kinds) || !part.groups.is_empty() || !part.nots.is_empty() {
            return None;
        }
        has_half |= part.kinds.meets(ValueKinds::NUMBER)
            && !part.kinds.covers(ValueKinds::NUMBER)
            && part.about().meets(ValueKinds::NUMBER);
        seen = seen.or(part.kinds);
        if lists_values {
            values.get_or_insert_default().extend(all_values(&part)?);
        }
        part.values = None;
        parts.push(part);
    }
    // Integers and fractions share their bounds, so these alternatives cannot be merged.
    if has_half && seen.covers(ValueKinds::NUMBER) {
        return None;
    }
    let mut all = SchemaShape::any(group.at);
    for mut part in parts {
        part.restrict(part.kinds);
        part.kinds = ValueKinds::ALL;
        all = intersect_shapes(all, &part);
    }
    all.kinds = seen;
    all.values = values;
    Some(all)
}

/// The values of a shape that has few.
fn all_values(shape: &SchemaShape) -> Option<Vec<Value>> {
    if let Some(values) = &shape.values {
        return Some(values.clone());
    }
    match shape.kinds {
        ValueKinds::NULL => Some(vec![Value::Null]),
        ValueKinds::BOOLEAN => Some(vec![Value::Bool(false), Value::Bool(true)]),
        _ => None,
    }
}
