//! Keys of mappings: those that must be there, and unknown ones.

use kvrules_diagnostics::{Diagnostic, Span, find_nearest, suggest_name};
use kvrules_syntax::{Node, SyntaxKind};

use crate::lints;
use crate::repairs::rename_fix;

/// True for a mapping with these keys alone; else reports what is wrong.
pub(crate) fn check_mapping(
    findings: &mut Vec<Diagnostic>,
    node: Node<'_>,
    what: &str,
    known: &[&str],
) -> bool {
    if !node.is_map() {
        let found = match node.kind() {
            SyntaxKind::List => "a list",
            SyntaxKind::String => "a string",
            SyntaxKind::Number => "a number",
            SyntaxKind::Null => "nothing",
            SyntaxKind::True | SyntaxKind::False => "a boolean",
            _ => "something else",
        };
        let message = format!("{what} must be a mapping, not {found}");
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message));
        return false;
    }
    let mut is_sound = true;
    for entry in node.entries().filter(|entry| !entry.key.is_merge_key()) {
        let key = entry.key.text();
        if !known.contains(&key) {
            findings.push(unknown_finding(
                entry.key.span(),
                format!("unknown key `{key}` in {what}"),
                key,
                known,
            ));
            is_sound = false;
        }
    }
    is_sound
}

pub(crate) fn unknown_finding(span: Span, message: String, word: &str, known: &[&str]) -> Diagnostic {
    let near = find_nearest(word, known.iter().copied());
    let fix = near.and_then(|near| rename_fix(span, word, near));
    lints::RULE_SET_SHAPE.diagnostic_at(span, message).with_help(suggest_name(word, known)).fix_if(fix)
}

/// The location of the first key.
pub(crate) fn first_key(node: Node<'_>) -> Span {
    node.entries().next().map_or(node.span(), |entry| entry.key.span())
}

/// The value of a key that must be there.
pub(crate) fn require<'d>(
    node: Node<'d>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'d>> {
    let found = node.get(key).filter(|value| value.kind() != SyntaxKind::Null);
    if found.is_none() {
        let message = format!("missing `{key}` in {what}");
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(first_key(node), message));
    }
    found
}
