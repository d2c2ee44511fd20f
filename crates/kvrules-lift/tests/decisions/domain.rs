//! Fields of many types, each with the few values that decide what is said about it, and all objects that have them.

use serde_json::{Value, json};

/// What expressions can do with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Number,
    Text,
    Boolean,
    /// Lists by the kind of their items.
    Integers,
    Numbers,
    Texts,
    /// A list of objects with `name` and `n`.
    Items,
    /// A map of texts to integers.
    Map,
    IntegerOrText,
    Duration,
    Time,
    /// A text that may be a quantity.
    Quantity,
    /// An object with `x` and `y`.
    Object,
}

/// A field of the schema.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
    pub(crate) node: Value,
    /// The values that it may have, as a server stores them.
    pub(crate) values: Vec<Value>,
}

/// The fields that rules are about.
pub(crate) fn fields() -> Vec<Field> {
    let mut all = scalars();
    all.extend(numbers_at_limits());
    all.extend(collections());
    all.extend(readings());
    all
}

fn field(name: &'static str, kind: Kind, is_required: bool, node: Value, values: Value) -> Field {
    let values = values.as_array().cloned().unwrap_or_default();
    Field { name, kind, is_required, node, values }
}

fn scalars() -> Vec<Field> {
    let small = json!({"type": "integer", "minimum": 0, "maximum": 3});
    vec![
        field("i", Kind::Integer, false, json!({"type": "integer"}), json!([-1, 0, 1, 2, 5])),
        field("j", Kind::Integer, true, small, json!([0, 1, 2, 3])),
        field("k", Kind::Integer, true, json!({"type": "integer"}), json!([-1, 0, 1, 4])),
        field(
            "n",
            Kind::Integer,
            false,
            json!({"type": "integer", "nullable": true}),
            json!([null, 0, 1, 2]),
        ),
        field("f", Kind::Integer, true, json!({"type": "integer", "default": 1}), json!([0, 1, 2])),
        field("d", Kind::Number, true, json!({"type": "number"}), json!([-1.0, -0.0, 0.0, 0.5, 1.0, 2.0])),
        field("e", Kind::Number, false, json!({"type": "number", "minimum": 0}), json!([0, 0.5, 1, 3.5])),
        field("s", Kind::Text, false, json!({"type": "string"}), json!(["", "a", "b", "bad", "ab", "NaN"])),
        field(
            "t",
            Kind::Text,
            true,
            json!({"type": "string", "maxLength": 3}),
            json!(["", "a", "ab", "abc"]),
        ),
        field("u", Kind::Text, true, json!({"type": "string", "enum": ["a", "b"]}), json!(["a", "b"])),
        field("z", Kind::Boolean, false, json!({"type": "boolean"}), json!([true, false])),
        field("y", Kind::Boolean, true, json!({"type": "boolean"}), json!([true, false])),
    ]
}

fn numbers_at_limits() -> Vec<Field> {
    let near = 9_007_199_254_740_992_i64;
    let large = json!([i64::MIN, -1, 0, 1, near, near + 1, i64::MAX - 1, i64::MAX]);
    let numbers = json!([-1e308, -0.0, 0.0, 1.0, 9_007_199_254_740_992.0, 1e308, 9.3e18]);
    vec![
        field("g", Kind::Integer, true, json!({"type": "integer"}), large),
        field("h", Kind::Number, true, json!({"type": "number"}), numbers),
    ]
}

fn collections() -> Vec<Field> {
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "n": {"type": "integer"}}});
    let keyed = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": item});
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
    let short = json!({"type": "array", "maxItems": 2, "items": {"type": "integer"}});
    let nullable = json!({"type": "array", "items": {"type": "integer", "nullable": true}});
    let numbers = json!({"type": "array", "items": {"type": "number"}});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let object = json!({"type": "object", "properties": {
        "x": {"type": "integer"}, "y": {"type": "integer", "default": 1}}});
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let lists = json!([[], [0], [5], [1, 1], [5, 0], [-1, 2]]);
    vec![
        field(
            "l",
            Kind::Integers,
            true,
            json!({"type": "array", "items": {"type": "integer"}}),
            lists.clone(),
        ),
        field("m", Kind::Integers, false, short, lists),
        field("v", Kind::Integers, true, nullable, json!([[], [null], [1], [null, 1], [2, 0]])),
        field("a", Kind::Numbers, true, numbers, json!([[], [0.0], [1.5], [0.0, -0.0], [1.0, 2.5]])),
        field(
            "w",
            Kind::Texts,
            true,
            texts,
            json!([[], ["a"], ["bad"], ["a", "bad"], ["a", "a"], ["", "b"]]),
        ),
        field("c", Kind::Texts, true, set, json!([[], ["a"], ["b"], ["a", "b"], ["b", "a"]])),
        field(
            "b",
            Kind::Items,
            true,
            keyed,
            json!([
            [], [{"name": "a"}], [{"name": "a", "n": 1}], [{"name": "b", "n": 0}],
            [{"name": "a", "n": 1}, {"name": "b"}], [{"name": "b", "n": 2}, {"name": "a", "n": 0}]]),
        ),
        field("p", Kind::Map, true, map.clone(), json!([{}, {"a": 0}, {"a": 1}, {"b": 5}, {"a": 1, "b": 1}])),
        field("q", Kind::Map, false, map, json!([{}, {"a": 1}, {"a": 2, "c": 0}])),
        field(
            "o",
            Kind::Object,
            false,
            object,
            json!([{"y": 1}, {"x": 0, "y": 1}, {"x": 1, "y": 0}, {"x": 2, "y": 2}]),
        ),
    ]
}

fn readings() -> Vec<Field> {
    let mixed = json!({"x-kubernetes-int-or-string": true});
    let duration = json!({"type": "string", "format": "duration"});
    let time = json!({"type": "string", "format": "date-time"});
    let times = json!([
        "0001-01-01T00:00:00Z",
        "2024-01-01T00:00:00Z",
        "2024-01-01T00:00:01Z",
        "9999-12-31T23:59:59Z"
    ]);
    let quantities = json!(["1", "1000m", "1Ki", "0", "x", ""]);
    vec![
        field("x", Kind::IntegerOrText, false, mixed, json!([0, 1, 80, "", "a", "80", "1Ki"])),
        field("r", Kind::Duration, true, duration, json!(["0s", "1s", "60s", "1m", "2562047h"])),
        field("st", Kind::Time, true, time, times),
        field("sq", Kind::Quantity, true, json!({"type": "string"}), quantities),
    ]
}

/// The schema of objects with these fields.
pub(crate) fn schema_of(fields: &[&Field]) -> Value {
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|it| (it.name.to_owned(), it.node.clone())).collect();
    let required: Vec<&str> = fields.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// All objects in which each field has one of its values, or is absent if it may be.
pub(crate) fn objects_of(fields: &[&Field]) -> Vec<Value> {
    let mut made = vec![serde_json::Map::new()];
    for field in fields {
        let mut next = if field.is_required { Vec::new() } else { made.clone() };
        for object in &made {
            for value in &field.values {
                let mut object = object.clone();
                object.insert(field.name.to_owned(), value.clone());
                next.push(object);
            }
        }
        made = next;
    }
    made.into_iter().map(Value::Object).collect()
}
