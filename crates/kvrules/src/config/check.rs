//! A TOML value checked against a JSON Schema, for messages with places and suggestions.
//!
//! Only those keywords are examined that [`schema`](super::schema) writes. What a value should have been is read
//! off the schema, so a new key of the configuration needs nothing here.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use kvrules_diagnostics::suggest_name;

/// Something wrong with a configuration.
#[derive(Debug)]
pub(super) struct ConfigFault {
    /// Location of the error, in bytes of the file.
    pub(super) range: Range<usize>,
    /// Description of the error.
    pub(super) message: String,
    /// Replacement to write instead.
    pub(super) help: Option<String>,
}

/// Everything in `value` that `schema` does not allow.
pub(super) fn check_value(value: &DeValue<'_>, schema: &Value) -> Vec<ConfigFault> {
    let mut checker = ConfigChecker { faults: Vec::new() };
    checker.value(value, &(0..0), "the configuration", schema);
    checker.faults
}

struct ConfigChecker {
    faults: Vec<ConfigFault>,
}

impl ConfigChecker {
    /// `name` says what the value is, for messages: `` `inputs` ``.
    fn value(&mut self, value: &DeValue<'_>, range: &Range<usize>, name: &str, schema: &Value) {
        if schema.get("type").is_some_and(|wanted| !is_of_type(value, wanted)) {
            let message = format!("{name} must be {}, not {}", describe_type(schema), describe_value(value));
            return self.add_fault(range, message, None);
        }
        match value {
            DeValue::Table(table) => self.table(table, name, schema),
            DeValue::Array(items) => self.items(items, range, name, schema),
            DeValue::String(text) => self.choice(text, range, name, schema),
            _ => {}
        }
    }

    fn table(&mut self, table: &DeTable<'_>, name: &str, schema: &Value) {
        for (key, value) in table {
            let (word, range) = (key.get_ref().as_ref(), key.span());
            let property = schema.get("properties").and_then(|known| known.get(word));
            let other = schema.get("additionalProperties").filter(|other| other.is_object());
            let names = schema.get("propertyNames").map_or_else(Vec::new, allowed_values);
            let known = property.or_else(|| other.filter(|_| names.is_empty() || names.contains(&word)));
            if let Some(schema) = known {
                self.value(value.get_ref(), &value.span(), &name_of_key(name, word), schema);
            } else {
                let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
                let known: Vec<_> = properties.map(|(name, _)| name.as_str()).chain(names).collect();
                self.add_fault(
                    &range,
                    format!("unknown key `{word}` in {name}"),
                    suggest_value(word, &known),
                );
            }
        }
    }

    fn items(&mut self, items: &DeArray<'_>, range: &Range<usize>, name: &str, schema: &Value) {
        if items.is_empty() && schema.get("minItems").is_some() {
            self.add_fault(range, format!("{name} is empty"), Some("omit it to select all".to_owned()));
        }
        let Some(schema) = schema.get("items") else { return };
        let name = format!("an item of {name}");
        items.iter().for_each(|item: &Spanned<_>| self.value(item.get_ref(), &item.span(), &name, schema));
    }

    fn choice(&mut self, text: &str, range: &Range<usize>, name: &str, schema: &Value) {
        let choices = allowed_values(schema);
        if !choices.is_empty() && !choices.contains(&text) {
            let message = format!("invalid value `{text}` for {name}");
            self.add_fault(range, message, suggest_value(text, &choices));
        }
    }

    fn add_fault(&mut self, range: &Range<usize>, message: String, help: Option<String>) {
        self.faults.push(ConfigFault { range: range.clone(), message, help });
    }
}

/// Returns the name in messages for the value under `key`.
fn name_of_key(outer: &str, key: &str) -> String {
    match outer.strip_suffix('`') {
        Some(outer) => format!("{outer}.{key}`"),
        None => format!("`{key}`"),
    }
}

fn allowed_values(schema: &Value) -> Vec<&str> {
    schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn suggest_value(word: &str, known: &[&str]) -> Option<String> {
    (!known.is_empty()).then(|| suggest_name(word, known))
}

fn is_of_type(value: &DeValue<'_>, wanted: &Value) -> bool {
    match value {
        DeValue::String(_) => wanted == "string",
        DeValue::Array(_) => wanted == "array",
        DeValue::Table(_) => wanted == "object",
        DeValue::Boolean(_) => wanted == "boolean",
        DeValue::Integer(_) => wanted == "integer",
        DeValue::Float(_) | DeValue::Datetime(_) => false,
    }
}

/// Returns the type that a schema expects, in words.
fn describe_type(schema: &Value) -> &'static str {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => "a string",
        Some("array") => "a list of strings",
        Some("object") => "a table",
        Some("boolean") => "`true` or `false`",
        _ => "an integer",
    }
}

fn describe_value(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Datetime(_) => "a date",
    }
}
