//! The cause of an error in which the evaluation of an expression ends, in the words of authors: for rules of definitions and for
//! expressions of policies.

use kvrules_apiserver::definition::keyword_value;
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value;

/// The cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureCause<'e> {
    /// A field or a key is missing.
    MissingKey(&'e str),
    /// A list has no item with this number.
    MissingItem(&'e str),
    /// A value is of a type that a function or an operator does not take; the function, if it does not take an integer.
    OtherType(Option<&'e str>),
    /// An optional has no value.
    NoValue,
    /// A divisor is zero.
    ZeroDivisor,
    /// A function cannot read a text.
    Unreadable(Reading),
}

/// A function that reads texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The name of the function.
    pub(crate) function: &'static str,
    /// Readable texts in words.
    pub(crate) what: &'static str,
    /// The test for them.
    test: &'static str,
}

const READINGS: &[(&str, Reading)] = &[
    (
        "to 'int'",
        Reading { function: "int", what: "an integer", test: "test it with `matches('^[0-9]+$')` first" },
    ),
    (
        "to 'uint'",
        Reading { function: "uint", what: "an integer", test: "test it with `matches('^[0-9]+$')` first" },
    ),
    ("to 'double'", Reading { function: "double", what: "a number", test: "test it with `matches` first" }),
    ("to 'bool'", Reading { function: "bool", what: "a boolean", test: "compare it with `'true'`" }),
    (
        "google.protobuf.Duration",
        Reading { function: "duration", what: "a duration", test: "test it with `matches` first" },
    ),
    (
        "google.protobuf.Timestamp",
        Reading { function: "timestamp", what: "a time", test: "test it with `matches` first" },
    ),
    (
        "quantit",
        Reading { function: "quantity", what: "a quantity", test: "test it with `isQuantity` first" },
    ),
    ("netip.ParsePrefix", Reading { function: "cidr", what: "a CIDR", test: "test it with `isCIDR` first" }),
    ("IP Address", Reading { function: "ip", what: "an IP address", test: "test it with `isIP` first" }),
    ("URL parse error", Reading { function: "url", what: "a URL", test: "test it with `isURL` first" }),
    (
        "No Major.Minor.Patch elements found",
        Reading { function: "semver", what: "a semantic version", test: "test it with `isSemver` first" },
    ),
];

impl<'e> FailureCause<'e> {
    /// The cause of an error with the server's text. `None` for errors that have no remedy of their own, such as overflows.
    pub(crate) fn of_error(error: &'e str) -> Option<Self> {
        let error = without_variables(error);
        if let Some(key) = error.strip_prefix("no such key: ") {
            return Some(Self::MissingKey(key));
        }
        if let Some((_, number)) = error.rsplit_once("index out of bounds: ") {
            return Some(Self::MissingItem(number));
        }
        if error.starts_with("no such overload") {
            let call = error.strip_prefix("no such overload: ");
            return Some(Self::OtherType(call.and_then(|call| call.strip_suffix("(int)"))));
        }
        match error {
            "optional.none() dereference" => Some(Self::NoValue),
            "division by zero" | "modulus by zero" => Some(Self::ZeroDivisor),
            _ => {
                let (_, reading) = READINGS.iter().find(|(part, _)| error.contains(part))?;
                Some(Self::Unreadable(*reading))
            }
        }
    }

    /// The condition under which the error occurs, unless it is about a field, a key or a type.
    pub(crate) fn condition(&self) -> Option<String> {
        match self {
            Self::MissingKey(_) | Self::OtherType(_) | Self::Unreadable(_) => None,
            Self::MissingItem(number) => Some(format!("where a list has no item {number}")),
            Self::NoValue => Some("where an optional has no value".to_owned()),
            Self::ZeroDivisor => Some("where a divisor is zero".to_owned()),
        }
    }

    /// The remedy within the expression.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::MissingKey(_) => "test it with `has` first",
            Self::MissingItem(_) => "test the size first",
            Self::OtherType(Some(_)) => {
                "convert it with `string(…)`, which takes integers and strings, or test its type first"
            }
            Self::OtherType(None) => "test its type first, such as with `type(self) == int`",
            Self::NoValue => "test it with `hasValue()` first, or use `orValue`",
            Self::ZeroDivisor => "test that it is not zero first",
            Self::Unreadable(reading) => reading.test,
        }
    }
}

/// The error within a variable, if the server says that computing one failed.
// admission/plugin/cel/composition.go, variableAccessor.Callback
fn without_variables(error: &str) -> &str {
    error.rsplit_once(" fails to evaluate: ").map_or(error, |(_, inner)| inner)
}

/// Returns the values that may be integers or strings by the schema, with their paths.
pub(crate) fn values_of_two_types<'v>(
    value: &'v Value,
    schema: &Value,
    path: &str,
) -> Vec<(String, &'v Value)> {
    let mut found = Vec::new();
    collect_values_of_two_types(value, schema, path, &mut found);
    found
}

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

/// Returns the type of a value that is an integer or a string, in words.
pub(crate) fn type_in_words(value: &Value) -> &'static str {
    if value.is_string() { "a string" } else { "an integer" }
}

/// Returns words for a value whose type does not fit, if it is not known which one that is.
pub(crate) fn describe_unknown_type(function: Option<&str>) -> String {
    match function {
        Some(function) => format!("the argument of `{function}` is an integer"),
        None => "a value is of a type that an operator or function does not take".to_owned(),
    }
}
