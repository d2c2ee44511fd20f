//! The lines that schemas draw: the sizes of lists and texts that they distinguish.

use serde_json::Value;

use crate::synthesise::SizeLimits;

/// Longer lists and texts are not made.
const LONGEST: usize = 20_000;

/// Adds the lines of a schema and all below it.
pub(super) fn collect_lines(schema: &Value, lines: &mut SizeLimits) {
    match schema {
        Value::Array(parts) => parts.iter().for_each(|part| collect_lines(part, lines)),
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
                match (keyword.as_str(), size.filter(|size| *size <= LONGEST)) {
                    ("maxItems" | "minItems", Some(size)) => _ = lines.items.insert(size),
                    ("maxLength" | "minLength", Some(size)) => _ = lines.lengths.insert(size),
                    _ => collect_lines(value, lines),
                }
            }
        }
        _ => {}
    }
}

/// A schema in which lines that are drawn further out stand at sizes that objects can cross. What is on both sides of a line
/// does not depend on where it is.
pub(super) fn drawn_near(schema: &Value) -> Value {
    match schema {
        Value::Array(parts) => parts.iter().map(drawn_near).collect(),
        Value::Object(keywords) => {
            let near = |keyword: &str, value: &Value| {
                let most = match keyword {
                    "maxItems" | "minItems" => 200,
                    "maxLength" | "minLength" => 5000,
                    _ => return drawn_near(value),
                };
                match value.as_u64() {
                    Some(size) if size > most => most.into(),
                    _ => drawn_near(value),
                }
            };
            keywords.iter().map(|(keyword, value)| (keyword.clone(), near(keyword, value))).collect()
        }
        other => other.clone(),
    }
}
