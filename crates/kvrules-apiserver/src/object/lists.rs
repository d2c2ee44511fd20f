//! Lists of type `set` and `map`: nothing may be there twice.

use std::collections::HashMap;
use std::fmt::Write as _;

use kvrules_cel::go_text;
use kvrules_schema_keywords::{LIST_MAP_KEYS, LIST_TYPE};
use serde_json::Value as Json;

use super::{field_schema, push_child, text_keyword};
use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::node::value_of;

/// The elements of lists that are there twice.
// apiextensions schema/listtype/validation.go, ValidateListSetsAndMaps
pub(super) fn duplicate_elements(object: &Json, schema: &Json) -> Vec<Failure> {
    let mut errors = Vec::new();
    check_lists(object, schema, &mut String::new(), &mut errors);
    errors
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
    let keys = value_of(schema, LIST_MAP_KEYS).and_then(Json::as_array);
    let keys: Vec<&str> = keys.into_iter().flatten().filter_map(Json::as_str).collect();
    let key_of = |item: &Json| {
        // An absent key and a null are different values.
        let value = |key: &&str| Some(((*key).to_owned(), item.get(*key)?.clone()));
        Json::Object(keys.iter().filter_map(value).collect())
    };
    add_duplicates(items.iter().map(key_of), path, errors);
}

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
