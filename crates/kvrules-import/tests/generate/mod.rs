//! Small JSON Schemas and values, made from a seed. Values are made with a schema in view, so that many satisfy it.

use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "b", "c-d", "in"];
const TEXTS: [&str; 6] = ["", "a", "ab", "b1", "abc", "é"];
const PATTERNS: [&str; 5] = ["^a", "b$", "^[a-z]*$", "1", r"^\S+$"];

pub(crate) struct Generator(u64);

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66)
    }

    /// A number below another.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let index = self.below(list.len());
        &list[index]
    }

    /// Any schema.
    pub(crate) fn schema(&mut self, depth: usize) -> Value {
        let choice = self.below(if depth == 0 { 6 } else { 14 });
        match choice {
            0 => self.with(json!({"type": "integer"}), Self::numbers),
            1 => self.with(json!({"type": "number"}), Self::numbers),
            2 | 3 => self.with(json!({"type": "string"}), Self::texts),
            4 => json!({"type": "boolean"}),
            5 => self.listed(),
            6 | 7 => self.list(depth),
            8 => self.map(depth),
            9 => self.mixed(depth),
            10 => self.untyped(depth),
            _ => self.object(depth),
        }
    }

    fn with(&mut self, schema: Value, fill: fn(&mut Self, &mut Map<String, Value>)) -> Value {
        let Value::Object(mut map) = schema else { panic!("an object") };
        fill(self, &mut map);
        Value::Object(map)
    }

    fn number(&mut self) -> Value {
        self.pick(&[
            json!(-2),
            json!(-1.5),
            json!(-0.5),
            json!(0),
            json!(0.5),
            json!(1),
            json!(1.5),
            json!(2),
            json!(3),
        ])
        .clone()
    }

    fn numbers(&mut self, map: &mut Map<String, Value>) {
        for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            if self.chance(4) {
                let number = self.number();
                map.insert(keyword.to_owned(), number);
            }
        }
        if self.chance(6) {
            let factor = self.pick(&[json!(2), json!(0.5), json!(1.5), json!(3)]).clone();
            map.insert("multipleOf".to_owned(), factor);
        }
    }

    fn texts(&mut self, map: &mut Map<String, Value>) {
        if self.chance(4) {
            map.insert("minLength".to_owned(), json!(self.below(3)));
        }
        if self.chance(4) {
            map.insert("maxLength".to_owned(), json!(self.below(4)));
        }
        if self.chance(4) {
            map.insert("pattern".to_owned(), json!(self.pick(&PATTERNS)));
        }
    }

    fn scalar(&mut self) -> Value {
        match self.below(3) {
            0 => json!(self.pick(&TEXTS)),
            1 => self.number(),
            _ => json!(self.chance(2)),
        }
    }

    fn listed(&mut self) -> Value {
        match self.below(4) {
            0 => json!({"const": self.scalar()}),
            1 => json!({"type": "string", "enum": ["a", "ab", "é"]}),
            2 => json!({"enum": [self.scalar(), self.scalar(), self.scalar()]}),
            _ => json!({"type": "integer", "enum": [1, 2, 3]}),
        }
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut schema = json!({"type": "array"});
        if !self.chance(6) {
            schema["items"] = self.schema(depth - 1);
        }
        if self.chance(4) {
            schema["minItems"] = json!(self.below(3));
        }
        if self.chance(3) {
            schema["maxItems"] = json!(self.below(4));
        }
        if self.chance(5) {
            schema["uniqueItems"] = json!(true);
        }
        if self.chance(5) {
            schema["contains"] = self.schema(0);
            if self.chance(3) {
                schema["minContains"] = json!(self.below(3));
            }
            if self.chance(4) {
                schema["maxContains"] = json!(1 + self.below(2));
            }
        }
        schema
    }

    fn map(&mut self, depth: usize) -> Value {
        let mut schema = json!({"type": "object"});
        match self.below(4) {
            0 => {
                schema["patternProperties"] = json!({*self.pick(&PATTERNS): self.schema(depth - 1)});
                if self.chance(2) {
                    schema["additionalProperties"] = json!(false);
                }
            }
            _ => schema["additionalProperties"] = self.schema(depth - 1),
        }
        if self.chance(3) {
            schema["propertyNames"] = json!({"pattern": self.pick(&PATTERNS), "maxLength": 2});
        }
        if self.chance(4) {
            schema["maxProperties"] = json!(1 + self.below(3));
        }
        schema
    }

    fn mixed(&mut self, depth: usize) -> Value {
        match self.below(6) {
            0 => self.with(json!({"type": ["integer", "string"]}), Self::texts),
            1 => self.with(json!({"type": ["string", "boolean"]}), Self::texts),
            2 => self.with(json!({"type": ["string", "number"]}), Self::numbers),
            3 => {
                let (one, other) = (self.schema(0), self.schema(depth - 1));
                json!({self.junctor(): [one, other]})
            }
            4 => {
                let given = json!({"maxLength": self.below(3), "required": [self.pick(&NAMES)]});
                json!({"type": ["object", "string"], "dependentSchemas": {*self.pick(&NAMES): given}})
            }
            _ => json!({"type": ["array", "object", "integer"], "minimum": self.below(3), "maxItems": 1}),
        }
    }

    fn untyped(&mut self, depth: usize) -> Value {
        let mut schema = json!({});
        match self.below(4) {
            0 => {}
            1 => schema = self.with(schema, Self::numbers),
            2 => schema = self.with(schema, Self::texts),
            _ => schema["not"] = self.schema(depth - 1),
        }
        schema
    }

    fn junctor(&mut self) -> &'static str {
        ["anyOf", "anyOf", "oneOf", "allOf"][self.below(4)]
    }

    /// A schema of objects.
    pub(crate) fn object(&mut self, depth: usize) -> Value {
        let mut schema = json!({"type": "object", "properties": self.properties(depth)});
        if self.chance(2) {
            schema["required"] = json!([self.pick(&NAMES)]);
        }
        if self.chance(6) {
            schema["additionalProperties"] = json!(self.chance(2));
        }
        if self.chance(8) {
            schema["maxProperties"] = json!(4 + self.below(2));
        }
        if self.chance(5) {
            schema["dependentRequired"] = json!({*self.pick(&NAMES): [self.pick(&NAMES)]});
        }
        if depth > 0 && self.chance(2) {
            let branches: Vec<Value> = (0..2 + self.below(2)).map(|_| self.branch(depth - 1)).collect();
            schema[self.junctor()] = json!(branches);
        }
        if depth > 0 && self.chance(5) {
            schema["not"] = self.branch(depth - 1);
        }
        if depth > 0 && self.chance(5) {
            schema["if"] = self.branch(depth - 1);
            schema["then"] = self.branch(depth - 1);
            if self.chance(2) {
                schema["else"] = self.branch(depth - 1);
            }
        }
        schema
    }

    fn properties(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for name in NAMES {
            if !self.chance(4) {
                properties.insert(name.to_owned(), self.schema(depth.saturating_sub(1)));
            }
        }
        Value::Object(properties)
    }

    /// A schema about an object that says something of a field or two.
    fn branch(&mut self, depth: usize) -> Value {
        let name = *self.pick(&NAMES);
        let field = self.schema(depth.min(1));
        match self.below(5) {
            0 => json!({"required": [name]}),
            1 => json!({"properties": {name: field}}),
            2 => json!({"type": "object", "properties": {name: field}, "required": [name]}),
            3 => json!({"properties": {name: field}, "required": [name], "description": "a branch"}),
            _ => self.object(depth.min(1)),
        }
    }

    /// A value for a schema, often one that satisfies a part of it.
    pub(crate) fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if self.chance(10) || !schema.is_object() {
            return self.scalar();
        }
        if let Some(values) =
            schema.get("enum").and_then(Value::as_array).filter(|_| !self.0.is_multiple_of(5))
        {
            return self.pick(values).clone();
        }
        if let Some(value) = schema.get("const").filter(|_| !self.0.is_multiple_of(5)) {
            return value.clone();
        }
        for junctor in ["anyOf", "oneOf", "allOf"] {
            if let Some(branches) =
                schema.get(junctor).and_then(Value::as_array).filter(|_| schema.get("type").is_none())
            {
                let branch = self.pick(branches).clone();
                return self.value(&branch, depth);
            }
        }
        let types = match schema.get("type") {
            Some(Value::Array(types)) => types.clone(),
            Some(name) => vec![name.clone()],
            None => vec![json!("string"), json!("number"), json!("object"), json!("array")],
        };
        match self.pick(&types).as_str().unwrap() {
            "integer" => json!(i64::try_from(self.below(6)).unwrap() - 2),
            "number" => self.number(),
            "string" => json!(self.pick(&TEXTS)),
            "boolean" => json!(self.chance(2)),
            "array" if depth > 0 => {
                let items = schema.get("items").cloned().unwrap_or(json!({}));
                json!((0..self.below(4)).map(|_| self.value(&items, depth - 1)).collect::<Vec<_>>())
            }
            "object" if depth > 0 => self.fields(schema, depth),
            _ => self.scalar(),
        }
    }

    /// An object for a schema.
    pub(crate) fn fields(&mut self, schema: &Value, depth: usize) -> Value {
        let mut known: Vec<(String, Value)> = Vec::new();
        collect(schema, &mut known);
        let mut object = Map::new();
        let all = self.chance(2);
        for (name, field) in known {
            if all || self.chance(2) {
                let value = self.value(&field, depth.saturating_sub(1));
                object.insert(name, value);
            }
        }
        for values in ["additionalProperties", "patternProperties"] {
            let Some(values) = schema.get(values).filter(|values| values.is_object()) else { continue };
            let values = if values.get("type").is_none() {
                values.as_object().and_then(|it| it.values().next()).unwrap_or(values)
            } else {
                values
            };
            for name in TEXTS.iter().filter(|name| !name.is_empty()) {
                if self.chance(3) {
                    let value = self.value(values, depth.saturating_sub(1));
                    object.insert((*name).to_owned(), value);
                }
            }
        }
        Value::Object(object)
    }
}

/// The fields that a schema names, also in its alternatives.
fn collect(schema: &Value, known: &mut Vec<(String, Value)>) {
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        known.push((name.clone(), field.clone()));
    }
    for junctor in ["allOf", "anyOf", "oneOf"] {
        schema
            .get(junctor)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .for_each(|branch| collect(branch, known));
    }
    for keyword in ["if", "then", "else"] {
        schema.get(keyword).into_iter().for_each(|branch| collect(branch, known));
    }
}
