//! Words with a minimum and a maximum.

use kvrules_quantity::Quantity;
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
    summary: "the number is within `min` and `max`, which are included",
    schema: || bounds_schema(&json!({"type": "number"})),
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
    summary: "the resource quantity, such as `1.5Gi`, is within `min` and `max`, which are included",
    schema: || bounds_schema(&json!({"type": ["string", "number"]})),
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

fn read_integer(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    let help = Some("for numbers with a fraction use `number`, for quantities `quantity`");
    require_type(reader, "integer", target, &[ValueType::Integer], help)?;
    let read = |node: Node<'_>| {
        (node.kind() == SyntaxKind::Number)
            .then(|| node.text().parse::<i64>().ok().map(Number::from))
            .flatten()
    };
    let of_value = |value: &Json| value.as_i64().map(Number::from);
    let bounds = read_bounds(reader, node, "integer", "an integer", (&read, &of_value))?;
    let is_ordered = order(&bounds, |min, max| min.as_i64() <= max.as_i64());
    ordered(reader, node, bounds, is_ordered).map(ValueTest::Number)
}

fn read_number(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "number", target, &[ValueType::Number], Some("for integers use `integer`"))?;
    let read = |node: Node<'_>| {
        let read = || node.text().parse::<f64>().ok().filter(|it| it.is_finite()).and_then(Number::from_f64);
        (node.kind() == SyntaxKind::Number).then(read).flatten()
    };
    let of_value = |value: &Json| value.as_f64().and_then(Number::from_f64);
    let bounds = read_bounds(reader, node, "number", "a number", (&read, &of_value))?;
    let is_ordered = order(&bounds, |min, max| min.as_f64() <= max.as_f64());
    ordered(reader, node, bounds, is_ordered).map(ValueTest::Number)
}

/// The types of fields with quantities. Definitions have them as integers or strings.
pub(super) const QUANTITIES: &[ValueType] = &[ValueType::String, ValueType::IntOrString];

fn read_quantity(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "quantity", target, QUANTITIES, None)?;
    let read = |node: Node<'_>| {
        let is_scalar = matches!(node.kind(), SyntaxKind::Number | SyntaxKind::String);
        is_scalar.then(|| node.text().to_owned()).filter(|text| Quantity::parse(text).is_ok())
    };
    let of_value =
        |value: &Json| value.as_str().map(str::to_owned).filter(|text| Quantity::parse(text).is_ok());
    let wanted = "a quantity, such as `64Mi`";
    let bounds = read_bounds(reader, node, "quantity", wanted, (&read, &of_value))?;
    let is_ordered =
        order(&bounds, |min: &String, max: &String| match (Quantity::parse(min), Quantity::parse(max)) {
            (Ok(min), Ok(max)) => min.compare_quantity(&max).is_le(),
            _ => true,
        });
    ordered(reader, node, bounds, is_ordered).map(ValueTest::Quantity)
}

fn read_length(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "length", target, &[ValueType::String], Some("for lists and maps use `items`"))?;
    read_counts(reader, node, "length").map(ValueTest::Length)
}

fn read_items(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    let help = Some("for strings use `length`");
    require_type(reader, "items", target, &[ValueType::List, ValueType::Map], help)?;
    read_counts(reader, node, "items").map(ValueTest::Items)
}

fn read_counts(reader: &mut ConditionReader<'_, '_>, node: Node<'_>, word: &str) -> Option<Bounds<u64>> {
    let read =
        |node: Node<'_>| (node.kind() == SyntaxKind::Number).then(|| node.text().parse().ok()).flatten();
    let bounds = read_bounds(reader, node, word, "an integer from 0", (&read, &|value| value.as_u64()))?;
    let is_ordered = order(&bounds, |min: &u64, max| min <= max);
    ordered(reader, node, bounds, is_ordered)
}

/// Read a limit as it is written, and as the value of a parameter.
type LimitReaders<'a, T> = (&'a dyn Fn(Node<'_>) -> Option<T>, &'a dyn Fn(&Json) -> Option<T>);

fn read_bounds<T>(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    word: &str,
    wanted: &str,
    (read, of_value): LimitReaders<'_, T>,
) -> Option<Bounds<T>> {
    let what = format!("`{word}`");
    if !reader.check_mapping(node, &what, &["min", "max"]) {
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
    let (min, max) = (limit("min"), limit("max"));
    let bounds = Bounds { min: min.ok()?, max: max.ok()? };
    if bounds.min.is_none() && bounds.max.is_none() {
        reader.report_shape(node.span(), format!("`{word}` has neither `min` nor `max`"));
        return None;
    }
    Some(bounds)
}

fn order<T>(bounds: &Bounds<T>, is_ordered: impl Fn(&T, &T) -> bool) -> bool {
    match (&bounds.min, &bounds.max) {
        (Some(min), Some(max)) => is_ordered(min, max),
        _ => true,
    }
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
    let span = node.get("min").map_or(node.span(), Node::span);
    let fix = node.get("min").zip(node.get("max")).and_then(|(min, max)| exchange_fix(min, max));
    reader.report_contradiction(span, "`min` is greater than `max`, so that no value passes", fix);
    None
}
