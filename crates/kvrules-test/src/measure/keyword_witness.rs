//! Objects for which a keyword of a schema and its mutant answer differently.

use kvrules_generate::{ObjectGenerator, PlaceStep, text_of_length};
use kvrules_kubernetes::keywords::LIST_MAP_KEYS;
use serde_json::Value;

use super::mutants::Mutant;
use super::witness::{Witness, WitnessSearch, is_in_status, put_value, with_head};

/// Looks for an object that distinguishes a keyword from its mutant: accepted objects with a value at the bound.
pub(super) fn find_keyword_witness(mutant: &Mutant, search: &WitnessSearch<'_>) -> Option<Witness> {
    let (pointer, keyword) = mutant.pointer.rsplit_once('/')?;
    let (_, below) = pointer.split_once("/openAPIV3Schema")?;
    let steps = place_of(below);
    let head = search.bases.first()?;
    let schema = search.root_schema()?;
    let node = schema.pointer(below).unwrap_or(&Value::Null);
    let mut generator = ObjectGenerator::new(schema);
    for value in boundary_values(keyword, mutant, node)? {
        let of_bases = search.bases.iter().filter_map(|base| put_value(base, &steps, &value));
        let candidates: Vec<Value> = of_bases.collect();
        let generated: Vec<Value> = (0..3)
            .filter_map(|attempt| generator.generate_holding(&steps, attempt, &value))
            .map(|object| with_head(&object, head))
            .collect();
        let reached = search.reach_around(&steps, &value);
        for object in candidates.into_iter().chain(reached).chain(generated) {
            let witness = Witness::of_object(object, None, is_in_status(search, &steps));
            if search.differs(&witness) {
                return Some(search.shrink(witness));
            }
        }
    }
    None
}

/// True if a mutant of a keyword changes nothing: whether the empty text is allowed, which the pattern excludes anyway.
pub(super) fn is_keyword_idle(mutant: &Mutant, document: &Value) -> bool {
    let Some((node, "minLength")) = mutant.pointer.rsplit_once('/') else { return false };
    let lengths = [&mutant.before, &mutant.after].map(Value::as_u64);
    let pattern = document.pointer(node).and_then(|node| node.get("pattern")).and_then(Value::as_str);
    let excludes_empty =
        |pattern| kvrules_regex::compile_matcher(pattern).is_ok_and(|matcher| !matcher.is_match(""));
    lengths.iter().all(|length| matches!(length, Some(0 | 1))) && pattern.is_some_and(excludes_empty)
}

/// The values at which a changed bound differs from the original.
fn boundary_values(keyword: &str, mutant: &Mutant, node: &Value) -> Option<Vec<Value>> {
    if keyword == "enum" {
        let (before, after) = (mutant.before.as_array()?, mutant.after.as_array()?);
        let only = |one: &[Value], other: &[Value]| {
            one.iter().filter(|value| !other.contains(value)).cloned().collect::<Vec<_>>()
        };
        let mut values = only(before, after);
        values.extend(only(after, before));
        return Some(values);
    }
    let (before, after) = (mutant.before.as_i64()?, mutant.after.as_i64()?);
    let sizes = [before, after, before.max(after)];
    let to_value = |size: i64| {
        let length = usize::try_from(size).unwrap_or_default();
        match keyword {
            "minimum" | "maximum" => Some(Value::from(size)),
            "minLength" | "maxLength" if length <= 4096 => Some(Value::from(text_of_size(node, length))),
            "minItems" | "maxItems" if length <= MOST_ITEMS => items_of_size(node, length),
            _ => None,
        }
    };
    Some(sizes.into_iter().filter_map(to_value).collect())
}

/// The longest list that is made.
const MOST_ITEMS: usize = 128;

/// Returns a list of so many different items, if the schema has them.
fn items_of_size(node: &Value, length: usize) -> Option<Value> {
    let schema = node.get("items")?;
    let keys = node.get(LIST_MAP_KEYS).and_then(Value::as_array);
    let key = keys.into_iter().flatten().filter_map(Value::as_str).find(|key| {
        let kind = schema.pointer(&format!("/properties/{key}/type")).and_then(Value::as_str);
        matches!(kind, Some("string" | "integer"))
    });
    let mut generator = ObjectGenerator::new(schema);
    let mut items: Vec<Value> = Vec::new();
    for index in 0..length * 4 {
        if items.len() == length {
            break;
        }
        // Of five, the first is nearly nothing.
        let mut item = generator.generate_valid(index * 5);
        if let Some(key) = key {
            // The server compares the items of such a list by their keys.
            let value = distinct_value(schema.get("properties")?.get(key)?, index);
            if let Some((fields, value)) = item.as_object_mut().zip(value) {
                fields.insert(key.to_owned(), value);
            }
        } else if items.contains(&item) {
            item = distinct_value(schema, index).unwrap_or(item);
        }
        if !items.contains(&item) {
            items.push(item);
        }
    }
    (items.len() == length).then_some(Value::Array(items))
}

/// Returns a value of a schema that differs from those at other indexes.
fn distinct_value(schema: &Value, index: usize) -> Option<Value> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.get(index).cloned();
    }
    match schema.get("type").and_then(Value::as_str)? {
        "integer" => {
            let least = schema.get("minimum").and_then(Value::as_i64).unwrap_or_default();
            least.checked_add(i64::try_from(index).ok()?).map(Value::from)
        }
        "string" => {
            let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(1).max(1);
            let wanted = usize::try_from(least).ok()? + index;
            let pattern = schema.get("pattern").and_then(Value::as_str);
            match pattern {
                Some(pattern) => text_of_length(pattern, (wanted, Some(wanted))).map(Value::from),
                None => Some("a".repeat(wanted).into()),
            }
        }
        _ => None,
    }
}

/// Returns a text of this length, which the pattern of the node matches if one is found.
fn text_of_size(node: &Value, length: usize) -> String {
    let pattern = node.get("pattern").and_then(Value::as_str);
    let matching = pattern.and_then(|pattern| text_of_length(pattern, (length, Some(length))));
    matching.unwrap_or_else(|| "a".repeat(length))
}

/// The steps to the values of a node of a schema.
fn place_of(pointer: &str) -> Vec<PlaceStep> {
    let mut steps = Vec::new();
    let mut tokens = pointer.split('/').filter(|token| !token.is_empty());
    while let Some(token) = tokens.next() {
        match token {
            "properties" => steps.extend(
                tokens.next().map(|name| PlaceStep::Field(kvrules_syntax::pointer::unescape_step(name))),
            ),
            _ => steps.push(PlaceStep::Any),
        }
    }
    steps
}
