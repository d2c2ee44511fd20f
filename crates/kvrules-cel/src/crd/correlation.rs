//! Which old value a value came from, and whether it is the same.

use serde_json::Value as Json;

/// What is known of the old value of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correlation<'a> {
    /// The value that `oldSelf` names; none below lists without keys.
    pub old: Option<&'a Json>,
    /// Whether a failure is excused: the nearest value that has an old one is unchanged.
    pub unchanged: bool,
}

impl<'a> Correlation<'a> {
    /// Of the root.
    pub(crate) fn root(new: &Json, old: Option<&'a Json>, schema: &Json) -> Self {
        let unchanged = old.is_some_and(|old| equal(new, old, schema));
        Self { old, unchanged }
    }

    /// Of the value of a field or of a key.
    pub(crate) fn field(self, name: &str, new: &Json, schema: &Json) -> Self {
        self.child(self.old.and_then(|old| old.get(name)), new, schema)
    }

    /// Of an element of a list.
    pub(crate) fn element(self, new: &Json, list: &Json, schema: &Json) -> Self {
        let Some(keys) = map_keys(list) else { return Self { old: None, ..self } };
        let olds = self.old.and_then(Json::as_array);
        let old = olds.and_then(|olds| olds.iter().find(|old| same_key(new, old, &keys, schema)));
        self.child(old, new, schema)
    }

    /// Without a value to compare with, the nearest above decides.
    fn child(self, old: Option<&'a Json>, new: &Json, schema: &Json) -> Self {
        match old {
            Some(old) => Self { old: Some(old), unchanged: self.unchanged || equal(new, old, schema) },
            None => Self { old: None, ..self },
        }
    }
}

/// The keys of a map list.
fn map_keys(list: &Json) -> Option<Vec<&str>> {
    let is_map = list.get("x-kubernetes-list-type").and_then(Json::as_str) == Some("map");
    let keys = list.get("x-kubernetes-list-map-keys").and_then(Json::as_array)?;
    is_map.then(|| keys.iter().filter_map(Json::as_str).collect())
}

/// A key that is left out counts as its default.
fn same_key(left: &Json, right: &Json, keys: &[&str], schema: &Json) -> bool {
    let value = |item: &'_ Json, key: &str| {
        let default = || schema.get("properties")?.get(key)?.get("default").cloned();
        item.get(key).cloned().or_else(default)
    };
    keys.iter().all(|key| value(left, key) == value(right, key))
}

/// Equality as the list types of a schema have it.
fn equal(left: &Json, right: &Json, schema: &Json) -> bool {
    match (left, right) {
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && lists_equal(left, right, schema)
        }
        (Json::Object(left), Json::Object(right)) => {
            let child = |name: &str| {
                let property = schema.get("properties").and_then(|it| it.get(name));
                property.or_else(|| schema.get("additionalProperties")).unwrap_or(&Json::Null)
            };
            left.len() == right.len()
                && left.iter().all(|(name, value)| {
                    right.get(name).is_some_and(|other| equal(value, other, child(name)))
                })
        }
        _ => left == right,
    }
}

fn lists_equal(left: &[Json], right: &[Json], schema: &Json) -> bool {
    let items = schema.get("items").unwrap_or(&Json::Null);
    let anywhere = |item: &Json| right.iter().any(|other| equal(item, other, items));
    match schema.get("x-kubernetes-list-type").and_then(Json::as_str) {
        // The elements of a set are not told apart, so that it counts as a whole and in its order.
        Some("map") => left.iter().all(anywhere),
        _ => left.iter().zip(right).all(|(left, right)| equal(left, right, items)),
    }
}
