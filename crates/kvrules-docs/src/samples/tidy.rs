//! Values with everything left out that their verdict does not need, and the rest as a person would write it.

use kvrules_generate::{PlaceStep, ValueStep, find_part, parts_of, schema_at_place, with_part, without_part};
use serde_json::Value as Json;

use super::usual::other_values;
use super::value::scalar_values;

/// Number of times that a change is tried on one value.
pub(super) const TIDYING: usize = 160;

/// Number of values that are tried at one place.
const VALUES: usize = 6;

/// Simplifies a value of a field of a name as long as `keeps` is true, in so many tries.
pub(super) fn tidy_value(
    value: Json,
    name: &str,
    schema: &Json,
    tries: usize,
    keeps: &mut dyn FnMut(&Json) -> bool,
) -> Json {
    let mut tidy = Tidy { value, tries, keeps };
    tidy.drop_parts(&mut Vec::new());
    tidy.write_usual(name, schema, &mut Vec::new());
    tidy.value
}

/// Simplifies what an object has beyond another, from which it was made, as long as `keeps` is true. What identifies it stays.
pub(crate) fn tidy_added_parts(
    object: Json,
    made_from: &Json,
    schema: &Json,
    keeps: &dyn Fn(&Json) -> bool,
) -> Json {
    let is_same = |object: &Json, path: &str| object.pointer(path) == made_from.pointer(path);
    let has_identity =
        |object: &Json| ["/apiVersion", "/kind", "/metadata/name"].iter().all(|path| is_same(object, path));
    let tidied = tidy_value(object, "", schema, TIDYING, &mut |object| {
        has_identity(object) && has_parts_of(object, made_from) && keeps(object)
    });
    in_usual_order(&tidied)
}

/// True if a value has a part wherever the other has one.
fn has_parts_of(value: &Json, other: &Json) -> bool {
    match (value, other) {
        (Json::Object(value), Json::Object(other)) => {
            other.iter().all(|(name, other)| value.get(name).is_some_and(|value| has_parts_of(value, other)))
        }
        (Json::Array(value), Json::Array(other)) => {
            value.len() == other.len()
                && value.iter().zip(other).all(|(value, other)| has_parts_of(value, other))
        }
        (value, other) => std::mem::discriminant(value) == std::mem::discriminant(other),
    }
}

struct Tidy<'k> {
    value: Json,
    tries: usize,
    keeps: &'k mut dyn FnMut(&Json) -> bool,
}

/// Returns values next to this one: other scalars, and fewer parts, inner ones first.
pub(super) fn neighbours(value: &Json) -> Vec<Json> {
    let mut ways = Vec::new();
    collect_ways(value, &mut Vec::new(), &mut ways);
    let scalars = ways.iter().rev().filter_map(|way| match find_part(value, way)? {
        Json::Number(number) => {
            let number = number.as_i64()?;
            Some([number - 1, number + 1].map(|number| with_part(value, way, number.into())))
        }
        Json::Bool(truth) => Some([with_part(value, way, (!truth).into()), None]),
        Json::String(_) => Some(["example", "other"].map(|text| with_part(value, way, text.into()))),
        _ => None,
    });
    let dropped = ways.iter().rev().map(|way| without_part(value, way));
    scalars.flatten().chain(dropped).flatten().filter(|near| !is_empty(near)).take(NEIGHBOURS).collect()
}

/// Number of values next to one that are tried.
const NEIGHBOURS: usize = 60;

fn collect_ways(value: &Json, way: &mut Vec<ValueStep>, ways: &mut Vec<Vec<ValueStep>>) {
    if !way.is_empty() || parts_of(Some(value)).is_empty() {
        ways.push(way.clone());
    }
    for step in parts_of(Some(value)) {
        let part = find_part(value, std::slice::from_ref(&step)).cloned();
        way.push(step);
        if let Some(part) = part {
            collect_ways(&part, way, ways);
        }
        way.pop();
    }
}

/// True for a container without contents. Servers drop most fields that are null.
pub(super) fn is_empty(value: &Json) -> bool {
    match value {
        Json::Object(fields) => fields.values().all(Json::is_null),
        Json::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn replaced_everywhere(value: &Json, old: &Json, new: &Json) -> Json {
    match value {
        value if value == old => new.clone(),
        Json::Array(items) => items.iter().map(|item| replaced_everywhere(item, old, new)).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), replaced_everywhere(value, old, new))).collect()
        }
        other => other.clone(),
    }
}

/// Names that people write first, in their order.
const FIRST: [&str; 5] = ["apiVersion", "kind", "metadata", "name", "type"];

/// Returns a value with the fields that people write first in front.
pub(super) fn in_usual_order(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(in_usual_order).collect(),
        Json::Object(fields) => {
            let position = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
            let mut sorted: Vec<(&String, &Json)> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| position(name));
            sorted.into_iter().map(|(name, value)| (name.clone(), in_usual_order(value))).collect()
        }
        other => other.clone(),
    }
}

impl Tidy<'_> {
    fn try_value(&mut self, changed: Json) -> bool {
        let is_emptied = is_empty(&changed) && !is_empty(&self.value);
        if self.tries == 0 || changed == self.value || is_emptied {
            return false;
        }
        self.tries -= 1;
        let keeps = (self.keeps)(&changed);
        if keeps {
            self.value = changed;
        }
        keeps
    }

    /// Takes away fields and items, outer ones first.
    fn drop_parts(&mut self, way: &mut Vec<ValueStep>) {
        let parts = parts_of(find_part(&self.value, way));
        for step in parts.into_iter().rev() {
            way.push(step);
            let is_dropped = without_part(&self.value, way).is_some_and(|changed| self.try_value(changed));
            if !is_dropped {
                self.drop_parts(way);
            }
            way.pop();
        }
    }

    /// Replaces scalars by usual ones.
    fn write_usual(&mut self, name: &str, schema: &Json, way: &mut Vec<ValueStep>) {
        let Some(part) = find_part(&self.value, way).cloned() else { return };
        let parts = parts_of(Some(&part));
        if parts.is_empty() && !part.is_object() && !part.is_array() {
            self.write_scalar(name, schema, way, &part);
        }
        for step in parts {
            let (name, place) = match &step {
                ValueStep::Name(name) if schema.get("properties").and_then(|it| it.get(name)).is_some() => {
                    (name.clone(), PlaceStep::Field(name.clone()))
                }
                ValueStep::Name(name) => (name.clone(), PlaceStep::Any),
                ValueStep::Index(_) => (name.to_owned(), PlaceStep::Any),
            };
            let below = schema_at_place(schema, &[place]).unwrap_or(&Json::Null);
            way.push(step);
            self.write_usual(&name, below, way);
            way.pop();
        }
    }

    fn write_scalar(&mut self, name: &str, schema: &Json, way: &[ValueStep], old: &Json) {
        let usual = scalar_values(name, schema);
        if usual.first() == Some(old) {
            return;
        }
        let same_sort = |value: &Json| std::mem::discriminant(value) == std::mem::discriminant(old);
        let others = other_values().filter(same_sort);
        for value in usual.into_iter().take(VALUES).chain(others) {
            // Those that follow are less usual.
            if value == *old {
                return;
            }
            // Values that are compared with each other have to stay equal.
            let together = replaced_everywhere(&self.value, old, &value);
            let changed = with_part(&self.value, way, value);
            let other = changed.filter(|changed| *changed != together);
            if self.try_value(together) || other.is_some_and(|changed| self.try_value(changed)) {
                return;
            }
        }
    }
}
