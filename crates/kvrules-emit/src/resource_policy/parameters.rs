//! Rules with parameters, which a policy reads from an object of the cluster.

use kvrules_apiserver::definition::{PolicyParameters, ResourceVersion};
use kvrules_generate::schema_at_place_mut;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::definition_rules;
use serde_json::Value;

use crate::cel::quoted_text;

/// Returns the version with symbols in place of parameters; `None` if it has no parameters.
pub(super) fn symbolic_version(version: &ResourceVersion) -> Option<ResourceVersion> {
    let parameters = version.authored.as_ref()?.parameters.as_ref()?;
    let mut schema = version.schema.clone();
    for rule in definition_rules(&version.schema) {
        let Some(entry) = parameters.entries.get(&rule.name_by_place()) else { continue };
        let node = schema_at_place_mut(&mut schema, &rule.place);
        let entries = node.and_then(|node| node.get_mut(VALIDATIONS)?.as_array_mut());
        if let Some(known) = entries.and_then(|entries| entries.get_mut(rule.index)) {
            *known = entry.clone();
        }
    }
    Some(ResourceVersion { schema, ..version.clone() })
}

/// Writes parameters in place of symbols into a validation. A message that has one gets an expression that shows its value; the message
/// itself, which servers use if that fails, names the parameter.
///
/// # Errors
///
/// A symbol is left, or the result does not parse.
pub(super) fn write_parameters(validation: &mut Value, parameters: &PolicyParameters) -> Result<(), String> {
    let Some(fields) = validation.as_object_mut() else { return Ok(()) };
    let message = fields.get("message").and_then(Value::as_str).unwrap_or_default();
    if parameters.is_left_in(message) && !fields.contains_key(MESSAGE_EXPRESSION) {
        let text = quoted_text(message);
        let at = fields.keys().position(|name| name == "message").map_or(fields.len(), |at| at + 1);
        fields.shift_insert(at, MESSAGE_EXPRESSION.to_owned(), text.into());
    }
    for (name, value) in fields.iter_mut() {
        let Some(text) = value.as_str() else { continue };
        let written = match name.as_str() {
            "expression" => parameters.write_expression(text),
            MESSAGE_EXPRESSION => write_message_expression(text, parameters),
            _ => parameters.write_message(text),
        };
        let is_expression = matches!(name.as_str(), "expression" | MESSAGE_EXPRESSION);
        if parameters.is_left_in(&written) || (is_expression && kvrules_cel::parse(&written).is_err()) {
            return Err("the policy cannot read a parameter in this expression".to_owned());
        }
        *value = written.into();
    }
    Ok(())
}

const MESSAGE_EXPRESSION: &str = "messageExpression";

/// Writes parameters into an expression whose strings have symbols too: `'at most 7'` becomes `('at most ' + string(…))`.
fn write_message_expression(text: &str, parameters: &PolicyParameters) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(['\'', '"']) {
        let (before, behind) = rest.split_at(start);
        written.push_str(&parameters.write_expression(before));
        let (string, after) = behind.split_at(string_length(behind));
        let is_format = after.starts_with(".format(");
        written.push_str(&write_string(string, is_format, parameters));
        rest = after;
    }
    written.push_str(&parameters.write_expression(rest));
    written
}

/// The length of the literal at the start of a text.
fn string_length(text: &str) -> usize {
    let mut characters = text.char_indices();
    let quote = characters.next().map(|(_, quote)| quote);
    let mut is_escaped = false;
    for (at, character) in characters {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            character if Some(character) == quote => return at + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// A literal with the values of parameters in it. Those in a format have no signs of their own.
fn write_string(literal: &str, is_format: bool, parameters: &PolicyParameters) -> String {
    let whole = parameters.expressions.iter().find(|parameter| parameter.literal == literal);
    if let Some(parameter) = whole {
        return parameter.expression.clone();
    }
    let quote = literal.get(..1).unwrap_or_default();
    let mut text = literal.to_owned();
    for parameter in &parameters.expressions {
        let is_text = parameter.literal != parameter.symbol;
        let value = match (is_text, is_format) {
            (true, true) => format!("{}.replace('%', '%%')", parameter.expression),
            (true, false) => parameter.expression.clone(),
            (false, _) => format!("string({})", parameter.expression),
        };
        text = text.replace(&parameter.symbol, &format!("{quote} + {value} + {quote}"));
    }
    if text == literal {
        return text;
    }
    let empty = format!("{quote}{quote}");
    let text = text.strip_prefix(&format!("{empty} + ")).unwrap_or(&text);
    let text = text.strip_suffix(&format!(" + {empty}")).unwrap_or(text);
    format!("({text})")
}
