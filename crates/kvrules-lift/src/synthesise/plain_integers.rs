//! Integers as expressions can read them.

use serde_json::Value as Json;

/// Writes 200 in place of 200.0. In a field of integers the server accepts that number and ends every expression that
/// reads it in an error, which formulas do not say.
pub(super) fn make_integers_plain(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(make_integers_plain),
        Json::Object(fields) => fields.values_mut().for_each(make_integers_plain),
        Json::Number(number) if !number.is_i64() => {
            #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
            let integer = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
            if let Some(integer) = number.as_f64().and_then(integer) {
                *value = integer.into();
            }
        }
        _ => {}
    }
}
