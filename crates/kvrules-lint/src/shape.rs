//! Of which type the value of each key must be.

use kvrules_elaborate::annotation::{self, Key, optional_path};
use kvrules_ir::AnnotationDialect;
use kvrules_syntax::{Node, SyntaxKind, find_parameters};

use crate::{RuleView, message_text::describe_value};

/// A value that is not what its key takes.
pub(crate) struct TypeFault<'a> {
    /// The value, or the item of it that is wrong.
    pub node: Node<'a>,
    /// Description of the value found.
    pub found: String,
}

/// Describes the value that a key requires.
pub(crate) fn expected_value(key: Key) -> &'static str {
    match key {
        Key::Rule | Key::Name | Key::Path | Key::Message | Key::Valid | Key::Regex => "a string",
        Key::JustWarning => "`true` or `false`",
        Key::Min | Key::Max | Key::MinLength | Key::MaxLength => "a number or a path",
        Key::Values | Key::Included => "a list of strings, numbers, `true` or `false`",
    }
}

/// Returns the type errors of a key's value. Empty if a parser could not read it or a parameter hides it.
pub(crate) fn type_faults<'a>(rule: &RuleView<'a>, key: Key) -> Vec<TypeFault<'a>> {
    let Some(node) = rule.key_value(key) else { return Vec::new() };
    let right = match key {
        Key::Rule | Key::Name | Key::Path | Key::Message | Key::Valid | Key::Regex => {
            node.kind() == SyntaxKind::String
        }
        Key::JustWarning => {
            matches!(node.kind(), SyntaxKind::True | SyntaxKind::False | SyntaxKind::Parameter)
        }
        Key::Min | Key::Max | Key::MinLength | Key::MaxLength => is_bound(rule, node),
        Key::Values | Key::Included if node.is_list() => return wrong_items(node),
        Key::Values | Key::Included => false,
    };
    // An unquoted word is reported as a JSON error, and its intended type is unknown.
    let unquoted = node.kind() == SyntaxKind::String && rule.annotation.json().is_some() && {
        let written = rule.source.span_text(node.span());
        written.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_'))
    };
    if right || unquoted { Vec::new() } else { vec![TypeFault { node, found: found_value(rule, node) }] }
}

fn is_bound(rule: &RuleView<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        SyntaxKind::Number => true,
        SyntaxKind::Parameter => parameter_value(rule, node).is_none_or(is_number),
        SyntaxKind::String => rule
            .fill_parameters(node.text())
            .is_none_or(|text| optional_path(&text, rule.dialect()).is_some()),
        _ => false,
    }
}

fn wrong_items(list: Node<'_>) -> Vec<TypeFault<'_>> {
    let wrong = list
        .items()
        .filter(|item| matches!(item.kind(), SyntaxKind::Null | SyntaxKind::List | SyntaxKind::Map));
    wrong.map(|node| TypeFault { node, found: describe_value(node) }).collect()
}

/// Describes the value found, with the value of a parameter if that is the error.
fn found_value(rule: &RuleView<'_>, node: Node<'_>) -> String {
    match (node.kind(), parameter_value(rule, node)) {
        (SyntaxKind::Parameter, Some(value)) if !is_number(value) => {
            format!("`{}`, which stands for the string `{value}`", node.text())
        }
        _ => describe_value(node),
    }
}

fn parameter_value<'a>(rule: &RuleView<'a>, node: Node<'_>) -> Option<&'a str> {
    let parameter = find_parameters(node.text()).next()?;
    rule.annotation.parameters.default_value(parameter.name)
}

fn is_number(text: &str) -> bool {
    let number = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    text.bytes().all(number) && kvrules_kubernetes::quantity::Quantity::parse(text).is_ok()
}

/// Returns the prefix that makes a string a path in a dialect.
pub(crate) fn path_prefix(dialect: AnnotationDialect) -> &'static str {
    if dialect == AnnotationDialect::Annotation201901 { "" } else { annotation::PREFIX }
}
