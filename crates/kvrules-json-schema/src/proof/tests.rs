//! Generated schemas and values: a small schema accepts what the real one accepts, and a contradictory one accepts nothing.

use kvrules_diagnostics::FileId;
use kvrules_kubernetes::keywords::SchemaDialect;
use kvrules_syntax::parse_stream;
use serde_json::{Map, Value, json};

use super::*;
use crate::language::SchemaLanguage;
use crate::tree::SchemaTree;

struct Generator(u64);

impl Generator {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick(&mut self, list: &Value) -> Value {
        let list = list.as_array().unwrap();
        list[self.below(list.len())].clone()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 8 } else { 12 }) {
            8 | 9 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            10 | 11 => {
                let names = ["a", "b", "ab"];
                let fields: Map<String, Value> = (0..self.below(4))
                    .map(|_| (names[self.below(3)].to_owned(), self.value(depth - 1)))
                    .collect();
                Value::Object(fields)
            }
            _ => self.pick(&json!([null, true, false, 0, 1, 2, 3, 1.5, -1, "", "a", "ab", "abc", "b"])),
        }
    }

    fn names(&mut self) -> Value {
        self.pick(&json!([["a"], ["b"], ["a", "b"], []]))
    }

    fn keyword(&mut self, depth: usize) -> (&'static str, Value) {
        let numbers = json!([0, 1, 2, 3, 0.5, -1]);
        let counts = json!([0, 1, 2, 3]);
        match self.below(if depth == 0 { 17 } else { 36 }) {
            0..=2 => (
                "type",
                self.pick(&json!([
                    "integer",
                    "number",
                    "string",
                    "array",
                    "object",
                    ["string", "null"],
                    "boolean"
                ])),
            ),
            3 => ("enum", (0..=self.below(3)).map(|_| self.value(1)).collect()),
            4 => ("const", self.value(1)),
            5 => ("minimum", self.pick(&numbers)),
            6 => ("maximum", self.pick(&numbers)),
            7 => ("exclusiveMinimum", self.pick(&numbers)),
            8 => ("exclusiveMaximum", self.pick(&numbers)),
            9 => ("multipleOf", self.pick(&json!([2, 3, 0.5]))),
            10 => ("minLength", self.pick(&counts)),
            11 => ("maxLength", self.pick(&counts)),
            12 => ("pattern", self.pick(&json!(["^a", "b$", "^a*$", "("]))),
            13 => ("minItems", self.pick(&counts)),
            14 => ("maxItems", self.pick(&counts)),
            15 => ("required", self.names()),
            16 => ("uniqueItems", json!(true)),
            17 => ("minProperties", self.pick(&counts)),
            18 => ("maxProperties", self.pick(&counts)),
            19 | 20 => ("properties", json!({"a": self.schema(depth - 1), "b": self.schema(depth - 1)})),
            21 => ("patternProperties", json!({"^a": self.schema(depth - 1)})),
            22 => ("additionalProperties", self.schema(depth - 1)),
            23 => ("propertyNames", self.schema(depth - 1)),
            24 => ("dependentRequired", json!({"a": self.names()})),
            25 => ("dependentSchemas", json!({"b": self.schema(depth - 1)})),
            26 => ("items", self.schema(depth - 1)),
            27 => ("prefixItems", json!([self.schema(depth - 1)])),
            28 => ("contains", self.schema(depth - 1)),
            29 => ("maxContains", self.pick(&counts)),
            30 => ("not", self.schema(depth - 1)),
            31 => ("if", self.schema(depth - 1)),
            32 => (["then", "else"][self.below(2)], self.schema(depth - 1)),
            33 => ("$ref", self.pick(&json!(["#/$defs/x", "#/$defs/y"]))),
            _ => {
                let keyword = ["allOf", "anyOf", "oneOf"][self.below(3)];
                (keyword, (0..=self.below(3)).map(|_| self.schema(depth - 1)).collect())
            }
        }
    }

    fn schema(&mut self, depth: usize) -> Value {
        match self.below(16) {
            0 => json!(true),
            1 => json!(false),
            2 => json!({}),
            _ => {
                let count = 1 + self.below(4);
                Value::Object(
                    (0..count)
                        .map(|_| self.keyword(depth))
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }
        }
    }
}

/// Removes invalid patterns, with which no validator can be made.
fn without_bad_patterns(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, value| key != "pattern" || value != "(");
            fields.values_mut().for_each(without_bad_patterns);
        }
        Value::Array(items) => items.iter_mut().for_each(without_bad_patterns),
        _ => {}
    }
}

#[test]
fn small_schemas_accept_what_the_real_ones_accept_and_contradictory_ones_accept_nothing() {
    let (mut schemas, mut comparisons, mut empty, mut accepted) = (0, 0, 0, 0);
    for seed in 0..500 {
        let mut random = Generator(seed * 7919 + 3);
        let mut root = json!({"$defs": {"x": random.schema(1), "y": random.schema(2)}, "properties": {"r": random.schema(3)}});
        let text = root.to_string();
        let stream = parse_stream(FileId(0), &text);
        let node = stream.documents[0].root().unwrap();
        let tree = SchemaTree::read_document(node, SchemaLanguage::JsonSchema, SchemaDialect::Draft202012);
        without_bad_patterns(&mut root);
        let by_node = |pointer: &str| {
            let node = kvrules_syntax::pointer::find_node(node, pointer).unwrap();
            tree.sites.iter().position(|site| site.node.span() == node.span()).unwrap()
        };
        for pointer in ["/properties/r", "/$defs/y"] {
            let mut real = root.clone();
            real["$ref"] = json!(format!("#{pointer}"));
            real["$defs"]["kept"] = real.as_object_mut().unwrap().remove("properties").unwrap();
            real["$ref"] = json!(if pointer == "/properties/r" { "#/$defs/kept/r" } else { "#/$defs/y" });
            let Ok(validator) =
                jsonschema::draft202012::options().should_validate_formats(false).build(&real)
            else {
                continue;
            };
            let site = by_node(pointer);
            schemas += 1;
            let mut lenient = Vec::new();
            for detail in [SchemaDetail::Keywords, SchemaDetail::Contents, SchemaDetail::Defaults] {
                let local = LocalSchema::new(&tree, site, detail, &std::collections::HashSet::new());
                let small = jsonschema::draft202012::new(&local.value)
                    .unwrap_or_else(|error| panic!("{error} {}", local.value));
                lenient.push((small, prove_empty(&local).is_some(), local.value));
            }
            empty += usize::from(lenient.iter().any(|(_, is_empty, _)| *is_empty));
            for _ in 0..60 {
                let value = random.value(3);
                comparisons += 1;
                if !validator.is_valid(&value) {
                    continue;
                }
                accepted += 1;
                for (small, is_empty, local) in &lenient {
                    assert!(small.is_valid(&value) && !is_empty, "{real}\n{local}\n{value}");
                }
            }
        }
    }
    println!("{schemas} schemas, {empty} contradictory, {accepted} of {comparisons} values accepted");
    assert!(schemas > 900 && empty > 80 && accepted > 10_000, "{schemas} {empty} {accepted}");
}
