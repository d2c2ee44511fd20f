//! The values of a type that have a given text.

use kvrules_ir::ValueType;
use kvrules_kubernetes::quantity::Quantity;
use serde_json::Number;

use super::leaf::LeafChoice;

/// The values of a type whose text is this one; none if the type has no such value.
pub(crate) fn with_text(text: &str, value_type: ValueType) -> Vec<LeafChoice> {
    let string = || Some(LeafChoice::Text(text.to_owned()));
    let number = || shortest_number(text).map(|_| LeafChoice::Number(text.to_owned()));
    let integer = || number().filter(|_| !text.contains('.'));
    let boolean = || text.parse().ok().map(LeafChoice::Boolean);
    let choices = match value_type {
        ValueType::String | ValueType::Time => [string(), None, None],
        ValueType::Boolean => [boolean(), None, None],
        ValueType::Integer => [integer(), None, None],
        ValueType::Number => [number(), None, None],
        ValueType::IntOrString => [string(), integer(), None],
        ValueType::Quantity => [string().filter(|_| Quantity::parse_trimmed(text).is_ok()), number(), None],
        ValueType::Any => [string(), number(), boolean()],
        ValueType::Object | ValueType::Map | ValueType::List => [None, None, None],
    };
    choices.into_iter().flatten().collect()
}

/// The number that is written so in its shortest form.
fn shortest_number(text: &str) -> Option<Number> {
    let number: Number = serde_json::from_str(text).ok()?;
    let shortest = match number.as_f64().filter(|_| number.is_f64()) {
        Some(0.0) => "0".to_owned(),
        Some(float) => float.to_string(),
        None => number.to_string(),
    };
    (shortest == text).then_some(number)
}
