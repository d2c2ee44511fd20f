//! Objects whose fields have the API's types: those of which claims of fidelity are made.

use kvrules_ir::{Operand, Place, PlaceBase, PlaceStep, Predicate, ValueType};
use kvrules_kubernetes::quantity::Quantity;
use serde_json::Value;

/// True if everything that a predicate looks at in an object has its type.
pub(crate) fn is_well_typed(predicate: &Predicate, object: &Value) -> bool {
    object.is_object() && fits_predicate(predicate, &[object])
}

/// `around` holds the object and the elements around, the innermost last.
fn fits_predicate(predicate: &Predicate, around: &[&Value]) -> bool {
    let operand = |operand: &Operand| fits_place(operand.place(), around);
    match predicate {
        Predicate::True | Predicate::False => true,
        Predicate::All(parts) | Predicate::Any(parts) => {
            parts.iter().all(|part| fits_predicate(part, around))
        }
        Predicate::Not(inner) => fits_predicate(inner, around),
        Predicate::Each { list, holds } | Predicate::Some { list, holds } => {
            let typed = Place { value_type: ValueType::List, ..list.clone() };
            let elements = find(list, around).ok().flatten().and_then(Value::as_array);
            let mut elements = elements.into_iter().flatten().filter(|element| !element.is_null());
            fits_place(&typed, around)
                && elements.all(|element| fits_predicate(holds, &[around, &[element]].concat()))
        }
        Predicate::Present(place) | Predicate::Test { place, .. } => fits_place(place, around),
        Predicate::Compare { left, right, .. } => operand(left) && operand(right),
    }
}

fn fits_place(place: &Place, around: &[&Value]) -> bool {
    find(place, around).is_ok_and(|found| found.is_none_or(|value| fits(value, place.value_type)))
}

/// Returns the value at a place; an error if something on the way has another type than the place assumes.
fn find<'v>(place: &Place, around: &[&'v Value]) -> Result<Option<&'v Value>, ()> {
    let mut value = match place.base {
        PlaceBase::Root => around[0],
        PlaceBase::Element(depth) => around[around.len() - 1 - depth as usize],
    };
    for step in &place.steps {
        let below = match step {
            PlaceStep::Field { name, .. } | PlaceStep::Key(name) => value.as_object().ok_or(())?.get(name),
            PlaceStep::Item(index) => value.as_array().ok_or(())?.get(usize::try_from(*index).map_err(drop)?),
        };
        match below.filter(|value| !value.is_null()) {
            Some(below) => value = below,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// True if a value that is not `null` has a type.
pub(crate) fn fits(value: &Value, value_type: ValueType) -> bool {
    // Integers of the API have 64 bits.
    let is_short = |number: f64| number.fract() == 0.0 && number.abs() < 1e15;
    let is_whole = || value.is_i64() || value.is_u64() || value.as_f64().is_some_and(is_short);
    match value_type {
        ValueType::Integer => is_whole(),
        ValueType::Number => value.is_number(),
        ValueType::Quantity => {
            value.is_number() || value.as_str().is_some_and(|text| Quantity::parse_trimmed(text).is_ok())
        }
        ValueType::String | ValueType::Time => value.is_string(),
        ValueType::Boolean => value.is_boolean(),
        ValueType::IntOrString => value.is_string() || is_whole(),
        ValueType::Object | ValueType::Map => value.is_object(),
        ValueType::List => value.is_array(),
        ValueType::Any => true,
    }
}
