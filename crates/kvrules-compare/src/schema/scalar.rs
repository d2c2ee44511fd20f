//! Whether a value keeps what a node says of values by themselves: numbers, texts, booleans.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kvrules_regex::Matcher;
use serde_json::{Number, Value};

use super::format;
use super::keyword::{INT_OR_STRING, flag, list, size, text};

/// What a node says to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Fits,
    /// The keyword that refuses it.
    Refused(&'static str),
    /// It cannot be told.
    Doubtful,
}

/// Expressions, made ready when they are first asked for; none for those that cannot be.
#[derive(Debug, Default)]
pub(super) struct Patterns(Mutex<HashMap<String, Option<Arc<Matcher>>>>);

impl Patterns {
    fn matches(&self, pattern: &str, text: &str) -> Option<bool> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(matcher) = known.get(pattern) {
            return matcher.as_ref().map(|matcher| matcher.is_match(text));
        }
        let matcher = kvrules_regex::parse(pattern).ok().and_then(|regex| regex.matcher().ok()).map(Arc::new);
        let found = matcher.as_ref().map(|matcher| matcher.is_match(text));
        known.insert(pattern.to_owned(), matcher);
        found
    }
}

/// What the keywords of a node for scalars, and its type, say to a value. `null` is the caller's business.
pub(super) fn judge(node: &Value, value: &Value, patterns: &Patterns) -> Said {
    if !has_type(node, value) {
        return Said::Refused("type");
    }
    let values = list(node, "enum");
    if !values.is_empty() && !values.iter().any(|allowed| equal(allowed, value)) {
        return Said::Refused("enum");
    }
    match value {
        Value::Number(number) => of_number(node, number),
        Value::String(string) => of_text(node, string, patterns),
        // Without a type a format is a type of its own.
        _ if text(node, "type").is_empty() && format::is_enforced(text(node, "format")) => {
            Said::Refused("format")
        }
        _ => Said::Fits,
    }
}

/// Numbers are equal by value.
fn equal(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(left), Some(right)) => one == other || (left - right).abs() == 0.0,
        _ => one == other,
    }
}

/// The name of a value's type.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if is_whole(number) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Numbers written with a point or an exponent are whole up to where floats count one by one.
fn is_whole(number: &Number) -> bool {
    const MOST: f64 = 9_007_199_254_740_991.0;
    number.is_i64()
        || (number.is_f64()
            && number.as_f64().is_some_and(|float| float.fract() == 0.0 && float.abs() <= MOST))
}

/// Whether a node allows the type of a value.
pub(super) fn has_type(node: &Value, value: &Value) -> bool {
    let (wanted, found) = (text(node, "type"), type_of(value));
    if flag(node, INT_OR_STRING) {
        return matches!(found, "integer" | "string");
    }
    wanted.is_empty() || wanted == found || (wanted == "number" && found == "integer")
}

fn of_number(node: &Value, number: &Number) -> Said {
    let Some(value) = number.as_f64() else { return Said::Doubtful };
    let is_integer = number.is_i64();
    if !keeps_format(node, value, is_integer) {
        return Said::Refused("format");
    }
    // Whole numbers are compared with whole bounds, and where these are none the server drops their fraction, or under
    // `type: integer` refuses everything.
    let strict = text(node, "type") == "integer";
    let bound = |keyword: &str| node.get(keyword).and_then(Value::as_f64);
    let near = |bound: f64| if is_integer { bound.trunc() } else { bound };
    if let Some(most) = bound("maximum") {
        let most_here = near(most);
        let is_over = if flag(node, "exclusiveMaximum") { value >= most_here } else { value > most_here };
        if is_over || (strict && most.fract() != 0.0) {
            return Said::Refused("maximum");
        }
    }
    if let Some(least) = bound("minimum") {
        let least_here = near(least);
        let is_under = if flag(node, "exclusiveMinimum") { value <= least_here } else { value < least_here };
        if is_under || (strict && least.fract() != 0.0) {
            return Said::Refused("minimum");
        }
    }
    match bound("multipleOf") {
        Some(factor) => of_factor(value, factor, is_integer),
        None => Said::Fits,
    }
}

/// Whether a number fits the format of its node; where the node's bounds do not, none does.
fn keeps_format(node: &Value, value: f64, is_integer: bool) -> bool {
    let wanted = (text(node, "type"), text(node, "format"));
    match wanted {
        ("integer" | "number", "int32") => {
            let fits = |number: f64| number <= f64::from(i32::MAX) && number >= f64::from(i32::MIN);
            let bounds =
                ["minimum", "maximum", "multipleOf"].map(|keyword| node.get(keyword).and_then(Value::as_f64));
            (!is_integer || fits(value)) && bounds.into_iter().flatten().all(fits)
        }
        ("number", "float") => value.abs() <= f64::from(f32::MAX),
        _ => true,
    }
}

fn of_factor(value: f64, factor: f64, is_integer: bool) -> Said {
    let refused = Said::Refused("multipleOf");
    if factor <= 0.0 {
        return refused;
    }
    if is_integer {
        let factor = factor.trunc();
        return if factor == 0.0 || value % factor != 0.0 { refused } else { Said::Fits };
    }
    let quotient = if factor < 1.0 { value * (1.0 / factor) } else { value / factor };
    let rest = (quotient - quotient.round()).abs();
    let near = f64::EPSILON * quotient.abs().max(1.0) * 4.0;
    if rest == 0.0 {
        Said::Fits
    } else if rest < near {
        Said::Doubtful
    } else {
        refused
    }
}

fn of_text(node: &Value, value: &str, patterns: &Patterns) -> Said {
    let length = i64::try_from(value.chars().count()).unwrap_or(i64::MAX);
    if size(node, "maxLength").is_some_and(|most| length > most) {
        return Said::Refused("maxLength");
    }
    if size(node, "minLength").is_some_and(|least| length < least) {
        return Said::Refused("minLength");
    }
    let pattern = text(node, "pattern");
    let matches = if pattern.is_empty() { Some(true) } else { patterns.matches(pattern, value) };
    let format =
        if node.get("format").is_some() { format::has(text(node, "format"), value) } else { Some(true) };
    match (matches, format) {
        (Some(false), _) => Said::Refused("pattern"),
        (_, Some(false)) => Said::Refused("format"),
        (Some(true), Some(true)) => Said::Fits,
        _ => Said::Doubtful,
    }
}
