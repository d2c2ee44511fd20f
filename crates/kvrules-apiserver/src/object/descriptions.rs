//! Schemas without descriptions.

use serde_json::Value as Json;

/// Returns a schema without the descriptions in it: they are most of its text, and no server validates by them.
///
/// ```
/// use kvrules_apiserver::object::without_descriptions;
/// use serde_json::json;
///
/// let schema = json!({"description": "A pond.", "properties": {"description": {"type": "string", "description": "Words."}}});
/// assert_eq!(without_descriptions(&schema), json!({"properties": {"description": {"type": "string"}}}));
/// ```
pub fn without_descriptions(schema: &Json) -> Json {
    let Json::Object(keywords) = schema else { return schema.clone() };
    let kept = keywords.iter().filter(|(keyword, value)| *keyword != "description" || !value.is_string());
    let stripped = kept.map(|(keyword, value)| {
        let value = match (keyword.as_str(), value) {
            ("properties", Json::Object(properties)) => {
                let below =
                    properties.iter().map(|(name, below)| (name.clone(), without_descriptions(below)));
                Json::Object(below.collect())
            }
            ("items" | "additionalProperties", below) => without_descriptions(below),
            (_, value) => value.clone(),
        };
        (keyword.clone(), value)
    });
    Json::Object(stripped.collect())
}

/// Returns the JSON text of [`without_descriptions`], without making that.
///
/// ```
/// use kvrules_apiserver::object::{text_without_descriptions, without_descriptions};
/// use serde_json::json;
///
/// let field = json!({"type": "string", "description": "Words.", "enum": ["a", "\n"]});
/// let schema = json!({"description": "A pond.", "properties": {"description": field}, "items": {"default": {"description": "a"}}});
/// assert_eq!(text_without_descriptions(&schema), without_descriptions(&schema).to_string());
/// assert_eq!(text_without_descriptions(&json!({"description": "A pond."})), "{}");
/// ```
pub fn text_without_descriptions(schema: &Json) -> String {
    let mut text = Vec::new();
    write_schema(schema, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

fn write_schema(schema: &Json, text: &mut Vec<u8>) {
    let Json::Object(keywords) = schema else { return write_value(schema, text) };
    let kept = keywords.iter().filter(|(keyword, value)| *keyword != "description" || !value.is_string());
    write_members(kept, text, |keyword, value, text| match (keyword, value) {
        ("properties", Json::Object(properties)) => {
            write_members(properties.iter(), text, |_, below, text| write_schema(below, text));
        }
        ("items" | "additionalProperties", below) => write_schema(below, text),
        (_, value) => write_value(value, text),
    });
}

fn write_members<'a>(
    members: impl Iterator<Item = (&'a String, &'a Json)>,
    text: &mut Vec<u8>,
    mut write: impl FnMut(&str, &Json, &mut Vec<u8>),
) {
    text.push(b'{');
    for (index, (name, value)) in members.enumerate() {
        if index > 0 {
            text.push(b',');
        }
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut *text, name);
        text.push(b':');
        write(name, value, text);
    }
    text.push(b'}');
}

fn write_value(value: &Json, text: &mut Vec<u8>) {
    let _ = serde_json::to_writer(text, value);
}
