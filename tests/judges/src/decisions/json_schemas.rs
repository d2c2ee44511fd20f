//! Claims of `diff` about JSON Schemas, compared with a validator of the judge's own on random values.

use kvrules::diff::{Change, SideFile, compare_sides, read_units};
use kvrules::{Catalog, FileId, SourceFile};
use serde_json::{Map, Value as Json, json};

use super::evaluate::{PATTERNS, is_pattern_match};
use crate::{Random, Tally};

/// Values that are tried for a pair of schemas.
const VALUES: usize = 400;

const NAMES: [&str; 3] = ["a", "b", "c"];
const TEXTS: [&str; 6] = ["", "a", "b", "ab", "ba", "abab"];

/// Makes a schema.
fn generate_schema(random: &mut Random, depth: usize) -> Json {
    let mut schema = match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => json!({"type": "integer"}),
        1 => json!({"type": "number"}),
        2 => json!({"type": "string"}),
        3 => json!({"type": ["string", "integer"]}),
        4 => json!({}),
        5 => json!({"type": "array", "items": generate_schema(random, depth - 1)}),
        _ => {
            let mut properties = Map::new();
            for name in NAMES.iter().take(1 + random.below(3)) {
                properties.insert((*name).to_owned(), generate_schema(random, depth - 1));
            }
            json!({"type": "object", "properties": properties})
        }
    };
    for _ in 0..random.below(3) {
        add_keyword(&mut schema, random, depth);
    }
    schema
}

/// Adds a keyword that concerns the type of the schema, or a junction of schemas.
fn add_keyword(schema: &mut Json, random: &mut Random, depth: usize) {
    let number = random.between(-1, 4);
    let size = random.between(0, 3);
    let (key, value) = match random.below(if depth == 0 { 9 } else { 20 }) {
        0 => ("minimum", json!(number)),
        1 => ("maximum", json!(number)),
        2 => ("exclusiveMinimum", json!(number)),
        3 => ("multipleOf", json!(random.between(1, 3))),
        4 => ("minLength", json!(size)),
        5 => ("maxLength", json!(size)),
        6 => ("pattern", json!(random.choose(&PATTERNS).0)),
        7 => ("enum", json!([random.choose(&TEXTS), number, random.choose(&TEXTS)])),
        8 => ("const", json!(random.choose(&TEXTS))),
        9 => ("minItems", json!(size)),
        10 => ("maxItems", json!(size)),
        11 => ("uniqueItems", json!(true)),
        12 => ("required", json!([random.choose(&NAMES)])),
        13 => ("additionalProperties", json!(false)),
        14 => ("minProperties", json!(size)),
        15 => ("contains", generate_schema(random, depth - 1)),
        16 => ("not", generate_schema(random, depth - 1)),
        17 => ("anyOf", json!([generate_schema(random, depth - 1), generate_schema(random, depth - 1)])),
        18 => ("oneOf", json!([generate_schema(random, depth - 1), generate_schema(random, depth - 1)])),
        _ => ("allOf", json!([generate_schema(random, depth - 1), generate_schema(random, depth - 1)])),
    };
    if let Json::Object(keywords) = schema
        && !(key == "enum" && value[0] == value[2])
    {
        keywords.insert(key.to_owned(), value);
    }
}

/// Changes one or two parts of a schema.
fn change_schema(schema: &Json, random: &mut Random) -> Json {
    let mut changed = schema.clone();
    for _ in 0..random.between(1, 2) {
        change_somewhere(&mut changed, random);
    }
    changed
}

fn change_somewhere(schema: &mut Json, random: &mut Random) {
    let Json::Object(keywords) = schema else { return };
    let below: Vec<&mut Json> = keywords
        .iter_mut()
        .flat_map(|(key, value)| match (key.as_str(), value) {
            ("properties", Json::Object(fields)) => fields.values_mut().collect(),
            ("anyOf" | "oneOf" | "allOf", Json::Array(branches)) => branches.iter_mut().collect(),
            ("items" | "not" | "contains", part) => vec![part],
            _ => Vec::new(),
        })
        .collect();
    if !below.is_empty() && random.chance(2, 3) {
        let chosen = random.below(below.len());
        if let Some(part) = below.into_iter().nth(chosen) {
            return change_somewhere(part, random);
        }
    }
    let keys: Vec<String> = keywords.keys().filter(|key| *key != "properties").cloned().collect();
    match random.below(4) {
        0 if !keys.is_empty() => {
            keywords.shift_remove(random.choose(&keys));
        }
        1 => {
            for bound in ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] {
                if let Some(number) = keywords.get(bound).and_then(Json::as_i64) {
                    keywords.insert(bound.to_owned(), json!((number + random.between(-1, 1)).max(0)));
                }
            }
        }
        2 => {
            // The same in other words, or nearly the same.
            let inner = Json::Object(std::mem::take(keywords));
            *schema = json!({"allOf": [inner]});
        }
        _ => add_keyword(schema, random, 1),
    }
}

/// Makes a value, some of whose parts a schema is likely to accept.
fn generate_value(schema: &Json, random: &mut Random, depth: usize) -> Json {
    let of_type = schema["type"].as_str();
    let of_type = if random.chance(1, 8) { None } else { of_type };
    if let (Some(listed), true) = (schema["enum"].as_array(), random.chance(1, 2)) {
        return random.choose(listed).clone();
    }
    let kind = match of_type {
        Some("object") => 0,
        Some("array") => 1,
        Some("string") => 2,
        Some("integer") => 3,
        Some("number") => 4,
        _ if depth == 0 => 2 + random.below(5),
        _ => random.below(7),
    };
    match kind {
        0 => {
            let mut fields = Map::new();
            for name in NAMES {
                if random.chance(1, 2) {
                    let value = generate_value(&schema["properties"][name], random, depth.saturating_sub(1));
                    fields.insert(name.to_owned(), value);
                }
            }
            Json::Object(fields)
        }
        1 => (0..random.below(4))
            .map(|_| generate_value(&schema["items"], random, depth.saturating_sub(1)))
            .collect(),
        2 => json!(random.choose(&TEXTS)),
        3 => json!(random.between(-2, 5)),
        4 => json!(random.between(-4, 10) as f64 / 2.0),
        5 => json!(random.chance(1, 2)),
        _ => Json::Null,
    }
}

/// Validates a value.
pub(crate) fn is_valid(schema: &Json, value: &Json) -> bool {
    match schema {
        Json::Bool(accepts) => *accepts,
        Json::Object(keywords) => keywords.iter().all(|(key, limit)| admits(key, limit, value, keywords)),
        _ => true,
    }
}

fn is_of_type(name: &str, value: &Json) -> bool {
    match value {
        Json::Null => name == "null",
        Json::Bool(_) => name == "boolean",
        Json::Number(number) => {
            name == "number" || name == "integer" && number.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        Json::String(_) => name == "string",
        Json::Array(_) => name == "array",
        Json::Object(_) => name == "object",
    }
}

/// Equality of JSON values, in which 1 and 1.0 are one number.
fn are_equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_equal(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|it| are_equal(it, value)))
        }
        _ => one == other,
    }
}

fn admits(key: &str, limit: &Json, value: &Json, keywords: &Map<String, Json>) -> bool {
    let number = || limit.as_f64().unwrap_or_default();
    let size = || limit.as_u64().unwrap_or_default() as usize;
    let branches = || limit.as_array().into_iter().flatten();
    match (key, value) {
        ("type", value) => match limit {
            Json::Array(names) => names.iter().filter_map(Json::as_str).any(|name| is_of_type(name, value)),
            name => name.as_str().is_none_or(|name| is_of_type(name, value)),
        },
        ("enum", value) => branches().any(|listed| are_equal(listed, value)),
        ("const", value) => are_equal(limit, value),
        ("not", value) => !is_valid(limit, value),
        ("anyOf", value) => branches().any(|branch| is_valid(branch, value)),
        ("allOf", value) => branches().all(|branch| is_valid(branch, value)),
        ("oneOf", value) => branches().filter(|branch| is_valid(branch, value)).count() == 1,
        ("minimum", Json::Number(it)) => it.as_f64().is_some_and(|it| it >= number()),
        ("maximum", Json::Number(it)) => it.as_f64().is_some_and(|it| it <= number()),
        ("exclusiveMinimum", Json::Number(it)) => it.as_f64().is_some_and(|it| it > number()),
        ("multipleOf", Json::Number(it)) => it.as_f64().is_some_and(|it| it % number() == 0.0),
        ("minLength", Json::String(text)) => text.chars().count() >= size(),
        ("maxLength", Json::String(text)) => text.chars().count() <= size(),
        ("pattern", Json::String(text)) => {
            limit.as_str().and_then(|pattern| is_pattern_match(pattern, text)).unwrap_or(true)
        }
        ("items", Json::Array(items)) => items.iter().all(|item| is_valid(limit, item)),
        ("contains", Json::Array(items)) => items.iter().any(|item| is_valid(limit, item)),
        ("minItems", Json::Array(items)) => items.len() >= size(),
        ("maxItems", Json::Array(items)) => items.len() <= size(),
        ("uniqueItems", Json::Array(items)) => {
            let is_repeated = |at: usize| items[..at].iter().any(|it| are_equal(it, &items[at]));
            !(0..items.len()).any(is_repeated)
        }
        ("required", Json::Object(fields)) => {
            branches().filter_map(Json::as_str).all(|name| fields.contains_key(name))
        }
        ("minProperties", Json::Object(fields)) => fields.len() >= size(),
        ("properties", Json::Object(fields)) => {
            fields.iter().all(|(name, it)| limit.get(name).is_none_or(|schema| is_valid(schema, it)))
        }
        ("additionalProperties", Json::Object(fields)) => {
            let is_declared =
                |name: &str| keywords.get("properties").is_some_and(|it| it.get(name).is_some());
            fields.iter().all(|(name, it)| is_declared(name) || is_valid(limit, it))
        }
        _ => true,
    }
}

/// Judges the comparison of two generated JSON Schemas.
pub(crate) fn judge_json_schemas(random: &mut Random, origin: &str, tally: &mut Tally) {
    let mut old = generate_schema(random, 2);
    while old["type"] != "object" {
        old = generate_schema(random, 2);
    }
    let new = change_schema(&old, random);
    let sides = [&old, &new].map(|schema| {
        let mut schema = schema.clone();
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        let source = SourceFile::new(FileId(0), "schema.json", schema.to_string());
        let units = read_units(&source, Catalog::kubevirt_vm()).unwrap_or_default();
        [SideFile { path: String::new(), source, units }]
    });
    let Ok(diff) = compare_sides(&sides[0], &sides[1]) else {
        tally.unjudged("the JSON Schemas cannot be compared");
        return;
    };
    let values: Vec<Json> =
        (0..VALUES).map(|at| generate_value(if at % 2 == 0 { &old } else { &new }, random, 2)).collect();
    let newly = |is_accepted: bool| {
        let shows = |it: &&Json| is_valid(&new, it) == is_accepted && is_valid(&old, it) != is_accepted;
        values.iter().find(shows).map(Json::to_string)
    };
    let (tightens, loosens) = (newly(false), newly(true));
    let describe = |claim: &str| format!("old: {old}\nnew: {new}\nclaim: {claim}");
    let changes: Vec<&Change> = diff.changes().collect();
    if changes.iter().any(|change| !change.proved) {
        tally.missed("JSON Schema: directions");
    } else {
        let is_tightening = changes.iter().any(|it| it.direction.is_tightening());
        let is_loosening = changes.iter().any(|it| it.direction.is_loosening());
        let kind = match (is_tightening, is_loosening) {
            (true, true) => "JSON Schema: incomparable",
            (true, false) => "JSON Schema: tightened",
            (false, true) => "JSON Schema: loosened",
            (false, false) => "JSON Schema: equal",
        };
        let refutation = tightens.filter(|_| !is_tightening).or(loosens.filter(|_| !is_loosening));
        tally.judge(kind, origin, refutation.map(|it| format!("{}\nrefuted by: {it}", describe(kind))));
    }
    for (witness, is_accepted) in changes.iter().flat_map(|it| [(&it.refused, false), (&it.accepted, true)]) {
        let Some(object) = witness.as_ref().map(|it| &it.object) else { continue };
        let is_shown = is_valid(&new, object) == is_accepted && is_valid(&old, object) != is_accepted;
        let refutation =
            (!is_shown).then(|| format!("{}\nrefuted: {object} does not show it", describe("example")));
        tally.judge("JSON Schema: example", origin, refutation);
    }
}
