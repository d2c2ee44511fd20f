//! Ranges and factors of numbers, which the server asks in the type of the value: an integer meets bounds whose
//! fraction is cut off.

use kvrules_cel::go_text::format_double as go_float;
use serde_json::{Number, Value as Json};

use super::outcome::{ObjectError, ValidationOutcome};
use super::scalar::truncated;
use super::value_path::ValuePath;
use super::{formats, types_of};
use crate::field_error::ErrorType;
use crate::node::value_of;
use crate::server::ObjectFeatures;

/// The bounds that a number does not keep.
// kube-openapi validate/validator.go, (*numberValidator).Validate
pub(super) fn check_number(
    schema: &Json,
    value: &Number,
    path: &ValuePath<'_>,
    features: ObjectFeatures,
) -> ValidationOutcome {
    let float = value.as_f64().unwrap_or(f64::NAN);
    let mut outcome = ValidationOutcome::default();
    let fits = |number: f64, what: &str| check_range(schema, number, what, path, features);
    // An integer that fits into 64 bits is checked without a conversion to a float.
    match value.as_i64() {
        Some(whole) => outcome.errors.extend(beyond_whole(schema, whole, path, features)),
        None => outcome.errors.extend(fits(float, "Checked")),
    }
    for (keyword, what) in
        [("multipleOf", "MultipleOf"), ("minimum", "Minimum boundary"), ("maximum", "Maximum boundary")]
    {
        let Some(limit) = value_of(schema, keyword).and_then(Json::as_f64) else { continue };
        let unfit = fits(limit, what);
        // If the bound does not fit the type, report that and compare both as floats.
        let value = value
            .as_i64()
            .filter(|_| unfit.is_none())
            .map_or(ComparedNumber::Float(float), ComparedNumber::Integer);
        let detail = match keyword {
            "multipleOf" => check_multiple_of(value, limit, path, features),
            "minimum" => check_minimum(value, limit, schema),
            _ => check_maximum(value, limit, schema),
        };
        outcome.errors.extend(unfit);
        let says = |detail: String| {
            ObjectError::with_path_message(path, ErrorType::Invalid, &detail).with_value(&value.text())
        };
        outcome.errors.extend(detail.map(|detail| match detail {
            NumberError::PathMessage(words) => says(words),
            NumberError::Located(error) => error,
        }));
    }
    outcome.checks += 1;
    outcome
}

/// A number in the type in which it is compared.
#[derive(Clone, Copy)]
enum ComparedNumber {
    Integer(i64),
    Float(f64),
}

impl ComparedNumber {
    fn text(self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) => go_float(value),
        }
    }
}

enum NumberError {
    /// Words behind the path of the value.
    PathMessage(String),
    Located(ObjectError),
}

// kube-openapi validate/values.go, MaximumNativeType: the bound is converted to the type of the value.
fn check_maximum(value: ComparedNumber, max: f64, schema: &Json) -> Option<NumberError> {
    let is_strict = super::bool_keyword(schema, "exclusiveMaximum");
    let words = if is_strict { "should be less than" } else { "should be less than or equal to" };
    let (fails, shown) = match value {
        ComparedNumber::Integer(value) => {
            let max = truncated(max);
            (value > max || is_strict && value >= max, max.to_string())
        }
        ComparedNumber::Float(value) => (value > max || is_strict && value >= max, go_float(max)),
    };
    fails.then(|| NumberError::PathMessage(format!("{words} {shown}")))
}

// kube-openapi validate/values.go, MinimumNativeType
fn check_minimum(value: ComparedNumber, min: f64, schema: &Json) -> Option<NumberError> {
    let is_strict = super::bool_keyword(schema, "exclusiveMinimum");
    let words = if is_strict { "should be greater than" } else { "should be greater than or equal to" };
    let (fails, shown) = match value {
        ComparedNumber::Integer(value) => {
            let min = truncated(min);
            (value < min || is_strict && value <= min, min.to_string())
        }
        ComparedNumber::Float(value) => (value < min || is_strict && value <= min, go_float(min)),
    };
    fails.then(|| NumberError::PathMessage(format!("{words} {shown}")))
}

// kube-openapi validate/values.go, MultipleOfNativeType
fn check_multiple_of(
    value: ComparedNumber,
    factor: f64,
    path: &ValuePath<'_>,
    features: ObjectFeatures,
) -> Option<NumberError> {
    let not_positive = |shown: String| {
        let detail = format!("factor MultipleOf declared for {path} must be positive: {shown}");
        Some(NumberError::Located(ObjectError::new(path, ErrorType::Invalid, detail).with_value(&shown)))
    };
    let says = |shown: String| Some(NumberError::PathMessage(format!("should be a multiple of {shown}")));
    match value {
        ComparedNumber::Integer(value) => match truncated(factor) {
            0 if features.divides_by_zero => Some(NumberError::Located(crash(path))),
            factor if factor <= 0 => not_positive(factor.to_string()),
            factor if value.checked_rem(factor).unwrap_or(0) != 0 => says(factor.to_string()),
            _ => None,
        },
        ComparedNumber::Float(_) if factor <= 0.0 => not_positive(go_float(factor)),
        ComparedNumber::Float(value) => {
            // The server distinguishes these cases too, and they round differently.
            let times = if factor < 1.0 { 1.0 / factor * value } else { value / factor };
            let is_multiple =
                if features.multiplies_decimals { is_whole(times) } else { is_nearly_above_whole(times) };
            if is_multiple { None } else { says(go_float(factor)) }
        }
    }
}

/// Returns an error if an integer exceeds the range of the type and format of the node.
fn beyond_whole(
    schema: &Json,
    value: i64,
    path: &ValuePath<'_>,
    features: ObjectFeatures,
) -> Option<ObjectError> {
    let is_int32 =
        types_of(schema).as_slice() == ["integer"] && formats::in_force(schema, features) == "int32";
    (is_int32 && i32::try_from(value).is_err()).then(|| range_error(schema, "Checked", path, features))
}

/// Returns an error if a number exceeds the range of the type and format of the node.
// kube-openapi validate/values.go, IsValueValidAgainstRange
fn check_range(
    schema: &Json,
    number: f64,
    what: &str,
    path: &ValuePath<'_>,
    features: ObjectFeatures,
) -> Option<ObjectError> {
    if !features.types_formats {
        return None;
    }
    let (types, format) = (types_of(schema), formats::in_force(schema, features));
    #[expect(clippy::cast_possible_truncation, reason = "whether it is infinite is the question")]
    let fits = match (types.as_slice(), format) {
        (["integer"], "int32") => {
            number.fract() == 0.0 && (-2_147_483_648.0..=2_147_483_647.0).contains(&number)
        }
        (["integer"], _) => number.fract() == 0.0 && (-2f64.powi(63)..2f64.powi(63)).contains(&number),
        (_, "float") => (number as f32).is_finite(),
        _ => true,
    };
    (!fits).then(|| range_error(schema, what, path, features))
}

fn range_error(schema: &Json, what: &str, path: &ValuePath<'_>, features: ObjectFeatures) -> ObjectError {
    let name = types_of(schema).as_slice().join(",");
    let format = match formats::in_force(schema, features) {
        "" => "(default format)".to_owned(),
        format => format!("with format {format}"),
    };
    ObjectError::without_path(format!("{what} value must be of type {name} {format} in {path}"))
}

/// The request gets no answer.
// kube-openapi validate/values.go of 1.26, MultipleOfInt: `data % factor`
fn crash(path: &ValuePath<'_>) -> ObjectError {
    let detail = "the server crashes on a factor that is 0 as an integer";
    ObjectError::new(path, ErrorType::Internal, detail.to_owned())
}

/// True if servers before 1.35 treat a number as an integer: a small difference is accepted above one, and not below.
// go-openapi swag, IsFloat64AJSONInteger, as it was then: it compares with the truncated number
fn is_nearly_above_whole(float: f64) -> bool {
    is_whole(float) && (float.fract() == 0.0 || (float - float.trunc()).abs() < 0.5)
}

/// True if the server treats a number as an integer: a small difference is accepted.
// go-openapi swag, IsFloat64AJSONInteger
pub(super) fn is_whole(float: f64) -> bool {
    let largest = 2f64.powi(53) - 1.0;
    if !float.is_finite() || float.abs() > largest {
        return false;
    }
    let whole = float.round();
    float.fract() == 0.0 || whole != 0.0 && (float - whole).abs() / (float + whole).abs() < 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearly_whole_is_whole() {
        assert!(is_whole(1.0 / 0.01 * 1.15) && is_whole(-3.0) && is_whole(0.0));
        assert!(!is_whole(0.5) && !is_whole(f64::INFINITY) && !is_whole(2f64.powi(60)));
    }
}
