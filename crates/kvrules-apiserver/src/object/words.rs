//! The words of older servers for errors of objects, made from those of the newest.

use kvrules_cel::go_text;
use serde_json::Value as Json;

use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::server::ObjectFeatures;

/// Puts an error into the words of a server.
// kube-openapi validate and apimachinery field/errors.go, (*Error).ErrorBody
pub(super) fn restate_failure(failure: &mut Failure, features: ObjectFeatures) {
    if failure.reason == ErrorType::TooLong.cause_name()
        && !features.has_singular
        && failure.detail == "may not be more than 1 byte"
    {
        failure.detail.push('s');
    }
    if failure.reason == ErrorType::TooLong.cause_name() && !features.counts_bytes_in_text {
        restate(&mut failure.detail, "may not be more than ", " bytes", "may not be longer than ");
    }
    if failure.reason == ErrorType::TooMany.cause_name()
        && !features.has_singular
        && failure.detail == "must have at most 1 item"
    {
        failure.detail.push('s');
    }
    if !features.shows_json {
        failure.value = go_value(&failure.value);
    }
}

fn restate(detail: &mut String, begin: &str, end: &str, words: &str) {
    if let Some(number) = detail.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end)) {
        *detail = format!("{words}{number}");
    }
}

/// A value in Go's syntax instead of JSON.
// apimachinery field/errors.go before v0.34: `%#v` for what is no scalar
fn go_value(json: &str) -> String {
    match serde_json::from_str::<Json>(json) {
        Ok(Json::Null) => "\"null\"".to_owned(),
        Ok(value @ (Json::Array(_) | Json::Object(_))) => go_syntax(&value),
        _ => json.to_owned(),
    }
}

fn go_syntax(value: &Json) -> String {
    match value {
        Json::Null => "interface {}(nil)".to_owned(),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(go_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Json::Object(fields) => {
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", go_text::quote_string(name), go_syntax(value)))
                .collect();
            fields.sort();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
        Json::String(text) => go_text::quote_string(text),
        other => go_text::encode_json(other),
    }
}
