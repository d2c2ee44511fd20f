//! The values that a selector finds, with their locations.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Scalar, Selector, ValueType};
use serde_json::{Map, Number, Value};

use super::{LocatedValue, ValueOrigin};
use crate::scope::{EvalScope, PlaceContent, position};
use crate::value::EffectiveValue;

/// Visits each value that a selector finds in an object.
pub(super) fn visit_values<'v>(
    selector: &'v Selector,
    object: &'v Value,
    visit: &mut impl FnMut(String, EffectiveValue<'v>),
) {
    visit_scope(&selector.lists, &selector.leaf, &EvalScope::Root(object), &mut Vec::new(), visit);
}

/// Visits the values in a scope, from the next list on. `elements` are the locations of the elements that the scope
/// stands at, the outermost first.
fn visit_scope<'v>(
    lists: &'v [Place],
    leaf: &'v Place,
    scope: &EvalScope<'_, 'v>,
    elements: &mut Vec<String>,
    visit: &mut impl FnMut(String, EffectiveValue<'v>),
) {
    let Some((list, inner)) = lists.split_first() else {
        if let Some(datum) = scope.effective_value(leaf) {
            visit(location_text(scope, leaf, elements), datum);
        }
        return;
    };
    let path = location_text(scope, list, elements);
    for (index, element) in scope.elements(list) {
        elements.push(format!("{path}[{index}]"));
        visit_scope(inner, leaf, &EvalScope::Element(element, scope), elements, visit);
        elements.pop();
    }
}

/// The location of a place as path text, with indices counted from the start.
fn location_text(scope: &EvalScope, place: &Place, elements: &[String]) -> String {
    let mut text = match place.base {
        PlaceBase::Root => String::new(),
        PlaceBase::Element(depth) => {
            let depth = usize::try_from(depth).unwrap_or(usize::MAX);
            elements.iter().rev().nth(depth).cloned().unwrap_or_default()
        }
    };
    let mut here = scope.start_at(place.base);
    for step in &place.steps {
        text.push_str(&step_text(step, here));
        here = here.and_then(|found| found.follow_step(step));
    }
    text
}

fn step_text(step: &PlaceStep, parent: Option<PlaceContent>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match step {
        PlaceStep::Field { name, .. } if !name.is_empty() && name.chars().all(plain) => format!(".{name}"),
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => {
            format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
        }
        PlaceStep::Item(index) => match parent {
            Some(PlaceContent::Spelled(Value::Array(items))) => {
                position(*index, items.len()).map_or_else(|| format!("[{index}]"), |at| format!("[{at}]"))
            }
            _ => format!("[{index}]"),
        },
    }
}

/// A value as it is shown.
pub(super) fn to_located_value(location: String, datum: EffectiveValue) -> LocatedValue {
    let (value, origin) = match datum {
        EffectiveValue::Spelled(value, _) => (value.clone(), ValueOrigin::Object),
        EffectiveValue::Default(default, _) => (scalar_value(default), ValueOrigin::Default),
        EffectiveValue::Zero(kind) => (zero_value(kind), ValueOrigin::Zero),
    };
    LocatedValue { location, value, origin }
}

fn scalar_value(scalar: &Scalar) -> Value {
    match scalar {
        // An integer that does not fit into a JSON number is shown as a string.
        Scalar::Integer(integer) => i128::try_from(integer)
            .ok()
            .and_then(Number::from_i128)
            .map_or_else(|| Value::String(integer.to_string()), Value::Number),
        Scalar::Text(text) => Value::String(text.clone()),
        Scalar::Boolean(truth) => Value::Bool(*truth),
    }
}

fn zero_value(kind: ValueType) -> Value {
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
