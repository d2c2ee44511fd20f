//! Types that decode themselves: each gets the text of its value.

use super::{parse_int, sanitize};
use crate::error::GoError;
use crate::json::decode_string;
use crate::quantity::{self, Quantity, QuantityAmount};
use crate::schema::{CustomDecoding, GoSchema, TypeId};
use crate::time;
use crate::value::{ListData, ValueData};

/// Decodes a value's text over what is there.
pub(super) fn decode_custom(text: &str, ty: TypeId, data: &mut ValueData) -> Result<(), GoError> {
    match GoSchema::get().type_of(ty).own {
        CustomDecoding::Standard => {}
        CustomDecoding::Quantity => decode_quantity(text, data)?,
        CustomDecoding::IntOrString => int_or_string(text, data)?,
        CustomDecoding::Time => *data = decode_time(text)?,
        CustomDecoding::FieldsV1 if text == "null" => {}
        CustomDecoding::FieldsV1 => *data = ValueData::Struct(vec![raw_data(text)]),
        CustomDecoding::Spec => *data = decode_spec(text, ty)?,
    }
    Ok(())
}

/// Returns Go's name for the type of a JSON value.
// encoding/json decode.go: the words that decodeState.array, object and literalStore put into UnmarshalTypeError.Value.
pub(crate) fn found_type_name(text: &str) -> &'static str {
    match text.bytes().next() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "bool",
        _ => "number",
    }
}

/// The text of a string is taken as it stands, escapes and all, and blanks around it are dropped (E266).
// apimachinery resource/quantity.go, Quantity.UnmarshalJSON.
fn decode_quantity(text: &str, data: &mut ValueData) -> Result<(), GoError> {
    if text == "null" {
        // The suffix's kind and the remembered text stay.
        // The fields `i` and `d`.
        for at in [0, 1] {
            if let ValueData::Struct(parts) = data
                && let Some(part) = parts.get_mut(at)
            {
                *part = ValueData::Zero;
            }
        }
        return Ok(());
    }
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim();
    let parsed = quantity::parse(inner).map_err(|error| GoError::Other(error.to_owned()))?;
    *data = parts(inner, &parsed);
    Ok(())
}

// Private parts cannot be read, and a walk sees only if they are empty. So one word stands for any big number.
fn parts(text: &str, Quantity { amount, format, is_canonical }: &Quantity) -> ValueData {
    let (integer, decimal) = match *amount {
        QuantityAmount::Scaled { value, scale } => {
            (ValueData::Struct(vec![ValueData::Int(value), ValueData::Int(scale.into())]), ValueData::Zero)
        }
        QuantityAmount::Decimal { is_negative, is_zero } => {
            let words: ListData = (!is_zero).then_some(ValueData::Uint(1)).into_iter().collect();
            let unscaled = ValueData::Struct(vec![ValueData::Bool(is_negative), ValueData::List(words)]);
            let decimal = ValueData::Struct(vec![unscaled, ValueData::Zero]);
            (ValueData::Zero, ValueData::Struct(vec![ValueData::Pointer(Box::new(decimal))]))
        }
    };
    let remembered = if *is_canonical { ValueData::Text(text.to_owned()) } else { ValueData::Zero };
    ValueData::Struct(vec![integer, decimal, remembered, ValueData::Text((*format).to_owned())])
}

/// Go marks a string by 1 and anything else by 0, and then reads it as an `int32`.
// apimachinery util/intstr, IntOrString.UnmarshalJSON: the field of the other type keeps what an earlier key set.
fn int_or_string(text: &str, data: &mut ValueData) -> Result<(), GoError> {
    let (kind, at, value) = match found_type_name(text) {
        "string" => (1, 2, Some(ValueData::Text(decode_string(text).into_owned()))),
        _ if text == "null" => (0, 1, None),
        "number" => {
            let number = parse_int(text, 32);
            let number = number.ok_or_else(|| GoError::mismatch(format!("number {text}"), "int32"))?;
            (0, 1, Some(ValueData::Int(number)))
        }
        found => return Err(GoError::mismatch(found, "int32")),
    };
    if let Some(slot) = data.field_mut(3, 0) {
        *slot = ValueData::Int(kind);
    }
    if let (Some(slot), Some(value)) = (data.field_mut(3, at), value) {
        *slot = value;
    }
    Ok(())
}

/// The fields of a time are private, so rules only see that its zone was set.
// apimachinery meta/v1/time.go, Time.UnmarshalJSON: Local sets the zone of every time that parses.
fn decode_time(text: &str) -> Result<ValueData, GoError> {
    match found_type_name(text) {
        _ if text == "null" => return Ok(ValueData::Zero),
        "string" => {}
        found => return Err(GoError::mismatch(found, "string")),
    }
    time::check_time(&decode_string(text)).map_err(GoError::Other)?;
    let zone = ValueData::Pointer(Box::new(ValueData::Zero));
    Ok(ValueData::Struct(vec![ValueData::Struct(vec![ValueData::Zero, ValueData::Zero, zone])]))
}

// apimachinery meta/v1, FieldsV1.UnmarshalJSON.
fn raw_data(text: &str) -> ValueData {
    ValueData::List(text.bytes().map(|byte| ValueData::Uint(byte.into())).collect())
}

/// Decoded again each time: a second `spec` does not add to the first, and `null` empties it.
// kubevirt.io/api core/v1 types.go, VirtualMachineInstanceSpec.UnmarshalJSON.
fn decode_spec(text: &str, ty: TypeId) -> Result<ValueData, GoError> {
    if text == "null" {
        return Ok(ValueData::Zero);
    }
    if found_type_name(text) != "object" {
        return Err(GoError::mismatch(found_type_name(text), "v1.VMISpecAlias"));
    }
    let mut data = super::decode_type(text, ty)?;
    sanitize::name_servers(ty, &mut data);
    Ok(data)
}
