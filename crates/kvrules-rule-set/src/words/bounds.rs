//! Words with a minimum and a maximum.

use std::cmp::Ordering;

use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::{Node, SyntaxKind};
use serde_json::{Number, Value as Json, json};

use super::{ExampleObject, Reading, Word, WordExample, changes, offers, require_type};
use crate::condition::{Bounds, ValueTest};
use crate::reader::{ConditionReader, PathTarget};
use crate::repairs::exchange_fix;
use crate::shape::ValueType;

pub(super) static INTEGER: Word = Word {
    name: "integer",
    example: WordExample {
        rule: "path: spec.depth, integer: {min: 1, max: 9}",
        passes: ExampleObject { spec: "depth: 9", stored: None },
        fails: ExampleObject { spec: "depth: 10", stored: None },
    },
    summary: "the integer is within `min` and `max`, which are included",
    schema: || bounds_schema(&json!({"type": "integer"})),
    read: Reading::Test(read_integer),
    changes: changes::change_integers,
    offer: offers::offer_integer,
};

pub(super) static NUMBER: Word = Word {
    name: "number",
    example: WordExample {
        rule: "path: spec.ratio, number: {min: 0.5}",
        passes: ExampleObject { spec: "ratio: 0.5", stored: None },
        fails: ExampleObject { spec: "ratio: 0.25", stored: None },
    },
    summary: "the number is within `min` and `max`, which are included, or `above` and `below`, which are not",
    schema: || open_bounds_schema(&json!({"type": "number"})),
    read: Reading::Test(read_number),
    changes: changes::change_numbers,
    offer: offers::offer_number,
};

pub(super) static QUANTITY: Word = Word {
    name: "quantity",
    example: WordExample {
        rule: "path: spec.memory, quantity: {max: 2Gi}",
        passes: ExampleObject { spec: "memory: 512Mi", stored: None },
        fails: ExampleObject { spec: "memory: 3Gi", stored: None },
    },
    summary: "the resource quantity, such as `1.5Gi`, is within `min` and `max`, which are included, or `above` and `below`, which are not",
    schema: || open_bounds_schema(&json!({"type": ["string", "number"]})),
    read: Reading::Test(read_quantity),
    changes: changes::change_quantities,
    offer: offers::offer_quantity,
};

pub(super) static LENGTH: Word = Word {
    name: "length",
    example: WordExample {
        rule: "path: spec.name, length: {min: 2}",
        passes: ExampleObject { spec: "name: koi", stored: None },
        fails: ExampleObject { spec: "name: k", stored: None },
    },
    summary: "the number of characters of the string is within `min` and `max`",
    schema: || bounds_schema(&json!({"type": "integer", "minimum": 0})),
    read: Reading::Test(read_length),
    changes: changes::change_counts,
    offer: offers::offer_length,
};

pub(super) static ITEMS: Word = Word {
    name: "items",
    example: WordExample {
        rule: "path: spec.fish, items: {max: 2}",
        passes: ExampleObject { spec: "fish: [{name: koi}]", stored: None },
        fails: ExampleObject { spec: "fish: [{name: koi}, {name: carp}, {name: roach}]", stored: None },
    },
    summary: "the number of items of the list, or of keys of the map, is within `min` and `max`",
    schema: || bounds_schema(&json!({"type": "integer", "minimum": 0})),
    read: Reading::Test(read_items),
    changes: changes::change_counts,
    offer: offers::offer_items,
};

fn bounds_schema(limit: &Json) -> Json {
    let limit = json!({"anyOf": [limit, {"type": "string", "pattern": "^\\$\\([a-zA-Z][a-zA-Z0-9-]*\\)$"}]});
    json!({"type": "object", "properties": {"min": limit, "max": limit}, "additionalProperties": false, "minProperties": 1})
}

/// Bounds that may also be excluded.
fn open_bounds_schema(limit: &Json) -> Json {
    let mut schema = bounds_schema(limit);
    let limit = schema.pointer("/properties/min").cloned().unwrap_or_default();
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Json::as_object_mut) {
        properties.insert("above".to_owned(), limit.clone());
        properties.insert("below".to_owned(), limit);
    }
    schema
}

fn read_integer(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "integer", target, &[ValueType::Integer])?;
    let read = |node: Node<'_>| {
        (node.kind() == SyntaxKind::Number)
            .then(|| node.text().parse::<i64>().ok().map(Number::from))
            .flatten()
    };
    let of_value = |value: &Json| value.as_i64().map(Number::from);
    let bounds = read_bounds(reader, node, "integer", "an integer", (&read, &of_value))?;
    let is_ordered = order(&bounds, |min, max| min.as_i64().partial_cmp(&max.as_i64()));
    ordered(reader, node, bounds, is_ordered).map(ValueTest::Number)
}

fn read_number(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "number", target, &[ValueType::Number])?;
    let read = |node: Node<'_>| {
        let read = || node.text().parse::<f64>().ok().filter(|it| it.is_finite()).and_then(Number::from_f64);
        (node.kind() == SyntaxKind::Number).then(read).flatten()
    };
    let of_value = |value: &Json| value.as_f64().and_then(Number::from_f64);
    let bounds = read_open_bounds(reader, node, "number", "a number", (&read, &of_value))?;
    let is_ordered = order(&bounds, |min, max| min.as_f64().partial_cmp(&max.as_f64()));
    ordered(reader, node, bounds, is_ordered).map(ValueTest::Number)
}

/// The types of fields with quantities. Definitions have them as integers or strings.
pub(super) const QUANTITIES: &[ValueType] = &[ValueType::String, ValueType::IntOrString];

fn read_quantity(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "quantity", target, QUANTITIES)?;
    let read = |node: Node<'_>| {
        let is_scalar = matches!(node.kind(), SyntaxKind::Number | SyntaxKind::String);
        is_scalar.then(|| node.text().to_owned()).filter(|text| Quantity::parse(text).is_ok())
    };
    let of_value =
        |value: &Json| value.as_str().map(str::to_owned).filter(|text| Quantity::parse(text).is_ok());
    let wanted = "a quantity, such as `64Mi`";
    let bounds = read_open_bounds(reader, node, "quantity", wanted, (&read, &of_value))?;
    let is_ordered = order(&bounds, |min: &String, max: &String| {
        Some(Quantity::parse(min).ok()?.compare_quantity(&Quantity::parse(max).ok()?))
    });
    ordered(reader, node, bounds, is_ordered).map(ValueTest::Quantity)
}

fn read_length(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "length", target, &[ValueType::String])?;
    read_counts(reader, node, "length").map(ValueTest::Length)
}

fn read_items(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "items", target, &[ValueType::List, ValueType::Map])?;
    read_counts(reader, node, "items").map(ValueTest::Items)
}

fn read_counts(reader: &mut ConditionReader<'_, '_>, node: Node<'_>, word: &str) -> Option<Bounds<u64>> {
    read_counts_among(reader, node, word, &["min", "max"])
}

/// Reads a number of items from a mapping with these keys, of which others than `min` and `max` are not read.
pub(crate) fn read_counts_among(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    word: &str,
    keys: &[&str],
) -> Option<Bounds<u64>> {
    let read =
        |node: Node<'_>| (node.kind() == SyntaxKind::Number).then(|| node.text().parse().ok()).flatten();
    let readers: LimitReaders<'_, u64> = (&read, &|value| value.as_u64());
    let bounds = read_named_bounds(reader, node, (word, "an integer from 0"), keys, readers)?;
    let is_ordered = order(&bounds, |min: &u64, max| Some(min.cmp(max)));
    ordered(reader, node, bounds, is_ordered)
}

/// Read a limit as it is written, and as the value of a parameter.
type LimitReaders<'a, T> = (&'a dyn Fn(Node<'_>) -> Option<T>, &'a dyn Fn(&Json) -> Option<T>);

/// Reads bounds that are included.
fn read_bounds<T>(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    word: &str,
    wanted: &str,
    readers: LimitReaders<'_, T>,
) -> Option<Bounds<T>> {
    read_named_bounds(reader, node, (word, wanted), &["min", "max"], readers)
}

/// Reads bounds that are included or not.
fn read_open_bounds<T>(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    word: &str,
    wanted: &str,
    readers: LimitReaders<'_, T>,
) -> Option<Bounds<T>> {
    for (included, excluded) in [("min", "above"), ("max", "below")] {
        if let Some(entry) = node.entry(excluded).filter(|_| node.get(included).is_some()) {
            let message = format!("`{word}` has both `{included}` and `{excluded}`");
            reader.report_advised(entry.key.span(), message, "leave out one of them");
            return None;
        }
    }
    read_named_bounds(reader, node, (word, wanted), &["min", "max", "above", "below"], readers)
}

fn read_named_bounds<T>(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    (word, wanted): (&str, &str),
    names: &[&str],
    (read, of_value): LimitReaders<'_, T>,
) -> Option<Bounds<T>> {
    let what = format!("`{word}`");
    if !reader.check_mapping(node, &what, names) {
        return None;
    }
    let mut limit = |name: &str| -> Result<Option<T>, ()> {
        let Some(value) = node.get(name) else { return Ok(None) };
        let found = match reader.view.value_at(value, reader.findings) {
            Some(Err(())) => return Err(()),
            Some(Ok(parameter)) => of_value(&parameter),
            None => read(value),
        };
        if found.is_none() {
            reader.report_shape(value.span(), format!("`{name}` of `{word}` must be {wanted}"));
        }
        found.map(Some).ok_or(())
    };
    let (min, max, above, below) = (limit("min"), limit("max"), limit("above"), limit("below"));
    let bounds = Bounds { min: min.ok()?, max: max.ok()?, above: above.ok()?, below: below.ok()? };
    if names.iter().all(|name| node.get(name).is_none()) {
        let listed: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let message = match names {
            [_, _] => format!("`{word}` has neither `min` nor `max`"),
            _ => format!("`{word}` has none of {}", kvrules_diagnostics::join_words(&listed, "and")),
        };
        reader.report_shape(node.span(), message);
        return None;
    }
    Some(bounds)
}

/// True if some value may be within the bounds, by the order of two of them.
fn order<T>(bounds: &Bounds<T>, compare: impl Fn(&T, &T) -> Option<Ordering>) -> bool {
    let (lower, upper) =
        (bounds.min.as_ref().or(bounds.above.as_ref()), bounds.max.as_ref().or(bounds.below.as_ref()));
    let (Some(lower), Some(upper)) = (lower, upper) else { return true };
    let is_open = bounds.above.is_some() || bounds.below.is_some();
    compare(lower, upper).is_none_or(|order| order.is_lt() || (order.is_eq() && !is_open))
}

/// Reports bounds that no value is within.
fn ordered<T>(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    bounds: Bounds<T>,
    is_ordered: bool,
) -> Option<Bounds<T>> {
    if is_ordered || reader.view.is_symbolic {
        return Some(bounds);
    }
    let (lower, upper) = (
        node.entry("min").or_else(|| node.entry("above")),
        node.entry("max").or_else(|| node.entry("below")),
    );
    let span = lower.map_or(node.span(), |entry| entry.value.span());
    let fix = lower.zip(upper).and_then(|(lower, upper)| exchange_fix(lower.value, upper.value));
    let names = lower.zip(upper).map(|(lower, upper)| (lower.key.text(), upper.key.text()));
    let message = match names {
        Some(("min", "max")) | None => "`min` is greater than `max`, so that no value passes".to_owned(),
        Some((lower, upper)) => format!("`{lower}` is not less than `{upper}`, so that no value passes"),
    };
    reader.report_contradiction(span, &message, fix);
    None
}
