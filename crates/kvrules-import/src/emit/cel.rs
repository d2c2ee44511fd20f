//! Expressions for the constraints of a shape on strings and numbers.

use serde_json::Value;

use crate::shape::{Kinds, Shape};

/// A literal of a string.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::from("'");
    for letter in text.chars() {
        match letter {
            '\'' => literal.push_str(r"\'"),
            '\\' => literal.push_str(r"\\"),
            '\n' => literal.push_str(r"\n"),
            '\r' => literal.push_str(r"\r"),
            '\t' => literal.push_str(r"\t"),
            control if control.is_control() => {
                literal.push_str(r"\u");
                let code = format!("{:04x}", u32::from(control));
                literal.push_str(&code);
            }
            other => literal.push(other),
        }
    }
    literal.push('\'');
    literal
}

/// Returns the constraints of a shape on a string or an integer in a variable; `None` if no expression can express them.
pub(super) fn predicate(shape: &Shape, kind: Kinds, variable: &str) -> Option<String> {
    if !shape.groups.is_empty() || !shape.nots.is_empty() || !shape.lost.is_empty() {
        return None;
    }
    if !shape.kinds.meets(kind) {
        return Some("false".to_owned());
    }
    let mut parts = Vec::new();
    if let Some(values) = &shape.values {
        let listed: Vec<_> =
            values.iter().filter(|value| kind.meets(Kinds::of(value))).map(constant).collect();
        parts.push(match listed.as_slice() {
            [only] => format!("{variable} == {only}"),
            _ => format!("{variable} in [{}]", listed.join(", ")),
        });
    }
    match kind {
        Kinds::STRING => texts(shape, variable, &mut parts)?,
        Kinds::INTEGER => numbers(shape, variable, &mut parts)?,
        _ => return None,
    }
    Some(if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") })
}

fn constant(value: &Value) -> String {
    match value {
        Value::String(text) => literal(text),
        other => other.to_string(),
    }
}

fn texts(shape: &Shape, variable: &str, parts: &mut Vec<String>) -> Option<()> {
    let texts = &shape.texts;
    if !texts.formats.is_empty() {
        return None;
    }
    parts.extend(texts.min.filter(|min| *min > 0).map(|min| format!("size({variable}) >= {min}")));
    parts.extend(texts.max.map(|max| format!("size({variable}) <= {max}")));
    let patterns = texts.patterns.iter().filter(|pattern| !pattern.is_empty());
    parts.extend(patterns.map(|pattern| format!("{variable}.matches({})", literal(pattern))));
    Some(())
}

fn numbers(shape: &Shape, variable: &str, parts: &mut Vec<String>) -> Option<()> {
    let numbers = &shape.numbers;
    for (bound, signs) in [(&numbers.min, [">=", ">"]), (&numbers.max, ["<=", "<"])] {
        if let Some(bound) = bound {
            let [weak, strict] = signs;
            let value = bound.value.as_i64()?;
            parts.push(format!("{variable} {} {value}", if bound.is_exclusive { strict } else { weak }));
        }
    }
    for factor in &numbers.factors {
        parts.push(format!("{variable} % {} == 0", factor.as_i64()?));
    }
    Some(())
}
