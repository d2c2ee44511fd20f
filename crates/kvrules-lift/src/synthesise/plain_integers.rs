//! Integers as expressions can read them.

use serde_json::Value as Json;

/// The value with 200 in place of 200.0. In a field of integers the server accepts that number and ends every expression that
/// reads it in an error, which formulas do not say.
pub(super) fn with_plain_integers(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(with_plain_integers).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), with_plain_integers(value))).collect()
        }
        Json::Number(number) if !number.is_i64() => {
            #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
            let integer = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
            number.as_f64().and_then(integer).map_or_else(|| value.clone(), Json::from)
        }
        other => other.clone(),
    }
}
