//! The JSON text of a rule in its tree, with each key as often and each number as long as they are written.

use kvrules_syntax::{Node, SyntaxKind};
use serde_json::Value;

use crate::divergence::written_rule::matches_key;

/// The text; none if something in it could not be read, or is not JSON.
pub(crate) fn to_json_text(node: Node<'_>) -> Option<String> {
    let mut text = String::new();
    write_node(node, &mut text)?;
    Some(text)
}

/// The text of an object with the entries of one key alone, whatever their letter case.
pub(crate) fn text_of(rule: Node<'_>, key: &str) -> Option<String> {
    let mut out = String::new();
    write_map(rule, &mut out, |own| matches_key(key, own))?;
    Some(out)
}

/// True if it contains a parameter of a template, so that its text is not yet known.
pub(crate) fn has_parameters(node: Node<'_>) -> bool {
    match node.kind() {
        SyntaxKind::Parameter => true,
        SyntaxKind::String => node.text().contains("${"),
        SyntaxKind::List => node.items().any(has_parameters),
        SyntaxKind::Map => {
            node.entries().any(|entry| has_parameters(entry.key) || has_parameters(entry.value))
        }
        _ => false,
    }
}

/// Nesting is bounded by the parser, so this may recurse.
fn write_node(node: Node<'_>, out: &mut String) -> Option<()> {
    match node.kind() {
        SyntaxKind::Null => out.push_str("null"),
        SyntaxKind::True => out.push_str("true"),
        SyntaxKind::False => out.push_str("false"),
        SyntaxKind::Number if is_json_number(node.text()) => out.push_str(node.text()),
        SyntaxKind::String => string(node.text(), out),
        SyntaxKind::List => {
            out.push('[');
            for (at, item) in node.items().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_node(item, out)?;
            }
            out.push(']');
        }
        SyntaxKind::Map => write_map(node, out, |_| true)?,
        SyntaxKind::Number | SyntaxKind::Parameter | SyntaxKind::Hole | SyntaxKind::Alias => return None,
    }
    Some(())
}

fn write_map(node: Node<'_>, out: &mut String, wanted: impl Fn(&str) -> bool) -> Option<()> {
    out.push('{');
    for (at, entry) in node.entries().filter(|entry| wanted(entry.key.text())).enumerate() {
        if at > 0 {
            out.push(',');
        }
        string(entry.key.text(), out);
        out.push(':');
        write_node(entry.value, out)?;
    }
    out.push('}');
    Some(())
}

fn string(text: &str, out: &mut String) {
    out.push_str(&Value::from(text).to_string());
}

/// YAML has more numbers than JSON: `0x10`, `+1`, `.5`, `.inf`.
fn is_json_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let begins = digits.starts_with(|first: char| first.is_ascii_digit());
    begins && !digits.ends_with('.') && !digits.contains(['x', 'o', '_']) && text.parse::<f64>().is_ok()
}
