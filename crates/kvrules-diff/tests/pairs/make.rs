//! Schemas.

use serde_json::{Map, Value, json};

use super::Seeds;

const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// The schema of a whole object; now and then with a status.
pub(crate) fn root(seeds: &mut Seeds, has_status: bool) -> Value {
    let mut root = object(seeds, 0);
    if has_status {
        root["properties"]["status"] = schema(seeds, 2);
        for key in ["anyOf", "oneOf", "not", "minProperties", "maxProperties"] {
            root.as_object_mut().unwrap().remove(key);
        }
    }
    root
}

pub(crate) fn scalar(seeds: &mut Seeds) -> Value {
    let mut node = match seeds.below(8) {
        0..=2 => json!({"type": "integer"}),
        3 => json!({"type": "number"}),
        4 => json!({"type": "boolean"}),
        5 if seeds.often(2) => json!({INT_OR_STRING: true}),
        _ => json!({"type": "string"}),
    };
    for _ in 0..seeds.below(3) {
        limit(&mut node, seeds);
    }
    if seeds.often(12) {
        node["nullable"] = json!(true);
    }
    if seeds.often(10) {
        branch(&mut node, seeds);
    }
    node
}

fn is_mixed(node: &Value) -> bool {
    node.get(INT_OR_STRING).is_some()
}

/// Puts a limit on a scalar, or takes one away.
pub(crate) fn limit(node: &mut Value, seeds: &mut Seeds) {
    let kind = node["type"].as_str().unwrap_or_default().to_owned();
    let is_number = matches!(kind.as_str(), "integer" | "number") || (is_mixed(node) && seeds.often(2));
    if is_number {
        let key = *seeds.one(&["minimum", "maximum", "multipleOf", "enum", "exclusiveMinimum", "format"]);
        let value = match key {
            "multipleOf" => json!(seeds.below(3) + 1),
            "enum" => json!([1, 2, seeds.below(9)]),
            "exclusiveMinimum" => json!(true),
            "minimum" => json!(seeds.below(4)),
            "format" => json!(*seeds.one(&["int32", "int64", "float"])),
            _ => json!(seeds.below(8) + 2),
        };
        put(node, seeds, key, value);
    } else if kind == "string" || is_mixed(node) {
        let key = *seeds.one(&["minLength", "maxLength", "pattern", "enum", "format", "pattern"]);
        let patterns =
            ["^[a-z]+$", "^[a-z]*$", "^[a-c]+$", "a", "^(a|b)$", "^[a-z0-9-]{1,3}$", "^a", "^[a-z]{1,}$"];
        let formats = ["ipv4", "date", "uuid", "unheard-of", "byte", "duration", "email", "date-time"];
        let value = match key {
            "minLength" => json!(seeds.below(3)),
            "maxLength" => json!(seeds.below(4) + 1),
            "enum" => json!([*seeds.one(&["a", "b", "zz"]), "a", *seeds.one(&["", "abc"])]),
            "format" => json!(*seeds.one(&formats)),
            _ => json!(*seeds.one(&patterns)),
        };
        put(node, seeds, key, value);
    }
}

/// Sets a keyword, or takes it away; in a list of values `null` may stand.
fn put(node: &mut Value, seeds: &mut Seeds, key: &str, mut value: Value) {
    let is_nullable = node.get("nullable").is_some();
    let fields = node.as_object_mut().unwrap();
    if fields.remove(key).is_some() && seeds.often(2) {
        return;
    }
    if let Value::Array(values) = &mut value
        && (is_nullable && seeds.often(2))
    {
        values.push(Value::Null);
    }
    fields.insert(key.to_owned(), value);
}

/// Gives a scalar branches, other ones, or none.
pub(crate) fn branch(node: &mut Value, seeds: &mut Seeds) {
    let of_number = |seeds: &mut Seeds| match seeds.below(3) {
        0 => json!({"minimum": seeds.below(6)}),
        1 => json!({"maximum": seeds.below(6) + 1}),
        _ => json!({"enum": [seeds.below(4), 5]}),
    };
    let of_text = |seeds: &mut Seeds| match seeds.below(4) {
        0 => json!({"maxLength": seeds.below(3) + 1}),
        1 => json!({"minLength": seeds.below(3) + 1}),
        2 => json!({"enum": [*seeds.one(&["a", "b"]), "zz"]}),
        _ => json!({"pattern": *seeds.one(&["^a", "^[a-z]+$", "b$"])}),
    };
    let kind = node["type"].as_str().unwrap_or_default().to_owned();
    let one = |seeds: &mut Seeds| match kind.as_str() {
        "integer" | "number" => Some(of_number(seeds)),
        "string" => Some(of_text(seeds)),
        _ => None,
    };
    let (Some(first), Some(second)) = (one(seeds), one(seeds)) else { return };
    junctor(node, seeds, &[first, second]);
}

/// Puts two branches into a node in one way or another, or takes away what is there.
pub(crate) fn junctor(node: &mut Value, seeds: &mut Seeds, branches: &[Value; 2]) {
    let fields = node.as_object_mut().unwrap();
    let key = *seeds.one(&["anyOf", "oneOf", "allOf", "not"]);
    let had = ["anyOf", "oneOf", "allOf", "not"].iter().filter(|key| fields.remove(**key).is_some()).count();
    if had > 0 && seeds.often(3) {
        return;
    }
    let [first, _] = branches;
    fields.insert(key.to_owned(), if key == "not" { first.clone() } else { json!(branches) });
}

pub(crate) fn schema(seeds: &mut Seeds, depth: usize) -> Value {
    match seeds.below(9) {
        0..=3 => scalar(seeds),
        4 => list(seeds, depth),
        5 => json!({"type": "object", "additionalProperties": scalar(seeds)}),
        6 if seeds.often(4) => embedded(seeds),
        _ if depth > 2 => scalar(seeds),
        _ => object(seeds, depth),
    }
}

fn embedded(seeds: &mut Seeds) -> Value {
    json!({
        "type": "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {"a": scalar(seeds)},
    })
}

fn list(seeds: &mut Seeds, depth: usize) -> Value {
    if seeds.often(4) {
        let key = *seeds.one(&[&["string"][..], &["integer"]]);
        let items = json!({
            "type": "object",
            "properties": {"k": {"type": key[0]}, "v": scalar(seeds)},
            "required": ["k"],
        });
        return json!({
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": items,
        });
    }
    let mut node = json!({"type": "array", "items": schema(seeds, depth + 1)});
    let kind = node["items"]["type"].as_str().unwrap_or_default().to_owned();
    if matches!(kind.as_str(), "string" | "integer")
        && node["items"].get("nullable").is_none()
        && seeds.often(2)
    {
        node["x-kubernetes-list-type"] = json!("set");
    }
    if seeds.often(6) {
        node[*seeds.one(&["minItems", "maxItems"])] = json!(seeds.below(3) + 1);
    }
    node
}

fn object(seeds: &mut Seeds, depth: usize) -> Value {
    let mut properties = Map::new();
    for name in ["a", "b", "c"].iter().take(1 + seeds.below(3)) {
        properties.insert((*name).to_owned(), schema(seeds, depth + 1));
    }
    let required: Vec<String> = properties.keys().filter(|_| seeds.often(3)).cloned().collect();
    let mut node = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        node["required"] = json!(required);
    }
    if seeds.often(7) {
        node["x-kubernetes-preserve-unknown-fields"] = json!(true);
    }
    if depth > 0 && seeds.often(12) {
        node["nullable"] = json!(true);
    }
    if seeds.often(10) {
        branches(&mut node, seeds);
    }
    if seeds.often(3) {
        node["x-kubernetes-validations"] = json!(rule(&node, seeds).into_iter().collect::<Vec<_>>());
    }
    node
}

/// Gives an object branches about which fields there are, or what they hold.
pub(crate) fn branches(node: &mut Value, seeds: &mut Seeds) {
    let names: Vec<String> = node["properties"].as_object().unwrap().keys().cloned().collect();
    let one = |seeds: &mut Seeds| {
        let name = seeds.one(&names).clone();
        match node["properties"][name.as_str()]["type"].as_str() {
            Some("integer") if seeds.often(2) => json!({"properties": {name: {"minimum": seeds.below(4)}}}),
            Some("string") if seeds.often(2) => json!({"properties": {name: {"enum": ["a", "zz"]}}}),
            _ => json!({"required": [name]}),
        }
    };
    let (first, second) = (one(seeds), one(seeds));
    junctor(node, seeds, &[first, second]);
}

/// A rule that fits an object's fields.
pub(crate) fn rule(node: &Value, seeds: &mut Seeds) -> Option<Value> {
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
    let text = match seeds.below(6) {
        0 => format!("({text}) && true"),
        1 if kind == "integer" => format!("!has(self.{name}) || !(self.{name} > {bound})"),
        2 if kind == "integer" => {
            format!("!has(self.{name}) || !has(oldSelf.{name}) || self.{name} >= oldSelf.{name}")
        }
        3 => format!("!has(oldSelf.{name}) || has(self.{name})"),
        4 if kind == "string" => {
            format!("!has(self.{name}) || !has(oldSelf.{name}) || self.{name} == oldSelf.{name}")
        }
        _ => text,
    };
    let mut rule = json!({"rule": text});
    if seeds.often(2) {
        rule["message"] = json!(*seeds.one(&["one", "other"]));
    }
    Some(rule)
}
