//! Objects for which a keyword of a schema and its mutant answer differently.

use kvrules_generate::{ObjectGenerator, PlaceStep, text_of_length};
use serde_json::Value;

use super::mutants::Mutant;
use super::witness::{Witness, WitnessSearch, is_in_status, put_value, with_head};

/// Looks for an object that distinguishes a keyword from its mutant: accepted objects with a value at the bound.
pub(super) fn find_keyword_witness(mutant: &Mutant, search: &WitnessSearch<'_>) -> Option<Witness> {
    let (pointer, keyword) = mutant.pointer.rsplit_once('/')?;
    let (_, below) = pointer.split_once("/openAPIV3Schema")?;
    let steps = place_of(below);
    let head = search.bases.first()?;
    let api_version = head.get("apiVersion").and_then(Value::as_str)?;
    let definition = search.original.find_definition(api_version, head.get("kind")?.as_str()?)?;
    let schema =
        definition.find_version(api_version.rsplit('/').next()?)?.pointer("/schema/openAPIV3Schema")?;
    let node = schema.pointer(below).unwrap_or(&Value::Null);
    let mut generator = ObjectGenerator::new(schema);
    for value in boundary_values(keyword, mutant, node)? {
        let of_bases = search.bases.iter().filter_map(|base| put_value(base, &steps, &value));
        let candidates: Vec<Value> = of_bases.collect();
        let generated: Vec<Value> = (0..3)
            .filter_map(|attempt| generator.generate_holding(&steps, attempt, &value))
            .map(|object| with_head(&object, head))
            .collect();
        for object in candidates.into_iter().chain(generated) {
            let witness = Witness::of_object(object, None, is_in_status(search, &steps));
            if search.differs(&witness) {
                return Some(search.shrink(witness));
            }
        }
    }
    None
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
    let mut generator = ObjectGenerator::new(schema);
    let mut items: Vec<Value> = Vec::new();
    for index in 0..length * 4 {
        if items.len() == length {
            break;
        }
        let item = generator.generate_valid(index);
        if !items.contains(&item) {
            items.push(item);
        }
    }
    (items.len() == length).then_some(Value::Array(items))
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
