//! Shapes in the keywords of a dialect.

use std::collections::BTreeSet;

use kvrules_ir::Interval;
use kvrules_kubernetes::quantity::shortest_binary;
use serde_json::{Map, Value, json};

use super::Dialect;
use super::QuantityMode;
use super::dialect::schema_of_keywords;
use super::leaf::{LeafChoice, LeafTest, ScalarConstraints, lossless_number};
use super::merge::{in_order, join_schemas};
use super::quantity_pattern;
use super::shape::{FieldShape, ItemShape, ItemsShape, ValueShape};

type Schema = Map<String, Value>;

/// The schema of a shape.
pub(crate) fn build_schema(shape: &ValueShape, dialect: Dialect) -> Schema {
    dialect.polished(SchemaBuilder { dialect }.shape(shape))
}

/// Writes schemas.
#[derive(Clone, Copy)]
struct SchemaBuilder {
    dialect: Dialect,
}

impl SchemaBuilder {
    /// The schema of a shape. It treats `null` as it treats other values that fit nowhere.
    fn shape(self, shape: &ValueShape) -> Schema {
        match shape {
            ValueShape::Anything => Schema::new(),
            ValueShape::Nothing => negated_schema(Schema::new()),
            ValueShape::Leaf(leaf) => self.leaf(leaf, false),
            ValueShape::Field(field) => self.fields(&[field]),
            ValueShape::Item(item) => self.item(item),
            ValueShape::Items(items) => self.items(items),
            ValueShape::All(parts) => join_schemas(self.conjuncts(parts)),
            ValueShape::Any(parts) => self.any(parts),
        }
    }

    /// The schema of a shape that accepts or refuses `null` as asked.
    fn with_null(self, shape: &ValueShape, null: bool) -> Schema {
        match (shape.accepts_the_formless(), null) {
            (true, false) => self.without_null(shape),
            (false, true) => self.or_null(shape),
            _ => self.shape(shape),
        }
    }

    /// Refuses `null` where the shape alone would let it pass.
    fn without_null(self, shape: &ValueShape) -> Schema {
        let refusal = negated_schema(self.dialect.null());
        match shape {
            ValueShape::Leaf(leaf) => self.leaf(leaf, true),
            ValueShape::Anything => refusal,
            _ => join_schemas([self.shape(shape), refusal]),
        }
    }

    /// Lets `null` in where the shape alone would refuse it.
    fn or_null(self, shape: &ValueShape) -> Schema {
        match shape {
            ValueShape::Leaf(leaf) => self.leaf(leaf, true),
            ValueShape::Nothing => self.dialect.null(),
            ValueShape::All(parts) => {
                let (fields, rest) = split_fields(parts);
                let fields = (!fields.is_empty()).then(|| self.fields(&fields)).map(|it| self.nullable(it));
                let rest = rest.into_iter().map(|part| self.with_null(part, true));
                join_schemas(fields.into_iter().chain(rest).collect::<Vec<_>>())
            }
            // One alternative that accepts `null` is enough.
            ValueShape::Any(parts) => {
                any_of(parts.iter().enumerate().map(|(at, part)| self.with_null_if(part, at == 0)))
            }
            // Without a type of its own, the schema under `not` would accept `null`.
            ValueShape::Items(items) if items.one && !self.dialect.is_modern() => {
                let schema = self.shape(&ValueShape::Items(ItemsShape { otherwise: true, ..items.clone() }));
                self.nullable(typed_schema("array", schema))
            }
            ValueShape::Anything | ValueShape::Field(_) | ValueShape::Item(_) | ValueShape::Items(_) => {
                let schema = self.shape(shape);
                self.nullable(schema)
            }
        }
    }

    fn with_null_if(self, shape: &ValueShape, wanted: bool) -> Schema {
        if wanted { self.with_null(shape, true) } else { self.shape(shape) }
    }

    /// Lets `null` into a schema with a type; one without a type has let it in already.
    fn nullable(self, schema: Schema) -> Schema {
        in_order(self.dialect.or_null(schema))
    }

    fn conjuncts(self, parts: &[ValueShape]) -> Vec<Schema> {
        let (fields, rest) = split_fields(parts);
        let fields = (!fields.is_empty()).then(|| self.fields(&fields));
        let rest: Vec<_> = rest.into_iter().map(|part| self.shape(part)).collect();
        fields.into_iter().chain(rest).collect()
    }

    /// An object by several of its fields.
    fn fields(self, fields: &[&FieldShape]) -> Schema {
        let required: Vec<_> =
            fields.iter().filter(|field| !field.absent).map(|field| &*field.name).collect();
        let mut properties = Map::new();
        for field in fields {
            let value = self.with_null(&field.value, field.absent);
            if !value.is_empty() {
                properties.insert(field.name.clone(), value.into());
            }
        }
        let mut schema = Schema::new();
        if fields.iter().any(|field| !field.otherwise) {
            schema.insert("type".to_owned(), "object".into());
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), properties.into());
        }
        schema
    }

    /// A list by one of its items.
    fn item(self, item: &ItemShape) -> Schema {
        let mut schema = Schema::new();
        if !item.otherwise {
            schema.insert("type".to_owned(), "array".into());
        }
        if !item.absent {
            schema.insert("minItems".to_owned(), (item.index + 1).into());
        }
        let value = self.with_null(&item.value, item.absent);
        if !value.is_empty() {
            let before = std::iter::repeat_n(Schema::new(), item.index);
            let items = before.chain([value]).map(Value::from).collect();
            schema.insert("prefixItems".to_owned(), items);
        }
        schema
    }

    /// A list by its items.
    fn items(self, items: &ItemsShape) -> Schema {
        let schema = match (items.one, self.dialect.is_modern()) {
            (true, true) => schema_of_keywords([("contains", self.with_null(&items.item, false).into())]),
            // Without `contains`, "at least one is" is written as "not each is not".
            (true, false) => negated_schema(self.shape(&ValueShape::Items(items.clone()).negated())),
            (false, _) => schema_of_keywords([("items", self.with_null(&items.item, true).into())]),
        };
        if items.otherwise { schema } else { in_order(typed_schema("array", schema)) }
    }

    /// One of several. Where some of them are the opposites of conditions, that is how they read best.
    fn any(self, parts: &[ValueShape]) -> Schema {
        let (refusals, rest): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(ValueShape::is_refusal);
        if !self.dialect.is_modern() || refusals.is_empty() || rest.is_empty() {
            return any_of(parts.iter().map(|part| self.shape(part)));
        }
        let condition = ValueShape::all(refusals.into_iter().map(ValueShape::negated));
        schema_of_keywords([
            ("if", self.shape(&condition).into()),
            ("then", self.shape(&ValueShape::any(rest)).into()),
        ])
    }

    /// A test. The schema treats `null` as the test does, or the opposite if `turned`.
    fn leaf(self, leaf: &ScalarConstraints, turned: bool) -> Schema {
        let schema = self.check(&leaf.check, turned);
        if leaf.negated { negated_schema(schema) } else { schema }
    }

    /// A test; `null` passes only where asked.
    fn check(self, check: &LeafTest, null: bool) -> Schema {
        let door = |schema: Schema| if null { self.nullable(schema) } else { schema };
        match check {
            LeafTest::Integer(interval, None) => door(integer_schema(interval)),
            LeafTest::Integer(interval, Some(quantities)) => {
                let mut schema = any_of(
                    [door(integer_schema(interval))].into_iter().chain(quantity_texts(interval, *quantities)),
                );
                schema.insert("description".to_owned(), in_words(interval).into());
                self.dialect.mark_int_or_string(&mut schema);
                in_order(schema)
            }
            LeafTest::Length(interval) => {
                let bounds = bound_keywords(interval, "minLength", "maxLength");
                door(typed_schema("string", bounds))
            }
            LeafTest::OneOf(choices) => door(one_of(choices)),
            LeafTest::Pattern(pattern) => {
                door(typed_schema("string", schema_of_keywords([("pattern", pattern.as_str().into())])))
            }
        }
    }
}

/// The texts that are quantities in an interval.
fn quantity_texts(interval: &Interval, quantities: QuantityMode) -> Vec<Schema> {
    let (min, max) = (interval.min.as_ref(), interval.max.as_ref());
    let matching =
        |pattern: String| typed_schema("string", schema_of_keywords([("pattern", pattern.into())]));
    if quantities == QuantityMode::Exact {
        return vec![matching(quantity_pattern::pattern_between(min, max).pattern)];
    }
    let mut all: Vec<Vec<Schema>> = quantity_pattern::common_between(min, max)
        .into_iter()
        .map(|any| any.into_iter().map(matching).collect())
        .collect();
    match all.as_mut_slice() {
        [only] => std::mem::take(only),
        _ => vec![join_schemas(all.into_iter().map(any_of))],
    }
}

/// The fields among shapes, and the others.
fn split_fields(parts: &[ValueShape]) -> (Vec<&FieldShape>, Vec<&ValueShape>) {
    let field = |part: &ValueShape| matches!(part, ValueShape::Field(_));
    let fields =
        parts.iter().filter_map(|part| if let ValueShape::Field(field) = part { Some(field) } else { None });
    (fields.collect(), parts.iter().filter(|part| !field(part)).collect())
}

fn typed_schema(name: &str, schema: Schema) -> Schema {
    let mut typed = schema_of_keywords([("type", name.into())]);
    typed.extend(schema);
    typed
}

fn negated_schema(schema: Schema) -> Schema {
    schema_of_keywords([("not", schema.into())])
}

fn any_of(schemas: impl IntoIterator<Item = Schema>) -> Schema {
    let schemas: Vec<Value> = schemas.into_iter().map(Value::from).collect();
    schema_of_keywords([("anyOf", schemas.into())])
}

fn integer_schema(interval: &Interval) -> Schema {
    typed_schema("integer", bound_keywords(interval, "minimum", "maximum"))
}

fn bound_keywords(interval: &Interval, min: &str, max: &str) -> Schema {
    let bound = |keyword: &str, bound: &Option<_>| {
        bound.as_ref().and_then(lossless_number).map(|number| (keyword.to_owned(), number.into()))
    };
    [bound(min, &interval.min), bound(max, &interval.max)].into_iter().flatten().collect()
}

/// An interval for readers, who would not see it in the pattern.
fn in_words(interval: &Interval) -> String {
    match (&interval.min, &interval.max) {
        (Some(min), Some(max)) if min == max => format!("A quantity equal to {}.", shortest_binary(min)),
        (Some(min), Some(max)) => {
            format!("A quantity from {} to {}.", shortest_binary(min), shortest_binary(max))
        }
        (Some(min), None) => format!("A quantity of at least {}.", shortest_binary(min)),
        (None, Some(max)) => format!("A quantity of at most {}.", shortest_binary(max)),
        (None, None) => "A quantity of whole units.".to_owned(),
    }
}

/// One of these values; of strings alone, the type says more to a reader.
fn one_of(choices: &BTreeSet<LeafChoice>) -> Schema {
    let value = |choice: &LeafChoice| match choice {
        LeafChoice::Boolean(truth) => Some(Value::from(*truth)),
        LeafChoice::Number(text) => serde_json::from_str(text).ok(),
        LeafChoice::Text(text) => Some(Value::from(text.as_str())),
    };
    let values: Vec<Value> = choices.iter().filter_map(value).collect();
    let strings = values.iter().all(Value::is_string);
    let schema = schema_of_keywords([("enum", values.into())]);
    if strings { typed_schema("string", schema) } else { schema }
}
