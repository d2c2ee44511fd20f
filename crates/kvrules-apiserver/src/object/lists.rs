//! Lists of type `set` and `map`: nothing may be there twice.

use std::collections::HashMap;
use std::fmt::Write as _;

use kvrules_cel::go_text;
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE};
use serde_json::Value as Json;

use super::{field_schema, push_child, text_keyword};
use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::node::value_of;

/// The elements of lists that are there twice.
// apiextensions schema/listtype/validation.go, ValidateListSetsAndMaps
pub(super) fn duplicate_elements(object: &Json, schema: &Json) -> Vec<Failure> {
    let mut errors = Vec::new();
    // Paths are rendered for errors, which most objects do not have.
    if may_have_duplicates(object, schema) {
        check_lists(object, schema, &mut String::new(), &mut errors);
    }
    errors
}

/// False if no list has an element twice: of a list that `check_lists` examines, all elements are known to be different.
fn may_have_duplicates(value: &Json, schema: &Json) -> bool {
    match value {
        Json::Object(fields) => fields.iter().filter(|(_, value)| has_parts(value)).any(|(name, value)| {
            field_schema(schema, name).is_some_and(|child| may_have_duplicates(value, child))
        }),
        Json::Array(items) => {
            let are_different = match text_keyword(schema, LIST_TYPE) {
                "set" => are_different_texts(items.iter().map(Json::as_str)),
                "map" => {
                    let keys = list_keys(schema);
                    are_different_texts(items.iter().map(|item| key_texts(item, &keys)))
                }
                _ => true,
            };
            let child = value_of(schema, "items");
            !are_different
                || child.is_some_and(|child| items.iter().any(|item| may_have_duplicates(item, child)))
        }
        _ => false,
    }
}

/// The names of the fields that distinguish the items of a list of type `map`.
fn list_keys(schema: &Json) -> Vec<&str> {
    let keys = value_of(schema, LIST_MAP_KEYS).and_then(Json::as_array);
    keys.into_iter().flatten().filter_map(Json::as_str).collect()
}

fn check_lists(value: &Json, schema: &Json, path: &mut String, errors: &mut Vec<Failure>) {
    let before = path.len();
    match value {
        Json::Object(fields) => {
            for (name, value) in fields.iter().filter(|(_, value)| has_parts(value)) {
                if let Some(child) = field_schema(schema, name) {
                    push_child(path, name, schema);
                    check_lists(value, child, path, errors);
                    path.truncate(before);
                }
            }
        }
        Json::Array(items) => {
            match text_keyword(schema, LIST_TYPE) {
                "set" if items.len() > 1 => add_duplicates(items.iter().cloned(), path, errors),
                "map" => check_map_list(items, schema, path, errors),
                _ => {}
            }
            let Some(child) = value_of(schema, "items") else { return };
            for (index, item) in items.iter().enumerate().filter(|(_, item)| has_parts(item)) {
                let _ = write!(path, "[{index}]");
                check_lists(item, child, path, errors);
                path.truncate(before);
            }
        }
        _ => {}
    }
}

fn has_parts(value: &Json) -> bool {
    value.is_object() || value.is_array()
}

// schema/listtype/validation.go, validateListMap: null is an element without keys, anything else but objects is an error
// that hides duplicates.
fn check_map_list(items: &[Json], schema: &Json, path: &str, errors: &mut Vec<Failure>) {
    if let Some(index) = items.iter().position(|item| !item.is_null() && !item.is_object()) {
        let value = items.get(index).map(go_text::format_json_value).unwrap_or_default();
        let detail = "must be an object for an array of list-type map";
        errors
            .push(Failure { value, ..Failure::new(&format!("{path}[{index}]"), ErrorType::Invalid, detail) });
        return;
    }
    if items.len() < 2 {
        return;
    }
    let keys = list_keys(schema);
    let key_of = |item: &Json| {
        // An absent key and a null are different values.
        let value = |key: &&str| Some(((*key).to_owned(), item.get(*key)?.clone()));
        Json::Object(keys.iter().filter_map(value).collect())
    };
    add_duplicates(items.iter().map(key_of), path, errors);
}

/// The texts under the keys of an item that it has; `None` if one is anything else, or the item is not an object.
fn key_texts<'v>(item: &'v Json, keys: &[&str]) -> Option<Vec<Option<&'v str>>> {
    if !item.is_object() {
        return None;
    }
    let text = |key: &&str| match value_of(item, key) {
        Some(value) => value.as_str().map(Some),
        None => Some(None),
    };
    keys.iter().map(text).collect()
}

/// True if all values are known to be different: each is a text, or made of texts, and they are few. Most lists are so, and a server
/// shows different texts differently.
fn are_different_texts<T: PartialEq>(values: impl ExactSizeIterator<Item = Option<T>>) -> bool {
    if values.len() > MOST_COMPARED {
        return false;
    }
    let mut seen = Vec::with_capacity(values.len());
    for value in values {
        let Some(value) = value.filter(|value| !seen.contains(value)) else { return false };
        seen.push(value);
    }
    true
}

/// The most values that are compared with each other.
const MOST_COMPARED: usize = 16;

/// Reports each duplicate value.
// schema/listtype/validation.go, validateListSet: only the second of equal values is reported.
fn add_duplicates(values: impl Iterator<Item = Json>, path: &str, errors: &mut Vec<Failure>) {
    let mut seen = HashMap::<String, usize>::new();
    for (index, value) in values.enumerate() {
        // An integer and a float are never the same, however they are shown.
        let value = if value.is_number() { value.to_string() } else { go_text::format_json_value(&value) };
        let times = seen.entry(value.clone()).or_default();
        *times += 1;
        if *times == 2 {
            let failed = Failure::new(&format!("{path}[{index}]"), ErrorType::Duplicate, "");
            errors.push(Failure { value, ..failed });
        }
    }
}
