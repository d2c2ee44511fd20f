//! Taking out of an object what does not matter.

use serde_json::Value;

use super::keyword::{is_meta, keyword_texts};
use super::place::ObjectStep;

/// Number of smaller objects that are examined, at most.
const MOST: usize = 200;

/// The object without all parts that can be removed while it still shows the difference. Parts that are needed by what is known of
/// their place are not tried. Stops silently when the steps are used up.
pub(crate) fn shrink_object(
    mut object: Value,
    is_needed: &dyn Fn(&[ObjectStep]) -> bool,
    shows: &dyn Fn(&Value) -> Option<bool>,
) -> Value {
    let (mut number, mut all) = (0, object_places(&object));
    for _ in 0..MOST {
        while all.get(number).is_some_and(|place| is_needed(place)) {
            number += 1;
        }
        let Some(place) = all.get(number) else { break };
        let mut smaller = object.clone();
        remove_place(&mut smaller, place);
        match shows(&smaller) {
            None => break,
            Some(false) => number += 1,
            Some(true) => {
                // `number` stays, because the next location has moved to it.
                object = smaller;
                all = object_places(&object);
            }
        }
    }
    object
}

/// True if a schema requires the field at a place, so that no object without it is valid.
pub(super) fn is_required(schema: &Value, place: &[ObjectStep]) -> bool {
    let Some((ObjectStep::Field(name), way)) = place.split_last() else { return false };
    let node = way.iter().try_fold(schema, |node, step| match step {
        ObjectStep::Field(name) => node.get("properties").and_then(|fields| fields.get(name)),
        ObjectStep::Item(_) => node.get("items"),
    });
    let Some(node) = node else { return false };
    let has_default = || node.get("properties").and_then(|fields| fields.get(name)?.get("default")).is_some();
    keyword_texts(node, "required").contains(&name.as_str()) && !has_default()
}

/// The places of all fields and elements, the outer ones first.
fn object_places(object: &Value) -> Vec<Vec<ObjectStep>> {
    let mut places: Vec<Vec<ObjectStep>> = vec![Vec::new()];
    let mut next = 0;
    while let Some(place) = places.get(next).cloned() {
        next += 1;
        let steps: Vec<ObjectStep> = match place.iter().try_fold(object, value_at_step) {
            Some(Value::Object(fields)) => fields.keys().cloned().map(ObjectStep::Field).collect(),
            Some(Value::Array(items)) => (0..items.len()).map(ObjectStep::Item).collect(),
            _ => Vec::new(),
        };
        places.extend(steps.into_iter().map(|step| [place.as_slice(), &[step]].concat()));
    }
    places.remove(0);
    places.retain(|place| !is_identity(place));
    places
}

/// True for the fields that every object has: its kind, its metadata and its name.
fn is_identity(place: &[ObjectStep]) -> bool {
    match place {
        [ObjectStep::Field(name)] => is_meta(name),
        [ObjectStep::Field(metadata), ObjectStep::Field(name)] => metadata == "metadata" && name == "name",
        _ => false,
    }
}

fn value_at_step<'v>(value: &'v Value, step: &ObjectStep) -> Option<&'v Value> {
    match step {
        ObjectStep::Field(name) => value.get(name),
        ObjectStep::Item(index) => value.get(index),
    }
}

fn remove_place(object: &mut Value, place: &[ObjectStep]) {
    let Some((last, way)) = place.split_last() else { return };
    let found = way.iter().try_fold(object, |value, step| match step {
        ObjectStep::Field(name) => value.get_mut(name),
        ObjectStep::Item(index) => value.get_mut(index),
    });
    match (found, last) {
        (Some(Value::Object(fields)), ObjectStep::Field(name)) => _ = fields.shift_remove(name),
        (Some(Value::Array(items)), ObjectStep::Item(index)) if *index < items.len() => {
            _ = items.remove(*index);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let metadata = json!({"name": "n", "labels": {"a": ""}});
        let object = json!({"kind": "A", "metadata": metadata, "a": {"b": 1, "c": [1, 2, 3]}, "d": {"e": 1}});
        let shows = |object: &Value| {
            Some(object.pointer("/a/c").and_then(Value::as_array).is_some_and(|all| all.contains(&json!(2))))
        };
        assert_eq!(
            shrink_object(object, &|_| false, &shows),
            json!({"kind": "A", "metadata": {"name": "n"}, "a": {"c": [2]}})
        );
    }
}
