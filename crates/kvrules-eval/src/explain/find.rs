//! The values that a selector finds, with their locations.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Scalar, Selector, ValueType};
use serde_json::{Map, Number, Value};

use super::{LocatedValue, ValueOrigin};
use crate::scope::{Found, Scope, position};
use crate::value::Datum;

/// Visits each value that a selector finds in an object.
pub(super) fn visit_values<'v>(
    selector: &'v Selector,
    object: &'v Value,
    visit: &mut impl FnMut(String, Datum<'v>),
) {
    visit_scope(&selector.lists, &selector.leaf, &Scope::Root(object), &mut Vec::new(), visit);
}

/// Visits the values in a scope, from the next list on. `elements` are the locations of the elements that the scope
/// stands at, the outermost first.
fn visit_scope<'v>(
    lists: &'v [Place],
    leaf: &'v Place,
    scope: &Scope<'_, 'v>,
    elements: &mut Vec<String>,
    visit: &mut impl FnMut(String, Datum<'v>),
) {
    let Some((list, inner)) = lists.split_first() else {
        if let Some(datum) = scope.datum(leaf) {
            visit(location(scope, leaf, elements), datum);
        }
        return;
    };
    let path = location(scope, list, elements);
    for (index, element) in scope.elements(list) {
        elements.push(format!("{path}[{index}]"));
        visit_scope(inner, leaf, &Scope::Element(element, scope), elements, visit);
        elements.pop();
    }
}

/// The location of a place as path text, with indices counted from the start.
fn location(scope: &Scope, place: &Place, elements: &[String]) -> String {
    let mut text = match place.base {
        PlaceBase::Root => String::new(),
        PlaceBase::Element(depth) => {
            let depth = usize::try_from(depth).unwrap_or(usize::MAX);
            elements.iter().rev().nth(depth).cloned().unwrap_or_default()
        }
    };
    let mut here = scope.start(place.base);
    for step in &place.steps {
        text.push_str(&step_text(step, here));
        here = here.and_then(|found| found.step(step));
    }
    text
}

fn step_text(step: &PlaceStep, parent: Option<Found>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match step {
        PlaceStep::Field { name, .. } if !name.is_empty() && name.chars().all(plain) => format!(".{name}"),
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => {
            format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
        }
        PlaceStep::Item(index) => match parent {
            Some(Found::Spelled(Value::Array(items))) => {
                position(*index, items.len()).map_or_else(|| format!("[{index}]"), |at| format!("[{at}]"))
            }
            _ => format!("[{index}]"),
        },
    }
}

/// A value as it is shown.
pub(super) fn finding(location: String, datum: Datum) -> LocatedValue {
    let (value, origin) = match datum {
        Datum::Spelled(value, _) => (value.clone(), ValueOrigin::Object),
        Datum::Default(default, _) => (scalar(default), ValueOrigin::Default),
        Datum::Zero(kind) => (zero(kind), ValueOrigin::Zero),
    };
    LocatedValue { location, value, origin }
}

fn scalar(scalar: &Scalar) -> Value {
    match scalar {
        // An integer that JSON readers could not take in is shown as text.
        Scalar::Integer(integer) => i128::try_from(integer)
            .ok()
            .and_then(Number::from_i128)
            .map_or_else(|| Value::String(integer.to_string()), Value::Number),
        Scalar::Text(text) => Value::String(text.clone()),
        Scalar::Boolean(truth) => Value::Bool(*truth),
    }
}

fn zero(kind: ValueType) -> Value {
    match kind {
        ValueType::Integer | ValueType::Number | ValueType::IntOrString => Value::from(0),
        ValueType::Quantity => Value::from("0"),
        ValueType::String | ValueType::Time => Value::from(""),
        ValueType::Boolean => Value::from(false),
        ValueType::Object | ValueType::Map => Value::Object(Map::new()),
        ValueType::List => Value::Array(Vec::new()),
        ValueType::Any => Value::Null,
    }
}
