//! Values in the texts of errors.

use crate::go_text::format_double;
use crate::value::Value;
use crate::value::duration::duration_text;

/// A value as the server's errors show it.
pub(in crate::eval) fn display(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => format_double(*value),
        Value::String(text) | Value::Type(text) | Value::Url(text) => text.to_string(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Timestamp(time) => time.to_rfc3339(),
        Value::Duration(nanos) => duration_text(*nanos),
        Value::Ip(address) => address.to_string(),
        Value::Cidr(address, prefix) => format!("{address}/{prefix}"),
        Value::List(list) => {
            let items: Vec<String> = list.items.iter().map(display).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let entries =
                map.iter().map(|(key, value)| format!("{}: {}", display(&key.to_value()), display(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.type_name().to_owned(),
    }
}
