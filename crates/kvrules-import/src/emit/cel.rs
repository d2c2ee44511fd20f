//! Expressions for the constraints of a shape on strings and numbers.

use serde_json::Value;

use crate::shape::{SchemaShape, ValueKinds};

/// A literal of a string.
pub(super) fn string_literal(text: &str) -> String {
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
pub(super) fn shape_predicate(shape: &SchemaShape, kind: ValueKinds, variable: &str) -> Option<String> {
    if !shape.groups.is_empty() || !shape.nots.is_empty() || !shape.lost.is_empty() {
        return None;
    }
    if !shape.kinds.meets(kind) {
        return Some("false".to_owned());
    }
    let mut parts = Vec::new();
    if let Some(values) = &shape.values {
        let listed: Vec<_> =
            values.iter().filter(|value| kind.meets(ValueKinds::of(value))).map(constant_literal).collect();
        parts.push(match listed.as_slice() {
            [only] => format!("{variable} == {only}"),
            _ => format!("{variable} in [{}]", listed.join(", ")),
        });
    }
    match kind {
        ValueKinds::STRING => string_constraints(shape, variable, &mut parts)?,
        ValueKinds::INTEGER => number_constraints(shape, variable, &mut parts)?,
        _ => return None,
    }
    Some(if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") })
}

fn constant_literal(value: &Value) -> String {
    match value {
        Value::String(text) => string_literal(text),
        other => other.to_string(),
    }
}

fn string_constraints(shape: &SchemaShape, variable: &str, parts: &mut Vec<String>) -> Option<()> {
    let texts = &shape.texts;
    if !texts.formats.is_empty() {
        return None;
    }
    parts.extend(texts.min.filter(|min| *min > 0).map(|min| format!("size({variable}) >= {min}")));
    parts.extend(texts.max.map(|max| format!("size({variable}) <= {max}")));
    let patterns = texts.patterns.iter().filter(|pattern| !pattern.is_empty());
    parts.extend(patterns.map(|pattern| format!("{variable}.matches({})", string_literal(pattern))));
    Some(())
}

fn number_constraints(shape: &SchemaShape, variable: &str, parts: &mut Vec<String>) -> Option<()> {
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
