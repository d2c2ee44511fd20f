//! What is claimed of two schemas, against the verdicts of both on many objects.
//!
//! Pairs of small schemas are generated from seeds, most of them a schema and itself with a change or two. For each pair:
//! every witness witnesses; where all is said to be equal no object tells the two apart; where all that changed is said to
//! be stricter no object that was refused is accepted, and the reverse.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;

use kvrules_compare::schema::{Judge, compare, objects};
use kvrules_compare::{Change, Direction};
use serde_json::{Map, Value, json};

/// Numbers that are the same in every run.
struct Seeds(u64);

impl Seeds {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn often(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

fn scalar(seeds: &mut Seeds) -> Value {
    let mut node = match seeds.below(6) {
        0 | 1 => json!({"type": "integer"}),
        2 => json!({"type": "number"}),
        3 => json!({"type": "boolean"}),
        _ => json!({"type": "string"}),
    };
    for _ in 0..seeds.below(3) {
        limit(&mut node, seeds);
    }
    node
}

/// Puts a limit on a scalar, or takes one away.
fn limit(node: &mut Value, seeds: &mut Seeds) {
    let kind = node["type"].as_str().unwrap_or_default().to_owned();
    let fields = node.as_object_mut().unwrap();
    match kind.as_str() {
        "integer" | "number" => {
            let key = *seeds.one(&["minimum", "maximum", "multipleOf", "enum", "exclusiveMinimum"]);
            if fields.remove(key).is_some() && seeds.often(2) {
                return;
            }
            let value = match key {
                "multipleOf" => json!(seeds.below(3) + 1),
                "enum" => json!([1, 2, seeds.below(9)]),
                "exclusiveMinimum" => json!(true),
                "minimum" => json!(seeds.below(4)),
                _ => json!(seeds.below(8) + 2),
            };
            fields.insert(key.to_owned(), value);
        }
        "string" => {
            let key = *seeds.one(&["minLength", "maxLength", "pattern", "enum", "format", "pattern"]);
            if fields.remove(key).is_some() && seeds.often(2) {
                return;
            }
            let patterns =
                ["^[a-z]+$", "^[a-z]*$", "^[a-c]+$", "a", "^(a|b)$", "^[a-z0-9-]{1,3}$", "^a", "^[a-z]{1,}$"];
            let value = match key {
                "minLength" => json!(seeds.below(3)),
                "maxLength" => json!(seeds.below(4) + 1),
                "enum" => json!([*seeds.one(&["a", "b", "zz"]), "a", *seeds.one(&["", "abc"])]),
                "format" => json!(*seeds.one(&["ipv4", "date", "uuid", "unheard-of"])),
                _ => json!(*seeds.one(&patterns)),
            };
            fields.insert(key.to_owned(), value);
        }
        _ => {}
    }
}

fn schema(seeds: &mut Seeds, depth: usize) -> Value {
    match if depth == 0 { 0 } else { seeds.below(8) } {
        0..=3 if depth > 0 => scalar(seeds),
        4 => {
            let mut node = json!({"type": "array", "items": schema(seeds, depth + 1)});
            let is_text = node["items"]["type"] == "string";
            if is_text && seeds.often(2) {
                node["x-kubernetes-list-type"] = json!("set");
            }
            node
        }
        5 => json!({"type": "object", "additionalProperties": scalar(seeds)}),
        _ if depth > 2 => scalar(seeds),
        _ => {
            let mut properties = Map::new();
            for name in ["a", "b", "c"].iter().take(1 + seeds.below(3)) {
                properties.insert((*name).to_owned(), schema(seeds, depth + 1));
            }
            let required: Vec<String> = properties.keys().filter(|_| seeds.often(3)).cloned().collect();
            let mut node = json!({"type": "object", "properties": properties});
            if !required.is_empty() {
                node["required"] = json!(required);
            }
            if seeds.often(3) {
                node["x-kubernetes-validations"] = json!(rule(&node, seeds).into_iter().collect::<Vec<_>>());
            }
            node
        }
    }
}

/// A rule that fits an object's fields.
fn rule(node: &Value, seeds: &mut Seeds) -> Option<Value> {
    let fields: Vec<(String, String)> = node["properties"]
        .as_object()?
        .iter()
        .map(|(name, below)| (name.clone(), below["type"].as_str().unwrap_or_default().to_owned()))
        .collect();
    let (name, kind) = seeds.one(&fields).clone();
    let bound = seeds.below(4) + 1;
    let text = match kind.as_str() {
        "integer" => format!("!has(self.{name}) || self.{name} <= {bound}"),
        "number" => format!("!has(self.{name}) || self.{name} < {bound}.5"),
        "string" => format!("!has(self.{name}) || size(self.{name}) <= {bound}"),
        "boolean" => format!("!has(self.{name}) || self.{name}"),
        "array" => format!("!has(self.{name}) || self.{name}.size() < {bound}"),
        _ => format!("has(self.{name})"),
    };
    let text = match seeds.below(4) {
        0 => format!("({text}) && true"),
        1 if kind == "integer" => format!("!has(self.{name}) || !(self.{name} > {bound})"),
        _ => text,
    };
    let mut rule = json!({"rule": text});
    if seeds.often(2) {
        rule["message"] = json!(*seeds.one(&["one", "other"]));
    }
    Some(rule)
}

/// Changes something at one node.
fn mutate(node: &mut Value, seeds: &mut Seeds) {
    let kind = node["type"].as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "object" if node.get("properties").is_some() => match seeds.below(9) {
            0 => {
                let name = *seeds.one(&["b", "c", "d"]);
                let fields = node["properties"].as_object_mut().unwrap();
                if fields.remove(name).is_none() || fields.is_empty() {
                    fields.insert(name.to_owned(), scalar(seeds));
                }
                let known: Vec<String> = fields.keys().cloned().collect();
                if let Some(required) = node.get_mut("required").and_then(Value::as_array_mut) {
                    required.retain(|name| known.iter().any(|it| name == it));
                }
                // Rules that speak of a field that is gone would not compile.
                node.as_object_mut().unwrap().remove("x-kubernetes-validations");
            }
            1 | 2 => {
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
            3 => {
                let added = rule(node, seeds);
                let mut rules = node["x-kubernetes-validations"].as_array().cloned().unwrap_or_default();
                if seeds.often(2) {
                    rules.pop();
                }
                rules.extend(added);
                node["x-kubernetes-validations"] = json!(rules);
            }
            4 => {
                let names: Vec<String> = node["properties"].as_object().unwrap().keys().cloned().collect();
                let below = &mut node["properties"][seeds.one(&names).as_str()];
                let default = match below["type"].as_str() {
                    Some("integer" | "number") => json!(2),
                    Some("string") => json!("a"),
                    Some("boolean") => json!(true),
                    _ => return,
                };
                if below.as_object_mut().unwrap().remove("default").is_none() {
                    below["default"] = default;
                }
            }
            5 => toggle(node, "x-kubernetes-preserve-unknown-fields"),
            6 => {
                let key = *seeds.one(&["minProperties", "maxProperties"]);
                node[key] = json!(seeds.below(3) + 1);
            }
            _ => descend(node, seeds),
        },
        "object" => mutate(&mut node["additionalProperties"], seeds),
        "array" => match seeds.below(4) {
            0 => node["maxItems"] = json!(seeds.below(3) + 1),
            1 => node["minItems"] = json!(seeds.below(3)),
            2 if node["items"]["type"] == "string" => {
                let list_type = *seeds.one(&["set", "atomic"]);
                node["x-kubernetes-list-type"] = json!(list_type);
            }
            _ => mutate(&mut node["items"], seeds),
        },
        _ => match seeds.below(8) {
            0 => toggle(node, "nullable"),
            1 => {
                let other = scalar(seeds);
                *node = other;
            }
            _ => limit(node, seeds),
        },
    }
}

fn toggle(node: &mut Value, key: &str) {
    let fields = node.as_object_mut().unwrap();
    if fields.remove(key).is_none() {
        fields.insert(key.to_owned(), json!(true));
    }
}

fn descend(node: &mut Value, seeds: &mut Seeds) {
    let names: Vec<String> = node["properties"].as_object().unwrap().keys().cloned().collect();
    let name = seeds.one(&names).clone();
    mutate(&mut node["properties"][name.as_str()], seeds);
}

/// Objects made from both schemas, and each of them spoilt in some way.
fn many(old: &Value, new: &Value, seeds: &mut Seeds) -> Vec<Value> {
    let mut all = objects(old, 40);
    all.extend(objects(new, 40));
    let spoilt: Vec<Value> = all.iter().map(|object| spoil(object.clone(), seeds)).collect();
    all.extend(spoilt);
    all.push(json!({}));
    all.dedup();
    all
}

/// The object with another value somewhere, or without a field, or with one more.
fn spoil(object: Value, seeds: &mut Seeds) -> Value {
    let texts = ["", "a", "b", "abc", "A", "zz", "aaaaa", "192.0.2.1"].map(|text| json!(text));
    let others = json!([null, 0, 1, 2, 3, 4, 5, 1.5, 9, true, false, [], {}, ["a", "a"], ["a", "b"], [1]]);
    let values: Vec<Value> = texts.into_iter().chain(others.as_array().unwrap().clone()).collect();
    match object {
        Value::Object(mut fields) if !fields.is_empty() && !seeds.often(12) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = seeds.one(&names).clone();
            let value = fields.remove(&name).unwrap();
            if seeds.often(6) {
                return Value::Object(fields);
            }
            fields.insert(name, spoil(value, seeds));
            if seeds.often(8) {
                fields
                    .insert((*seeds.one(&["a", "b", "c", "d", "x"])).to_owned(), seeds.one(&values).clone());
            }
            Value::Object(fields)
        }
        Value::Array(mut items) if !items.is_empty() && !seeds.often(4) => {
            let last = items.pop().unwrap();
            items.push(spoil(last, seeds));
            Value::Array(items)
        }
        _ => seeds.one(&values).clone(),
    }
}

#[derive(Default)]
struct Tally {
    pairs: usize,
    objects: usize,
    witnesses: usize,
    distinguished: usize,
    claims: BTreeMap<Direction, usize>,
    silent: usize,
}

#[test]
fn what_is_claimed_of_two_schemas_holds_on_every_object() {
    let mut tally = Tally::default();
    let pairs: u64 =
        std::env::var("KVRULES_DIFF_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    for seed in 0..pairs {
        let mut seeds = Seeds(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(7));
        for _ in 0..4 {
            seeds.below(2);
        }
        let old = schema(&mut seeds, 0);
        let mut new = old.clone();
        for _ in 0..=seeds.below(3) {
            mutate(&mut new, &mut seeds);
        }
        if [&old, &new]
            .iter()
            .any(|schema| !kvrules_cel::structural::check_schema(schema, "s", false).errors.is_empty())
        {
            continue;
        }
        if formatted_default(&old) || formatted_default(&new) {
            continue;
        }
        tally.pairs += 1;
        hold(seed, (&old, &new), &mut seeds, &mut tally);
    }
    println!(
        "{} pairs, {} objects, {} told apart by one, {} witnesses, {} differences not found; {:?}",
        tally.pairs, tally.objects, tally.distinguished, tally.witnesses, tally.silent, tally.claims
    );
    assert_eq!(tally.silent, 0, "pairs that objects tell apart, and nothing is said of them");
    assert!(tally.pairs > 200 && tally.distinguished > 100 && tally.witnesses > 300);
}

/// Whether a default stands beside a format, which may make it one that the server refuses.
fn formatted_default(node: &Value) -> bool {
    let here = node.get("default").is_some() && node.get("format").is_some();
    let below: Vec<&Value> = match node {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    here || below.into_iter().any(formatted_default)
}

fn hold(seed: u64, (old, new): (&Value, &Value), seeds: &mut Seeds, tally: &mut Tally) {
    let comparison = compare(old, new, &json!({}));
    let told = || format!("seed {seed}\nold {old}\nnew {new}\n{:#?}", comparison.changes);
    let (first, second) = (Judge::new(old), Judge::new(new));
    for change in &comparison.changes {
        *tally.claims.entry(change.direction).or_default() += 1;
        tally.witnesses += witnesses(change, &first, &second, &told);
        if change.direction == Direction::Unknown && std::env::var_os("KVRULES_DIFF_SHOW").is_some() {
            println!(
                "unknown: {} {} {:?} {:?} {}\n  old {old}\n  new {new}",
                change.at, change.what, change.limits, change.at_most, change.objects
            );
        }
    }
    let some = |fits: &dyn Fn(&Change) -> bool| comparison.changes.iter().any(fits);
    // An unknown change may go either way, but for what it is at most.
    let open = |change: &Change| change.direction == Direction::Unknown;
    let may_refuse = some(&|change| {
        change.direction.tightens() || (open(change) && change.at_most != Some(Direction::Loosened))
    });
    let may_accept = some(&|change| {
        change.direction.loosens() || (open(change) && change.at_most != Some(Direction::Tightened))
    });
    let mut apart = false;
    for object in many(old, new, seeds) {
        tally.objects += 1;
        let (before, after) = (first.create(&object), second.create(&object));
        if before.accepts() && after.refuses() {
            apart = true;
            assert!(may_refuse, "{object} was accepted and is refused: {:?}\n{}", after.refusals, told());
        }
        if after.accepts() && before.refuses() {
            apart = true;
            assert!(may_accept, "{object} was refused and is accepted: {:?}\n{}", before.refusals, told());
        }
    }
    tally.distinguished += usize::from(apart);
    let silent = apart && !some(&|change| change.direction.tightens() || change.direction.loosens());
    if silent && std::env::var_os("KVRULES_DIFF_SHOW").is_some() {
        println!("silent: {}", told());
    }
    tally.silent += usize::from(silent);
}

fn witnesses(change: &Change, first: &Judge, second: &Judge, told: &dyn Fn() -> String) -> usize {
    let ask = |judge: &Judge, witness: &kvrules_compare::Witness| match &witness.previous {
        Some(previous) => judge.update(&witness.object, previous),
        None => judge.create(&witness.object),
    };
    if let Some(witness) = &change.refused {
        assert!(ask(first, witness).accepts() && ask(second, witness).refuses(), "{witness:?}\n{}", told());
    }
    if let Some(witness) = &change.accepted {
        assert!(ask(first, witness).refuses() && ask(second, witness).accepts(), "{witness:?}\n{}", told());
    }
    assert_eq!(change.direction.tightens(), change.refused.is_some(), "{}", told());
    assert_eq!(change.direction.loosens(), change.accepted.is_some(), "{}", told());
    usize::from(change.refused.is_some()) + usize::from(change.accepted.is_some())
}
