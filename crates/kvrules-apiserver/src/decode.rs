//! Decodes documents as the server does: which kinds it takes, which values, and what it drops.
//!
//! The server stops at the first value of a wrong type and answers `BadRequest` and nothing else; fields that its types do
//! not have it drops with a warning.

pub(crate) mod definition_type;
pub(crate) mod go_type;
pub(crate) mod policy_type;
mod request;

use kvrules_cel::base64::decode_base64;
use serde_json::{Map, Value as Json};

pub(crate) use request::{BINDING, DEFINITION, POLICY, request_error};

use crate::structural::{schema_mistake, unknown_keywords};
use go_type::{GoStruct, GoType};

/// Returns the reason why a document does not decode; `None` if it does.
// sigs.k8s.io/json, decodeState.addErrorContext
pub(crate) fn find_decode_error(document: &Json, of: &'static GoStruct) -> Option<String> {
    check_members(document, of, &GoFieldLocation { owner: of.name, path: String::new() })
}

/// The warnings about fields that the types do not have.
pub(crate) fn unknown_fields(document: &Json, of: &'static GoStruct) -> Vec<String> {
    let mut paths = Vec::new();
    collect_unknown_fields(document, of, "", &mut paths);
    paths.iter().map(|path| format!("unknown field {path:?}")).collect()
}

/// The field that is decoded, for the text of an error.
struct GoFieldLocation {
    /// The struct that has it.
    owner: &'static str,
    /// The names of all fields that lead to it.
    path: String,
}

fn check_members(value: &Json, of: &'static GoStruct, place: &GoFieldLocation) -> Option<String> {
    let fields = value.as_object()?;
    fields.iter().find_map(|(name, value)| {
        let (name, ty) = of.fields.iter().find(|(known, _)| known == name)?;
        let steps = [Some(place.path.as_str()), policy_type::embedding_structs(of.name, name), Some(*name)];
        let steps: Vec<&str> = steps.into_iter().flatten().filter(|step| !step.is_empty()).collect();
        let path = steps.join(".");
        value_error(value, *ty, &GoFieldLocation { owner: of.name, path })
    })
}

// `null` leaves every Go type at its zero value.
fn value_error(value: &Json, ty: GoType, place: &GoFieldLocation) -> Option<String> {
    if value.is_null() {
        return None;
    }
    match (ty, value) {
        (GoType::Anything, _)
        | (GoType::Text(_) | GoType::TextPointer(_), Json::String(_))
        | (GoType::Bool | GoType::BoolPointer, Json::Bool(_)) => None,
        (GoType::Struct(of) | GoType::Pointer(of), Json::Object(_)) => check_members(value, of, place),
        (GoType::List(of), Json::Array(items)) => items.iter().find_map(|item| value_error(item, *of, place)),
        (GoType::Map(of), Json::Object(fields)) => {
            fields.values().find_map(|value| value_error(value, *of, place))
        }
        (GoType::Schema, Json::Object(_)) => schema_mistake(value),
        (GoType::Bytes, Json::String(text)) => decode_base64(text).err(),
        (GoType::Time, Json::String(text)) => time_error(text),
        // Time decodes a string by itself, so Go knows no field here.
        (GoType::Time, _) => {
            Some(format!("json: cannot unmarshal {} into Go value of type string", kind(value, false)))
        }
        (ty, Json::Number(number)) if ty.is_integer() && fits_type(number, ty) => None,
        _ => Some(format!(
            "json: cannot unmarshal {} into Go struct field {}.{} of type {}",
            kind(value, ty.is_integer()),
            place.owner,
            place.path,
            ty.name()
        )),
    }
}

fn fits_type(number: &serde_json::Number, ty: GoType) -> bool {
    let whole = number.as_i64();
    match ty {
        GoType::Int32 | GoType::Int32Pointer => whole.is_some_and(|whole| i32::try_from(whole).is_ok()),
        _ => whole.is_some(),
    }
}

/// Returns Go's name for the value found. A number is shown if a number is expected and it does not fit.
fn kind(value: &Json, shows_number: bool) -> String {
    match value {
        Json::Number(number) if shows_number => format!("number {number}"),
        Json::Number(_) => "number".to_owned(),
        Json::String(_) => "string".to_owned(),
        Json::Bool(_) => "bool".to_owned(),
        Json::Array(_) => "array".to_owned(),
        Json::Object(_) => "object".to_owned(),
        Json::Null => "null".to_owned(),
    }
}

// meta/v1/time.go, Time.UnmarshalJSON
fn time_error(text: &str) -> Option<String> {
    if kvrules_cel::value::time::Timestamp::parse(text).is_some() {
        return None;
    }
    let layout = "2006-01-02T15:04:05Z07:00";
    Some(format!("parsing time {text:?} as {layout:?}: cannot parse {text:?} as \"2006\""))
}

fn collect_unknown_fields(value: &Json, of: &'static GoStruct, path: &str, paths: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match of.fields.iter().find(|(known, _)| known == name) {
            Some((_, ty)) => unknown_in(value, *ty, &path, paths),
            None => paths.push(path),
        }
    }
}

fn unknown_in(value: &Json, ty: GoType, path: &str, paths: &mut Vec<String>) {
    match (ty, value) {
        (GoType::Struct(of) | GoType::Pointer(of), _) => collect_unknown_fields(value, of, path, paths),
        (GoType::List(of), Json::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                unknown_in(item, *of, &format!("{path}[{index}]"), paths);
            }
        }
        (GoType::Schema, _) => unknown_keywords(value, path, paths),
        _ => {}
    }
}

/// A value as the server holds it: without what it drops, and without what equals nothing. Two documents mean the same
/// if these are equal.
// apimachinery pkg/api/equality, Semantic.DeepEqual
pub(crate) fn decode_value(value: &Json, ty: GoType) -> Option<Json> {
    match (ty, value) {
        (_, Json::Null) => None,
        (GoType::Struct(of), Json::Object(_)) => {
            Some(decode_fields(value, of)).filter(|fields| !is_empty(fields))
        }
        (GoType::Pointer(of), Json::Object(_)) => Some(decode_fields(value, of)),
        (GoType::List(of), Json::Array(items)) => {
            let items: Vec<Json> =
                items.iter().map(|item| decode_value(item, *of).unwrap_or_default()).collect();
            (!items.is_empty()).then_some(Json::Array(items))
        }
        (GoType::Schema, _) => Some(crate::structural::schema_meaning(value)),
        (GoType::Text(_) | GoType::Bool | GoType::Int32 | GoType::Int64 | GoType::Map(_), _) => {
            let is_zero = crate::node::is_zero(value) || value.as_i64() == Some(0);
            (!is_zero).then(|| value.clone())
        }
        _ => Some(value.clone()),
    }
}

fn decode_fields(value: &Json, of: &'static GoStruct) -> Json {
    let known = of
        .fields
        .iter()
        .filter_map(|(name, ty)| Some(((*name).to_owned(), decode_value(value.get(name)?, *ty)?)));
    Json::Object(known.collect::<Map<_, _>>())
}

fn is_empty(value: &Json) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}
