//! Intersection of two shapes.

use std::rc::Rc;

use serde_json::{Number, Value};

use super::{
    ListConstraints, NumberBound, NumberConstraints, ObjectConstraints, SchemaShape, StringConstraints,
    ValueKinds,
};

/// The shape of what has both shapes. What describes is taken from the first.
pub(crate) fn intersect_shapes(mut one: SchemaShape, other: &SchemaShape) -> SchemaShape {
    one.kinds = one.kinds.and(other.kinds);
    one.values = intersect_values(one.values, other.values.as_ref());
    if let Some(values) = &mut one.values {
        let kinds = one.kinds;
        values.retain(|value| kinds.meets(ValueKinds::of(value)));
        one.kinds = kinds.and(ValueKinds::of_all(values));
    }
    one.numbers = intersect_numbers(one.numbers, &other.numbers);
    one.texts = intersect_texts(one.texts, &other.texts);
    one.list = intersect_lists(one.list, &other.list);
    one.object = intersect_objects(one.object, &other.object);
    one.groups.extend(other.groups.iter().cloned());
    one.nots.extend(other.nots.iter().cloned());
    one.title = one.title.or_else(|| other.title.clone());
    one.description = one.description.or_else(|| other.description.clone());
    one.default = one.default.or_else(|| other.default.clone());
    for (keyword, value) in &other.extensions {
        one.extensions.entry(keyword.clone()).or_insert_with(|| value.clone());
    }
    one.lost.extend(other.lost.iter().cloned());
    one.places.extend(other.places.iter().copied());
    one.is_hoisted = one.is_hoisted && other.is_hoisted;
    one
}

/// True if two values are one in JSON: `1` and `1.0` are.
pub(super) fn are_equal_values(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other).is_eq(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_equal_values(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| are_equal_values(one, other)))
        }
        _ => one == other,
    }
}

fn intersect_values(one: Option<Vec<Value>>, other: Option<&Vec<Value>>) -> Option<Vec<Value>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(
            one.into_iter()
                .filter(|value| other.iter().any(|found| are_equal_values(value, found)))
                .collect(),
        ),
        (one, other) => one.or_else(|| other.cloned()),
    }
}

/// The order of two numbers; whole ones are compared exactly.
pub(super) fn compare_numbers(one: &Number, other: &Number) -> std::cmp::Ordering {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().unwrap_or_default().total_cmp(&other.as_f64().unwrap_or_default()),
    }
}

fn intersect_numbers(one: NumberConstraints, other: &NumberConstraints) -> NumberConstraints {
    let mut factors = one.factors;
    for factor in &other.factors {
        if !factors.iter().any(|found| compare_numbers(found, factor).is_eq()) {
            factors.push(factor.clone());
        }
    }
    NumberConstraints {
        min: tighter_bound(one.min, other.min.as_ref(), std::cmp::Ordering::Greater),
        max: tighter_bound(one.max, other.max.as_ref(), std::cmp::Ordering::Less),
        factors,
        format: one.format.or_else(|| other.format.clone()),
    }
}

fn tighter_bound(
    one: Option<NumberBound>,
    other: Option<&NumberBound>,
    wins: std::cmp::Ordering,
) -> Option<NumberBound> {
    let (Some(first), Some(second)) = (&one, other) else { return one.or_else(|| other.cloned()) };
    let order = compare_numbers(&second.value, &first.value);
    let takes_second = order == wins || order.is_eq() && second.is_exclusive;
    if takes_second { other.cloned() } else { one }
}

fn intersect_texts(mut one: StringConstraints, other: &StringConstraints) -> StringConstraints {
    one.min = one.min.max(other.min);
    one.max = smaller_bound(one.max, other.max);
    add_all(&mut one.patterns, &other.patterns);
    add_all(&mut one.formats, &other.formats);
    one
}

fn add_all(list: &mut Vec<String>, more: &[String]) {
    for text in more {
        if !list.contains(text) {
            list.push(text.clone());
        }
    }
}

fn smaller_bound(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn intersect_optional(
    one: Option<Rc<SchemaShape>>,
    other: Option<&Rc<SchemaShape>>,
) -> Option<Rc<SchemaShape>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Rc::new(intersect_shapes(SchemaShape::clone(&one), other))),
        (one, other) => one.or_else(|| other.cloned()),
    }
}

fn intersect_lists(mut one: ListConstraints, other: &ListConstraints) -> ListConstraints {
    one.min = one.min.max(other.min);
    one.max = smaller_bound(one.max, other.max);
    one.items = intersect_optional(one.items, other.items.as_ref());
    one.is_unique |= other.is_unique;
    one.contains.extend(other.contains.iter().cloned());
    one
}

fn intersect_objects(mut one: ObjectConstraints, other: &ObjectConstraints) -> ObjectConstraints {
    one.min = one.min.max(other.min);
    one.max = smaller_bound(one.max, other.max);
    let mut fields = one.fields.clone();
    for (name, shape) in one.fields.iter().filter(|(name, _)| !other.fields.contains(name)) {
        // The `additionalProperties` of one side also apply to the fields that only the other side declares.
        if let Some(shape) = intersect_optional(Some(shape.clone()), other.additional.as_ref()) {
            fields.set(name.clone(), shape);
        }
    }
    for (name, shape) in other.fields.iter() {
        let mine = one.fields.get(name).or(one.additional.as_ref()).cloned();
        if let Some(shape) = intersect_optional(mine, Some(shape)) {
            fields.set(name.clone(), shape);
        }
    }
    one.fields = fields;
    add_all(&mut one.required, &other.required);
    one.additional = intersect_optional(one.additional, other.additional.as_ref());
    one.is_closed |= other.is_closed;
    one.is_unevaluated |= other.is_unevaluated;
    one.is_open |= other.is_open;
    one.patterns.extend(other.patterns.iter().cloned());
    one.names.extend(other.names.iter().cloned());
    one.dependents.extend(other.dependents.iter().cloned());
    one
}
