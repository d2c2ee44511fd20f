//! Possible values of fields of each type.

use kvrules_ir::{EnumValue, ValueType};
use kvrules_kubernetes::quantity::Quantity;

/// True if a field of this type can have a value that counts as an integer.
pub(crate) fn can_be_integer(value_type: ValueType) -> bool {
    use ValueType::{Any, IntOrString, Integer, Number, Quantity};
    matches!(value_type, Integer | Quantity | IntOrString | Number | Any)
}

/// True if a field of this type can have a value with this text, or if that is not obvious.
pub(crate) fn can_be_text(value_type: ValueType, text: &str) -> bool {
    match value_type {
        ValueType::Boolean => matches!(text, "true" | "false"),
        ValueType::Integer => is_integer(text),
        ValueType::Quantity => Quantity::parse_trimmed(text).is_ok(),
        _ => true,
    }
}

/// True if an enumeration has values, none of which the field can have.
pub(crate) fn all_impossible(value_type: ValueType, values: &[EnumValue]) -> bool {
    let possible = |value: &EnumValue| match value {
        EnumValue::Text(text) => can_be_text(value_type, text),
        EnumValue::Path(_) => true,
    };
    value_type.is_scalar() && !values.is_empty() && !values.iter().any(possible)
}

/// True if this is how an integer is rendered: `-1`, and neither `01` nor `1.0`.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    text == "0" || (plain && !digits.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_integers_are_in_their_shortest_form() {
        for text in ["0", "7", "-12", "18446744073709551615"] {
            assert!(can_be_text(ValueType::Integer, text), "{text}");
        }
        for text in ["", "-", "-0", "01", "1.0", "+1", "1e3", "two", " 1"] {
            assert!(!can_be_text(ValueType::Integer, text), "{text}");
        }
        assert!(can_be_text(ValueType::Quantity, "1.5Gi") && !can_be_text(ValueType::Quantity, "1.5 GB"));
        assert!(can_be_text(ValueType::IntOrString, "http"));
    }
}
