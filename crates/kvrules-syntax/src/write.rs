//! Writes YAML. All that kvrules writes as YAML without a text to edit comes from here.

use std::fmt;

use kvrules_diagnostics::render::needs_escape;
use serde::Serialize;
use serde_json::Value;

use crate::edit::for_older_readers;

/// The reason why a value cannot be written as YAML, such as a map whose keys are maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError(String);

impl fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}

/// Writes a value as a YAML document that readers of YAML 1.1, such as Kubernetes, read alike: `on`, `1_000` and `2020-01-01`
/// are in quotation marks.
///
/// ```
/// let schema = serde_json::json!({"type": "string", "enum": ["on", "up"]});
/// assert_eq!(kvrules_syntax::to_yaml(&schema).unwrap(), "type: string\nenum:\n- \"on\"\n- up\n");
/// assert_eq!(kvrules_syntax::to_yaml("2020-01-01").unwrap(), "\"2020-01-01\"\n");
/// ```
///
/// # Errors
///
/// A value that YAML cannot express.
pub fn to_yaml(value: &(impl Serialize + ?Sized)) -> Result<String, WriteError> {
    let failure = |error: &dyn fmt::Display| WriteError(error.to_string());
    let text = serde_yaml::to_string(value).map_err(|error| failure(&error))?;
    if !text.contains(is_unfit) {
        return Ok(for_older_readers(text));
    }
    let mut value = serde_json::to_value(value).map_err(|error| failure(&error))?;
    let mut mark = MARK.to_owned();
    while text.contains(&escape_chars(&mark)) {
        mark.push('\u{fffe}');
    }
    mark_unfit_strings(&mut value, &mark);
    let text = serde_yaml::to_string(&value).map_err(|error| failure(&error))?;
    let text = text.replace(&escape_chars(&mark), "");
    Ok(for_older_readers(escape_unfit(&text)))
}

/// Characters that the writer puts into double quotation marks, as escapes.
const MARK: &str = "\u{ffff}\u{fffe}";

/// True for what has to be written as an escape, which only strings in double quotation marks have. Line breaks of the layout have not.
fn is_unfit(character: char) -> bool {
    !matches!(character, '\n' | '\t') && needs_escape(character)
}

/// Puts a mark before each string with characters that need an escape, so that it is written in double quotation marks.
fn mark_unfit_strings(value: &mut Value, mark: &str) {
    match value {
        Value::String(text) if text.contains(is_unfit) => text.insert_str(0, mark),
        Value::Array(items) => items.iter_mut().for_each(|item| mark_unfit_strings(item, mark)),
        Value::Object(fields) => {
            for (mut key, mut field) in std::mem::take(fields) {
                if key.contains(is_unfit) {
                    key.insert_str(0, mark);
                }
                mark_unfit_strings(&mut field, mark);
                fields.insert(key, field);
            }
        }
        _ => {}
    }
}

/// A text with each character as the escape that the writer makes of it.
fn escape_chars(text: &str) -> String {
    let escape = |written: String, character| format!("{written}\\u{:04X}", u32::from(character));
    text.chars().fold(String::new(), escape)
}

fn escape_unfit(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unfit(character) {
            escaped += &escape_chars(character.encode_utf8(&mut [0; 4]));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_acts_on_the_display_is_written_as_an_escape_and_read_as_itself() {
        let controls = (0..0xa0).filter_map(char::from_u32);
        let marks = "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{feff}\u{ffff}";
        for character in controls.chain(marks.chars()) {
            for text in [
                format!("{character}"),
                format!("a{character}b"),
                format!("a\nb {character}\n"),
                format!("'{character}\"\\ #: "),
            ] {
                let value =
                    json!({"a": [text.as_str(), "on"], text.as_str(): {"b": text.as_str(), "c": 1.0}});
                let written = to_yaml(&value).unwrap();
                assert!(!written.contains(is_unfit), "{written:?}");
                assert_eq!(serde_yaml::from_str::<Value>(&written).unwrap(), value, "{written}");
            }
        }
    }

    #[test]
    fn a_text_with_the_mark_stays() {
        let value = json!(["\u{ffff}\u{fffe}a", "\\uFFFF\\uFFFE", "\u{202e}\u{ffff}\u{fffe}"]);
        let written = to_yaml(&value).unwrap();
        assert_eq!(serde_yaml::from_str::<Value>(&written).unwrap(), value, "{written}");
    }
}
