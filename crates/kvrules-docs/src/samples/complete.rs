//! Items of lists with the fields that every such item has, and objects that are not empty: `- name: example` in place of `- {}`.

use std::collections::HashSet;

use kvrules_kubernetes::types::{Minor, find_kind, resolve_schema};
use serde_json::{Map, Value as Json};

use super::tidy::in_usual_order;
use super::value::{Fill, ValueWriter, scalar_values};

/// A kind of objects that Kubernetes itself serves: group, version, kind.
pub(crate) type KindName<'a> = (&'a str, &'a str, &'a str);

/// Number of times that the names of required fields are collected: each time one level deeper.
const DEPTH: usize = 6;

/// Adds what the types of a kind require to items of lists and to empty objects, as long as `keeps` is true.
pub(crate) fn complete_items(object: Json, kind: KindName<'_>, keeps: &dyn Fn(&Json) -> bool) -> Json {
    let Some(schema) = schema_for(&object, kind) else { return object };
    // Items have different names, unless the rule is about equal ones, and usual numbers, unless it is about small ones.
    let writers = [(true, None), (false, None), (true, Some(1))];
    let ways = writers.map(|(is_spread, number)| ItemWriter { is_spread, number }.complete(&object, &schema));
    let changed = ways.into_iter().map(|way| in_usual_order(&way));
    changed.into_iter().find(|way| *way == object || keeps(way)).unwrap_or(object)
}

/// The schema of a kind with the fields that an object has and those that they require.
fn schema_for(object: &Json, (group, version, kind): KindName<'_>) -> Option<Json> {
    let resource = find_kind(Minor::NEWEST, group, version, kind)?;
    let mut names = HashSet::new();
    collect_names(object, &mut names);
    let mut schema = Json::Null;
    for _ in 0..DEPTH {
        schema = resolve_schema(Minor::NEWEST, resource, &|name| names.contains(name))?;
        let count = names.len();
        collect_required(object, &schema, false, &mut names);
        if names.len() == count {
            break;
        }
    }
    Some(schema)
}

fn collect_names(object: &Json, names: &mut HashSet<String>) {
    match object {
        Json::Object(fields) => {
            for (name, value) in fields {
                names.insert(name.clone());
                collect_names(value, names);
            }
        }
        Json::Array(items) => {
            for item in items {
                collect_names(item, names);
            }
        }
        _ => {}
    }
}

/// Collects the names of the fields that are added.
fn collect_required(object: &Json, schema: &Json, is_item: bool, names: &mut HashSet<String>) {
    match object {
        Json::Object(fields) => {
            if is_item || fields.is_empty() {
                collect_required_below(schema, names);
            }
            for (name, value) in fields {
                collect_required(value, schema_below(schema, name), false, names);
            }
        }
        Json::Array(items) => {
            let below = schema.get("items").unwrap_or(&Json::Null);
            for item in items {
                collect_required(item, below, true, names);
            }
        }
        _ => {}
    }
}

fn collect_required_below(schema: &Json, names: &mut HashSet<String>) {
    for name in required_names(schema) {
        names.insert(name.to_owned());
        collect_required_below(schema_below(schema, name), names);
    }
}

fn required_names(schema: &Json) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
}

fn schema_below<'s>(schema: &'s Json, name: &str) -> &'s Json {
    let field = schema.get("properties").and_then(|properties| properties.get(name));
    field.or_else(|| schema.get("additionalProperties")).unwrap_or(&Json::Null)
}

/// Writes what is missing.
struct ItemWriter {
    /// True if items of a list get different values, as their names must be.
    is_spread: bool,
    /// The number that fields for integers get in place of a usual one.
    number: Option<i64>,
}

impl ItemWriter {
    fn complete(&self, object: &Json, schema: &Json) -> Json {
        match object {
            Json::Object(fields) if fields.is_empty() => self.with_required(Map::new(), schema, &[]),
            Json::Object(fields) => Json::Object(self.complete_fields(fields, schema)),
            Json::Array(items) => self.complete_list(items, schema.get("items").unwrap_or(&Json::Null)),
            other => other.clone(),
        }
    }

    fn complete_fields(&self, fields: &Map<String, Json>, schema: &Json) -> Map<String, Json> {
        let below = |(name, value): (&String, &Json)| {
            (name.clone(), self.complete(value, schema_below(schema, name)))
        };
        fields.iter().map(below).collect()
    }

    fn complete_list(&self, items: &[Json], schema: &Json) -> Json {
        let mut completed = items.to_vec();
        for index in 0..items.len() {
            let Some(Json::Object(fields)) = items.get(index) else { continue };
            let item = self.with_required(self.complete_fields(fields, schema), schema, &completed);
            if let Some(place) = completed.get_mut(index) {
                *place = item;
            }
        }
        Json::Array(completed)
    }

    /// An item with the fields that its schema requires, whose values the other items do not have.
    fn with_required(&self, mut fields: Map<String, Json>, schema: &Json, others: &[Json]) -> Json {
        for name in required_names(schema) {
            let below = schema_below(schema, name);
            let taken: Vec<&Json> = others.iter().filter_map(|other| other.get(name)).collect();
            fields.entry(name).or_insert_with(|| self.write_field(name, below, &taken));
        }
        Json::Object(fields)
    }

    fn write_field(&self, name: &str, schema: &Json, taken: &[&Json]) -> Json {
        let mut schema = schema.clone();
        // Defaults of required fields are those of Go's types: an empty text, or 0.
        schema.as_object_mut().and_then(|keywords| keywords.shift_remove("default"));
        let is_integer = schema.get("type").and_then(Json::as_str) == Some("integer");
        if let Some(number) = self.number.filter(|_| is_integer) {
            return number.into();
        }
        let mut values = scalar_values(name, &schema).into_iter().filter(|_| self.is_spread);
        let free = values.find(|value| !taken.contains(&value));
        free.unwrap_or_else(|| ValueWriter { fill: Fill::Required, budget: 0 }.write_value(name, &schema, 0))
    }
}
