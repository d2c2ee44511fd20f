//! Types that decode themselves: each gets the text of its value.

use super::{int, sanitize};
use crate::error::GoError;
use crate::json::string;
use crate::quantity::{self, Amount, Quantity};
use crate::schema::{Own, Schema, TypeId};
use crate::time;
use crate::value::{Data, List};

/// Decodes a value's text over what is there.
pub(super) fn decode(text: &str, ty: TypeId, data: &mut Data) -> Result<(), GoError> {
    match Schema::get().ty(ty).own {
        Own::Standard => {}
        Own::Quantity => quantity(text, data)?,
        Own::IntOrString => int_or_string(text, data)?,
        Own::Time => *data = moment(text)?,
        Own::FieldsV1 if text == "null" => {}
        Own::FieldsV1 => *data = Data::Struct(vec![raw(text)]),
        Own::Spec => *data = spec(text, ty)?,
    }
    Ok(())
}

/// Returns Go's name for the type of a JSON value.
fn found(text: &str) -> &'static str {
    match text.bytes().next() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "bool",
        _ => "number",
    }
}

/// The text of a string is taken as it stands, escapes and all, and blanks around it are dropped (E266).
fn quantity(text: &str, data: &mut Data) -> Result<(), GoError> {
    if text == "null" {
        // The suffix's kind and the remembered text stay.
        for at in [0, 1] {
            if let Data::Struct(parts) = data
                && let Some(part) = parts.get_mut(at)
            {
                *part = Data::Zero;
            }
        }
        return Ok(());
    }
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim();
    let parsed = quantity::parse(inner).map_err(|error| GoError::Other(error.to_owned()))?;
    *data = parts(inner, &parsed);
    Ok(())
}

fn parts(text: &str, Quantity { amount, format, is_canonical }: &Quantity) -> Data {
    let (integer, decimal) = match *amount {
        Amount::Scaled { value, scale } => {
            (Data::Struct(vec![Data::Int(value), Data::Int(scale.into())]), Data::Zero)
        }
        Amount::Decimal { is_negative, is_zero } => {
            let words: List = (!is_zero).then_some(Data::Uint(1)).into_iter().collect();
            let unscaled = Data::Struct(vec![Data::Bool(is_negative), Data::List(words)]);
            let decimal = Data::Struct(vec![unscaled, Data::Zero]);
            (Data::Zero, Data::Struct(vec![Data::Pointer(Box::new(decimal))]))
        }
    };
    let remembered = if *is_canonical { Data::Text(text.to_owned()) } else { Data::Zero };
    Data::Struct(vec![integer, decimal, remembered, Data::Text((*format).to_owned())])
}

/// Go marks a string by 1 and anything else by 0, and then reads it as an `int32`.
fn int_or_string(text: &str, data: &mut Data) -> Result<(), GoError> {
    let (kind, at, value) = match found(text) {
        "string" => (1, 2, Some(Data::Text(string(text).into_owned()))),
        _ if text == "null" => (0, 1, None),
        "number" => {
            let number = int(text, 32);
            let number = number.ok_or_else(|| GoError::mismatch(format!("number {text}"), "int32"))?;
            (0, 1, Some(Data::Int(number)))
        }
        found => return Err(GoError::mismatch(found, "int32")),
    };
    if let Some(slot) = data.field_mut(3, 0) {
        *slot = Data::Int(kind);
    }
    if let (Some(slot), Some(value)) = (data.field_mut(3, at), value) {
        *slot = value;
    }
    Ok(())
}

/// A time's own parts are private, so nobody sees more of it than that its zone was set.
fn moment(text: &str) -> Result<Data, GoError> {
    match found(text) {
        _ if text == "null" => return Ok(Data::Zero),
        "string" => {}
        found => return Err(GoError::mismatch(found, "string")),
    }
    time::check(&string(text)).map_err(GoError::Other)?;
    let zone = Data::Pointer(Box::new(Data::Zero));
    Ok(Data::Struct(vec![Data::Struct(vec![Data::Zero, Data::Zero, zone])]))
}

fn raw(text: &str) -> Data {
    Data::List(text.bytes().map(|byte| Data::Uint(byte.into())).collect())
}

/// Decoded anew each time: a second `spec` does not add to the first, and `null` empties it.
fn spec(text: &str, ty: TypeId) -> Result<Data, GoError> {
    if text == "null" {
        return Ok(Data::Zero);
    }
    if found(text) != "object" {
        return Err(GoError::mismatch(found(text), "v1.VMISpecAlias"));
    }
    let mut data = super::decode(text, ty)?;
    sanitize::name_servers(ty, &mut data);
    Ok(data)
}
