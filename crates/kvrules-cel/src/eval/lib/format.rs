//! Named formats of strings.

use super::{EvalResult, Native, no_such_overload};
use crate::formats::{is_base64, is_date_time, is_uuid};
use crate::names::{label_1035, label_errors, label_value, qualified_name, subdomain_errors};
use crate::value::Value;
use crate::value::time::parse_date;

pub(super) fn find_format_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("validate", true) => validate,
        ("format.named", false) => |args| match args {
            [Value::String(name)] => Ok(named(name).map_or(Value::Optional(None), Value::optional_of)),
            _ => no_such_overload(),
        },
        ("format.dns1123Label", false) => |_| Ok(Value::Format("dns1123Label")),
        ("format.dns1123Subdomain", false) => |_| Ok(Value::Format("dns1123Subdomain")),
        ("format.dns1035Label", false) => |_| Ok(Value::Format("dns1035Label")),
        ("format.qualifiedName", false) => |_| Ok(Value::Format("qualifiedName")),
        ("format.dns1123LabelPrefix", false) => |_| Ok(Value::Format("dns1123LabelPrefix")),
        ("format.dns1123SubdomainPrefix", false) => |_| Ok(Value::Format("dns1123SubdomainPrefix")),
        ("format.dns1035LabelPrefix", false) => |_| Ok(Value::Format("dns1035LabelPrefix")),
        ("format.labelValue", false) => |_| Ok(Value::Format("labelValue")),
        ("format.uri", false) => |_| Ok(Value::Format("uri")),
        ("format.uuid", false) => |_| Ok(Value::Format("uuid")),
        ("format.byte", false) => |_| Ok(Value::Format("byte")),
        ("format.date", false) => |_| Ok(Value::Format("date")),
        ("format.datetime", false) => |_| Ok(Value::Format("datetime")),
        _ => return None,
    })
}

/// Name, and the size of a pattern by which the server charges for it.
// apiserver pkg/cel/library/format.go, ConstantFormats and MaxRegexSize
const FORMATS: [(&str, u64); 13] = [
    ("dns1123Label", 30),
    ("dns1123Subdomain", 60),
    ("dns1035Label", 30),
    ("qualifiedName", 60),
    ("dns1123LabelPrefix", 30),
    ("dns1123SubdomainPrefix", 60),
    ("dns1035LabelPrefix", 30),
    ("labelValue", 40),
    ("uri", 1104),
    ("uuid", 72),
    ("byte", 84),
    ("date", 71),
    ("datetime", 71),
];

/// The size of the pattern of a format.
pub(in crate::eval) fn pattern_size(format: &str) -> u64 {
    FORMATS.iter().find(|(name, _)| *name == format).map_or(0, |(_, size)| *size)
}

fn named(name: &str) -> Option<Value> {
    FORMATS.iter().find(|(format, _)| *format == name).map(|(format, _)| Value::Format(format))
}

// apiserver pkg/cel/library/format.go, formatValidate
fn validate(args: &[Value]) -> EvalResult {
    let [Value::Format(format), Value::String(text)] = args else { return no_such_overload() };
    let problems = problems(format, text);
    if problems.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::optional_of(Value::from_items(problems.into_iter().map(Value::from).collect())))
}

// apiserver pkg/cel/library/format.go, ConstantFormats
fn problems(format: &str, text: &str) -> Vec<String> {
    match format {
        "dns1123Label" => label_errors(text),
        "dns1123LabelPrefix" => label_errors(&prefix(text)),
        "dns1123Subdomain" => subdomain_errors(text),
        "dns1123SubdomainPrefix" => subdomain_errors(&prefix(text)),
        "dns1035Label" => label_1035(text),
        "dns1035LabelPrefix" => label_1035(&prefix(text)),
        "qualifiedName" => qualified_name(text),
        "labelValue" => label_value(text),
        "uuid" => one(is_uuid(text), "does not match the UUID format"),
        "byte" => one(is_base64(text), "invalid base64"),
        "date" => one(parse_date(text).is_some(), "invalid date"),
        "datetime" => one(is_date_time(text), "invalid datetime"),
        "uri" => super::url::request_problem(text).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn one(valid: bool, problem: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![problem.to_owned()] }
}

/// A prefix may end with a dash, to which something is appended.
fn prefix(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(before) if !before.is_empty() => format!("{before}a"),
        _ => text.to_owned(),
    }
}
