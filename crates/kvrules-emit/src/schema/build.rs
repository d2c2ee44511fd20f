//! Shapes in the keywords of a dialect.

use std::collections::BTreeSet;

use kvrules_ir::Interval;
use kvrules_ir::quantity::shortest_binary;
use serde_json::{Map, Value, json};

use super::Dialect;
use super::QuantityMode;
use super::dialect::keywords;
use super::leaf::{Check, Choice, Leaf, number};
use super::merge::{conjunction, in_order};
use super::quantity_pattern;
use super::shape::{Field, Item, Items, Shape};

type Schema = Map<String, Value>;

/// The schema of a shape.
pub(crate) fn build(shape: &Shape, dialect: Dialect) -> Schema {
    dialect.polished(Builder { dialect }.shape(shape))
}

/// Writes schemas.
#[derive(Clone, Copy)]
struct Builder {
    dialect: Dialect,
}

impl Builder {
    /// The schema of a shape. It treats `null` as it treats other values that fit nowhere.
    fn shape(self, shape: &Shape) -> Schema {
        match shape {
            Shape::Anything => Schema::new(),
            Shape::Nothing => not(Schema::new()),
            Shape::Leaf(leaf) => self.leaf(leaf, false),
            Shape::Field(field) => self.fields(&[field]),
            Shape::Item(item) => self.item(item),
            Shape::Items(items) => self.items(items),
            Shape::All(parts) => conjunction(self.conjuncts(parts)),
            Shape::Any(parts) => self.any(parts),
        }
    }

    /// The schema of a shape that accepts or refuses `null` as asked.
    fn with_null(self, shape: &Shape, null: bool) -> Schema {
        match (shape.accepts_the_formless(), null) {
            (true, false) => self.without_null(shape),
            (false, true) => self.or_null(shape),
            _ => self.shape(shape),
        }
    }

    /// Refuses `null` where the shape alone would let it pass.
    fn without_null(self, shape: &Shape) -> Schema {
        let refusal = not(self.dialect.null());
        match shape {
            Shape::Leaf(leaf) => self.leaf(leaf, true),
            Shape::Anything => refusal,
            _ => conjunction([self.shape(shape), refusal]),
        }
    }

    /// Lets `null` in where the shape alone would refuse it.
    fn or_null(self, shape: &Shape) -> Schema {
        match shape {
            Shape::Leaf(leaf) => self.leaf(leaf, true),
            Shape::Nothing => self.dialect.null(),
            Shape::All(parts) => {
                let (fields, rest) = split(parts);
                let fields = (!fields.is_empty()).then(|| self.fields(&fields)).map(|it| self.nullable(it));
                let rest = rest.into_iter().map(|part| self.with_null(part, true));
                conjunction(fields.into_iter().chain(rest).collect::<Vec<_>>())
            }
            // One door is enough.
            Shape::Any(parts) => {
                any_of(parts.iter().enumerate().map(|(at, part)| self.with_null_if(part, at == 0)))
            }
            // Without its own type, what stands under `not` would accept `null`.
            Shape::Items(items) if items.one && !self.dialect.is_modern() => {
                let schema = self.shape(&Shape::Items(Items { otherwise: true, ..items.clone() }));
                self.nullable(typed("array", schema))
            }
            Shape::Anything | Shape::Field(_) | Shape::Item(_) | Shape::Items(_) => {
                let schema = self.shape(shape);
                self.nullable(schema)
            }
        }
    }

    fn with_null_if(self, shape: &Shape, wanted: bool) -> Schema {
        if wanted { self.with_null(shape, true) } else { self.shape(shape) }
    }

    /// Lets `null` into a schema with a type; one without a type has let it in already.
    fn nullable(self, schema: Schema) -> Schema {
        in_order(self.dialect.or_null(schema))
    }

    fn conjuncts(self, parts: &[Shape]) -> Vec<Schema> {
        let (fields, rest) = split(parts);
        let fields = (!fields.is_empty()).then(|| self.fields(&fields));
        let rest: Vec<_> = rest.into_iter().map(|part| self.shape(part)).collect();
        fields.into_iter().chain(rest).collect()
    }

    /// An object by several of its fields.
    fn fields(self, fields: &[&Field]) -> Schema {
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
    fn item(self, item: &Item) -> Schema {
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
    fn items(self, items: &Items) -> Schema {
        let schema = match (items.one, self.dialect.is_modern()) {
            (true, true) => keywords([("contains", self.with_null(&items.item, false).into())]),
            // "At least one is" is written "not each is not", for want of `contains`.
            (true, false) => not(self.shape(&Shape::Items(items.clone()).negated())),
            (false, _) => keywords([("items", self.with_null(&items.item, true).into())]),
        };
        if items.otherwise { schema } else { in_order(typed("array", schema)) }
    }

    /// One of several. Where some of them are the opposites of conditions, that is how they read best.
    fn any(self, parts: &[Shape]) -> Schema {
        let (refusals, rest): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(Shape::is_refusal);
        if !self.dialect.is_modern() || refusals.is_empty() || rest.is_empty() {
            return any_of(parts.iter().map(|part| self.shape(part)));
        }
        let condition = Shape::all(refusals.into_iter().map(Shape::negated));
        keywords([("if", self.shape(&condition).into()), ("then", self.shape(&Shape::any(rest)).into())])
    }

    /// A test; the schema treats `null` as the test does, or the other way where `turned`.
    fn leaf(self, leaf: &Leaf, turned: bool) -> Schema {
        let schema = self.check(&leaf.check, turned);
        if leaf.negated { not(schema) } else { schema }
    }

    /// A test; `null` passes only where asked.
    fn check(self, check: &Check, null: bool) -> Schema {
        let door = |schema: Schema| if null { self.nullable(schema) } else { schema };
        match check {
            Check::Integer(interval, None) => door(integer(interval)),
            Check::Integer(interval, Some(quantities)) => {
                let mut schema =
                    any_of([door(integer(interval))].into_iter().chain(texts(interval, *quantities)));
                schema.insert("description".to_owned(), in_words(interval).into());
                self.dialect.mark_int_or_string(&mut schema);
                in_order(schema)
            }
            Check::Length(interval) => {
                let bounds = bounds(interval, "minLength", "maxLength");
                door(typed("string", bounds))
            }
            Check::OneOf(choices) => door(one_of(choices)),
            Check::Pattern(pattern) => {
                door(typed("string", keywords([("pattern", pattern.as_str().into())])))
            }
        }
    }
}

/// The texts that are quantities in an interval.
fn texts(interval: &Interval, quantities: QuantityMode) -> Vec<Schema> {
    let (min, max) = (interval.min.as_ref(), interval.max.as_ref());
    let matching = |pattern: String| typed("string", keywords([("pattern", pattern.into())]));
    if quantities == QuantityMode::Exact {
        return vec![matching(quantity_pattern::pattern_between(min, max).pattern)];
    }
    let mut all: Vec<Vec<Schema>> = quantity_pattern::common_between(min, max)
        .into_iter()
        .map(|any| any.into_iter().map(matching).collect())
        .collect();
    match all.as_mut_slice() {
        [only] => std::mem::take(only),
        _ => vec![conjunction(all.into_iter().map(any_of))],
    }
}

/// The fields among shapes, and the others.
fn split(parts: &[Shape]) -> (Vec<&Field>, Vec<&Shape>) {
    let field = |part: &Shape| matches!(part, Shape::Field(_));
    let fields =
        parts.iter().filter_map(|part| if let Shape::Field(field) = part { Some(field) } else { None });
    (fields.collect(), parts.iter().filter(|part| !field(part)).collect())
}

fn typed(name: &str, schema: Schema) -> Schema {
    let mut typed = keywords([("type", name.into())]);
    typed.extend(schema);
    typed
}

fn not(schema: Schema) -> Schema {
    keywords([("not", schema.into())])
}

fn any_of(schemas: impl IntoIterator<Item = Schema>) -> Schema {
    let schemas: Vec<Value> = schemas.into_iter().map(Value::from).collect();
    keywords([("anyOf", schemas.into())])
}

fn integer(interval: &Interval) -> Schema {
    typed("integer", bounds(interval, "minimum", "maximum"))
}

fn bounds(interval: &Interval, min: &str, max: &str) -> Schema {
    let bound = |keyword: &str, bound: &Option<_>| {
        bound.as_ref().and_then(number).map(|number| (keyword.to_owned(), number.into()))
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
fn one_of(choices: &BTreeSet<Choice>) -> Schema {
    let value = |choice: &Choice| match choice {
        Choice::Boolean(truth) => Some(Value::from(*truth)),
        Choice::Number(text) => serde_json::from_str(text).ok(),
        Choice::Text(text) => Some(Value::from(text.as_str())),
    };
    let values: Vec<Value> = choices.iter().filter_map(value).collect();
    let strings = values.iter().all(Value::is_string);
    let schema = keywords([("enum", values.into())]);
    if strings { typed("string", schema) } else { schema }
}
