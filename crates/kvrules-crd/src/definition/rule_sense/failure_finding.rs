//! The finding about a rule that ends in an error.

use kvrules_apiserver::definition::keyword_value;
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_lift::RuleFailure;
use kvrules_schema_keywords::INT_OR_STRING;
use serde_json::Value;

use super::short;
use crate::lints;

/// Reports a failure of a rule of a schema.
pub(super) fn failing_rule(failure: &RuleFailure, schema: &Value, span: Span) -> Diagnostic {
    let (what, remedy) = describe_cause(failure, schema);
    let example = match &failure.old {
        None => format!("`{}`", short(&failure.value.to_string())),
        Some(old) => {
            format!("the update of `{}` to `{}`", short(&old.to_string()), short(&failure.value.to_string()))
        }
    };
    let error = failure.error.as_str();
    let help = format!("{remedy}; the server refuses {example} with `{error}`");
    lints::FAILING_RULE.diagnostic_at(span, format!("the rule ends in an error {what}")).with_help(help)
}

/// When the rule ends in an error, and what to do.
fn describe_cause(failure: &RuleFailure, schema: &Value) -> (String, &'static str) {
    let error = failure.error.as_str();
    if let Some(key) = error.strip_prefix("no such key: ") {
        return (
            format!("where `{key}` is absent, although the schema accepts that"),
            "test it with `has` first, or make it required or give it a default",
        );
    }
    if let Some((_, number)) = error.rsplit_once("out of bounds: ") {
        return (
            format!("where a list has no item {number}, although the schema accepts that"),
            "test the size first, or set `minItems`",
        );
    }
    if error.starts_with("no such overload") {
        return (
            format!("where {}, although the schema accepts that", describe_type(failure, schema)),
            if error.ends_with("(int)") {
                "convert it with `string(…)`, which takes integers and strings, or test its type first"
            } else {
                "test its type first, such as with `type(self) == int`"
            },
        );
    }
    if failure.old.is_none() {
        return (
            "at creations, where `oldSelf` has no value".to_owned(),
            "test it with `oldSelf.hasValue()` first, or use `orValue`",
        );
    }
    ("where an optional has no value".to_owned(), "test it with `hasValue()` first, or use `orValue`")
}

/// The type that a function does not take, with the field if it is certain.
fn describe_type(failure: &RuleFailure, schema: &Value) -> String {
    let mut found = Vec::new();
    collect_values_of_two_types(&failure.value, schema, "self", &mut found);
    let function =
        failure.error.strip_prefix("no such overload: ").and_then(|call| call.strip_suffix("(int)"));
    match (found.as_slice(), function) {
        // The error of an update may be about the stored value.
        ([(path, value)], _) if failure.old.is_none() => {
            format!("`{path}` is {}", if value.is_string() { "a string" } else { "an integer" })
        }
        (_, Some(function)) => format!("the argument of `{function}` is an integer"),
        _ => "a value is of a type that an operator or function does not take".to_owned(),
    }
}

/// The values that may be integers or strings by the schema, with their paths.
fn collect_values_of_two_types<'v>(
    value: &'v Value,
    schema: &Value,
    path: &str,
    found: &mut Vec<(String, &'v Value)>,
) {
    if keyword_value(schema, INT_OR_STRING) == Some(&Value::Bool(true)) {
        found.push((path.to_owned(), value));
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                if let Some(node) = property.or_else(|| schema.get("additionalProperties")) {
                    collect_values_of_two_types(value, node, &format!("{path}.{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (value, node) in items.iter().zip(std::iter::repeat(schema.get("items"))) {
                let Some(node) = node else { break };
                collect_values_of_two_types(value, node, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}
