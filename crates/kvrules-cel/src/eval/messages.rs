//! Messages of Protocol Buffers that an expression makes. Every one of them is a value of another type.

use std::collections::BTreeMap;

use super::{EvalResult, Evaluator, cost, not_optional};
use crate::ast::StructField;
use crate::value::duration::duration_text;
use crate::value::time::Timestamp;
use crate::value::{EvalError, Key, Value};

const NANOS_OF_SECOND: i64 = 1_000_000_000;

impl<'a> Evaluator<'a> {
    // cel-go interpreter/interpretable.go, evalObj.Eval
    pub(super) fn eval_message(&mut self, type_name: &str, fields: &'a [StructField]) -> EvalResult {
        let values = self.message_fields(fields);
        let made = values.and_then(|values| make_message(type_name.trim_start_matches('.'), &values));
        self.charge(cost::MESSAGE)?;
        made
    }

    fn message_fields(&mut self, fields: &'a [StructField]) -> Result<BTreeMap<&'a str, Value>, EvalError> {
        let mut values = BTreeMap::new();
        for field in fields {
            let name = field.field.as_str();
            match (field.optional, self.eval_node(&field.value)?) {
                (false, value) => _ = values.insert(name, value),
                (true, Value::Optional(None)) => _ = values.remove(name),
                (true, Value::Optional(Some(value))) => _ = values.insert(name, (*value).clone()),
                (true, other) => return Err(not_optional(&format!("entry '{name}'"), &other)),
            }
        }
        Ok(values)
    }
}

// cel-go common/types/provider.go, Registry.NewValue and NativeToValue
fn make_message(type_name: &str, fields: &BTreeMap<&str, Value>) -> EvalResult {
    let unsupported = || EvalError::unsupported_feature(format!("`{type_name}{{…}}`"));
    let name = type_name.strip_prefix("google.protobuf.").ok_or_else(unsupported)?;
    let integer = |field: &str| match fields.get(field) {
        None => Ok(0),
        Some(Value::Int(value)) => Ok(*value),
        Some(other) => Err(conversion_error(field, other)),
    };
    let value = fields.get("value");
    Ok(match name {
        "Duration" => make_duration(integer("seconds")?, integer("nanos")?)?,
        "Timestamp" => {
            let nanos = u32::try_from(integer("nanos")?).map_err(|_| EvalError::new("integer overflow"))?;
            Value::Timestamp(Timestamp::from_seconds(integer("seconds")?, nanos)?)
        }
        "Struct" => struct_value(fields.get("fields"), "fields")?,
        "ListValue" => list_value(fields.get("values"), "values")?,
        "Value" => any_value(fields)?,
        _ => {
            let zero = zero_of_wrapper(name).ok_or_else(unsupported)?;
            wrapped_value(name, value.unwrap_or(&zero))?
        }
    })
}

fn zero_of_wrapper(name: &str) -> Option<Value> {
    Some(match name {
        "BoolValue" => Value::Bool(false),
        "BytesValue" => Value::Bytes([].into()),
        "DoubleValue" | "FloatValue" => Value::Double(0.0),
        "Int32Value" | "Int64Value" => Value::Int(0),
        "StringValue" => "".into(),
        "UInt32Value" | "UInt64Value" => Value::Uint(0),
        _ => return None,
    })
}

// cel-go common/types int.go, uint.go and double.go, ConvertToNative: what does not fit into 32 bits is an error
fn wrapped_value(name: &str, value: &Value) -> EvalResult {
    match (name, value) {
        ("Int32Value", Value::Int(number)) if i32::try_from(*number).is_err() => {
            Err(EvalError::new("integer overflow"))
        }
        ("UInt32Value", Value::Uint(number)) if u32::try_from(*number).is_err() => {
            Err(EvalError::new("unsigned integer overflow"))
        }
        #[expect(clippy::cast_possible_truncation, reason = "the message has 32 bits")]
        ("FloatValue", Value::Double(number)) => Ok(Value::Double(f64::from(*number as f32))),
        (_, value) if zero_of_wrapper(name).is_some_and(|zero| zero.type_name() == value.type_name()) => {
            Ok(value.clone())
        }
        (_, other) => Err(conversion_error("value", other)),
    }
}

// durationpb Duration.AsDuration: what does not fit is the longest duration
fn make_duration(seconds: i64, nanos: i64) -> EvalResult {
    if i32::try_from(nanos).is_err() {
        return Err(EvalError::new("integer overflow"));
    }
    let total = i128::from(seconds) * i128::from(NANOS_OF_SECOND) + i128::from(nanos);
    let longest = if total < 0 { i64::MIN } else { i64::MAX };
    Ok(Value::Duration(i64::try_from(total).unwrap_or(longest)))
}

fn struct_value(fields: Option<&Value>, name: &str) -> EvalResult {
    match fields {
        None => Ok(Value::from_entries(BTreeMap::new())),
        Some(map @ Value::Map(_)) => json_value(map),
        Some(other) => Err(conversion_error(name, other)),
    }
}

fn list_value(values: Option<&Value>, name: &str) -> EvalResult {
    match values {
        None => Ok(Value::from_items(Vec::new())),
        Some(list @ Value::List(_)) => json_value(list),
        Some(other) => Err(conversion_error(name, other)),
    }
}

/// A `Value` has one of its fields; of several the server keeps one at random.
fn any_value(fields: &BTreeMap<&str, Value>) -> EvalResult {
    let mut fields = fields.iter();
    match (fields.next(), fields.next()) {
        (None, _) | (Some((&"null_value", _)), None) => Ok(Value::Null),
        (Some((&"struct_value", value)), None) => struct_value(Some(value), "struct_value"),
        (Some((&"list_value", value)), None) => list_value(Some(value), "list_value"),
        (Some((_, value)), None) => json_value(value),
        _ => Err(EvalError::unsupported_feature("a `google.protobuf.Value` with several fields")),
    }
}

/// A value as it comes back out of JSON: numbers are doubles, or text if a double cannot hold them.
// cel-go common/types, ConvertToNative(jsonValueType) of each type
fn json_value(value: &Value) -> EvalResult {
    Ok(match value {
        Value::Null | Value::Bool(_) | Value::Double(_) | Value::String(_) => value.clone(),
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        Value::Int(number) if number.unsigned_abs() < 1 << 53 => Value::Double(*number as f64),
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        Value::Uint(number) if *number < 1 << 53 => Value::Double(*number as f64),
        Value::Int(number) => number.to_string().into(),
        Value::Uint(number) => number.to_string().into(),
        Value::Duration(nanos) => duration_text(*nanos).into(),
        Value::Timestamp(time) => time.to_rfc3339().into(),
        Value::List(list) => Value::from_items(list.items.iter().map(json_value).collect::<Result<_, _>>()?),
        Value::Map(map) => {
            let entry = |(key, value): (&Key, &Value)| Ok::<_, EvalError>((key.clone(), json_value(value)?));
            Value::from_entries(map.iter().map(entry).collect::<Result<_, _>>()?)
        }
        other => {
            let name = other.type_name();
            return Err(EvalError::unsupported_feature(format!("a value of the type `{name}` in a message")));
        }
    })
}

// cel-go common/types/provider.go, fieldTypeConversionError
fn conversion_error(field: &str, value: &Value) -> EvalError {
    let name = value.type_name();
    EvalError::new(format!(
        "field type conversion error for {field}: unsupported type conversion from '{name}'"
    ))
}
