//! The messages of Protocol Buffers that expressions may name and make: `google.protobuf.Duration{seconds: 1}`.
//!
//! Most are other types under another name. What `Any` and `Empty` hold cannot be seen by any rule, so that they are not known here.

use super::Type;

const PACKAGE: &str = "google.protobuf.";

/// Returns the type of a message; a wrapper is taken for the type of its value.
// cel-go common/types/types.go, checkedWellKnowns
pub(crate) fn message_type(name: &str) -> Option<Type> {
    Some(match name.strip_prefix(PACKAGE)? {
        "Duration" => Type::Duration,
        "Timestamp" => Type::Timestamp,
        "BoolValue" => Type::Bool,
        "BytesValue" => Type::Bytes,
        "DoubleValue" | "FloatValue" => Type::Double,
        "Int32Value" | "Int64Value" => Type::Int,
        "StringValue" => Type::String,
        "UInt32Value" | "UInt64Value" => Type::Uint,
        "Struct" => Type::map_of(Type::String, Type::Dyn),
        "ListValue" => Type::list_of(Type::Dyn),
        "Value" => Type::Dyn,
        _ => return None,
    })
}

/// Returns the type of a field of a message; `None` if the message has no such field.
// google/protobuf duration.proto, timestamp.proto, wrappers.proto and struct.proto
pub(crate) fn message_field(message: &str, field: &str) -> Option<Type> {
    let name = message.strip_prefix(PACKAGE)?;
    Some(match (name, field) {
        ("Duration" | "Timestamp", "seconds" | "nanos") | ("Value", "null_value") => Type::Int,
        ("Struct", "fields") | ("Value", "struct_value") => Type::map_of(Type::String, Type::Dyn),
        ("ListValue", "values") | ("Value", "list_value") => Type::list_of(Type::Dyn),
        ("Value", "number_value") => Type::Double,
        ("Value", "string_value") => Type::String,
        ("Value", "bool_value") => Type::Bool,
        (name, "value") if name.ends_with("Value") && name != "Value" => message_type(message)?,
        _ => return None,
    })
}
