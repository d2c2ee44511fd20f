//! Changes of schemas.

use serde_json::{Value, json};

use super::Seeds;
use super::make::{branch, branches, limit, rule, scalar, schema};

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const RULES: &str = "x-kubernetes-validations";
const LIST_TYPE: &str = "x-kubernetes-list-type";

/// Changes something at a node or below it.
pub(crate) fn mutate(node: &mut Value, seeds: &mut Seeds, depth: usize) {
    let kind = node["type"].as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "object" if node.get("properties").is_some() => of_object(node, seeds, depth),
        "object" if seeds.often(8) => {
            let key = *seeds.one(&["minProperties", "maxProperties"]);
            node[key] = json!(seeds.below(3) + 1);
        }
        "object" => mutate(&mut node["additionalProperties"], seeds, depth + 1),
        "array" => of_list(node, seeds, depth),
        _ => match seeds.below(10) {
            0 => toggle(node, "nullable"),
            1 => *node = scalar(seeds),
            2 => branch(node, seeds),
            _ => limit(node, seeds),
        },
    }
}

fn of_object(node: &mut Value, seeds: &mut Seeds, depth: usize) {
    match seeds.below(12) {
        0 | 1 => {
            field(node, seeds);
        }
        2 => requirement(node, seeds),
        3 => {
            let added = rule(node, seeds);
            let mut rules = node[RULES].as_array().cloned().unwrap_or_default();
            if seeds.often(2) {
                rules.pop();
            }
            rules.extend(added);
            node[RULES] = json!(rules);
        }
        4 => default(node, seeds),
        5 => toggle(node, PRESERVE),
        6 => {
            let key = *seeds.one(&["minProperties", "maxProperties"]);
            node[key] = json!(seeds.below(3) + 1);
        }
        7 if seeds.often(2) => branches(node, seeds),
        7 if depth > 0 => {
            let key = *seeds.one(&["nullable", "x-kubernetes-embedded-resource"]);
            toggle(node, key);
        }
        _ => {
            let names: Vec<String> = node["properties"].as_object().unwrap().keys().cloned().collect();
            let name = seeds.one(&names).clone();
            mutate(&mut node["properties"][name.as_str()], seeds, depth + 1);
        }
    }
}

fn of_list(node: &mut Value, seeds: &mut Seeds, depth: usize) {
    let kind = node["items"]["type"].as_str().unwrap_or_default().to_owned();
    match seeds.below(5) {
        0 => node["maxItems"] = json!(seeds.below(3) + 1),
        1 => node["minItems"] = json!(seeds.below(3)),
        2 if node[LIST_TYPE] == "map" => {
            let fields = node.as_object_mut().unwrap();
            fields.remove(LIST_TYPE);
            fields.remove("x-kubernetes-list-map-keys");
        }
        2 if matches!(kind.as_str(), "string" | "integer") => {
            node[LIST_TYPE] = json!(*seeds.one(&["set", "atomic"]));
        }
        _ => mutate(&mut node["items"], seeds, depth + 1),
    }
}

/// A field comes or goes.
fn field(node: &mut Value, seeds: &mut Seeds) {
    let name = *seeds.one(&["b", "c", "d"]);
    let fields = node["properties"].as_object_mut().unwrap();
    if fields.remove(name).is_none() || fields.is_empty() {
        let added = if seeds.often(3) { schema(seeds, 2) } else { scalar(seeds) };
        fields.insert(name.to_owned(), added);
    }
    let known: Vec<String> = fields.keys().cloned().collect();
    if let Some(required) = node.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| known.iter().any(|it| name == it));
    }
    // Rules that use a removed field would not compile.
    node.as_object_mut().unwrap().remove(RULES);
}

fn requirement(node: &mut Value, seeds: &mut Seeds) {
    let names: Vec<String> = node["properties"].as_object().unwrap().keys().cloned().collect();
    let name = seeds.one(&names).clone();
    let mut required: Vec<Value> = node["required"].as_array().cloned().unwrap_or_default();
    let before = required.len();
    required.retain(|known| *known != json!(name));
    if required.len() == before {
        required.push(json!(name));
    }
    node["required"] = json!(required);
}

fn default(node: &mut Value, seeds: &mut Seeds) {
    let names: Vec<String> = node["properties"].as_object().unwrap().keys().cloned().collect();
    let below = &mut node["properties"][seeds.one(&names).as_str()];
    let default = match below["type"].as_str() {
        Some("integer" | "number") => json!(2),
        Some("string") => json!("a"),
        Some("boolean") => json!(true),
        Some("object") => json!({}),
        _ => return,
    };
    if below.as_object_mut().unwrap().remove("default").is_none() {
        below["default"] = default;
    }
}

fn toggle(node: &mut Value, key: &str) {
    let fields = node.as_object_mut().unwrap();
    if fields.remove(key).is_none() {
        fields.insert(key.to_owned(), json!(true));
    }
}
