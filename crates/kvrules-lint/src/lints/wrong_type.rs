//! KV104 `wrong_type`: a value that its key does not take.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::{ALL_KEYS, Key, RuleKind};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::{
    Node, SyntaxKind,
    edit::{Rewriter, ScalarEdit},
    find_parameters,
};

use crate::{
    LintCheck, RuleView,
    message_text::{code, join_with_or},
    paths::without_misspelt_prefix,
    repair::enclose_value,
    shape::{TypeFault, expected_value, path_prefix, type_faults},
};

pub static LINT: Lint = Lint {
    code: "KV104",
    name: "wrong_type",
    level: Level::Error,
    summary: "a value has a type that its key does not accept",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for key in ALL_KEYS {
        for fault in type_faults(rule, key) {
            let is_item = rule.key_value(key).is_some_and(|value| value.span() != fault.node.span());
            let subject = if is_item { "an item of " } else { "" };
            let wanted = if is_item { "a string, a number, `true` or `false`" } else { expected_value(key) };
            let message = format!("{subject}`{}` must be {wanted}, not {}", key.as_str(), fault.found);
            let finding = LINT.diagnostic_at(fault.node.span(), message).fix_if(value_fix(rule, key, &fault));
            found.push(match help(rule, key, &fault) {
                Some(help) => finding.with_help(help),
                None => finding,
            });
        }
    }
}

fn help(rule: &RuleView<'_>, key: Key, fault: &TypeFault<'_>) -> Option<String> {
    let (kind, text) = (fault.node.kind(), fault.node.text());
    match key {
        Key::JustWarning => match text {
            "true" | "false" => Some(format!("write `{text}` without quotation marks")),
            _ => None,
        },
        Key::Min | Key::Max | Key::MinLength | Key::MaxLength if kind == SyntaxKind::String => {
            suggest_bound(rule, text)
        }
        Key::Values | Key::Included => is_scalar(fault.node).then(|| {
            format!("put the values in brackets: {}", code(&format!("[{}]", quote_text(fault.node))))
        }),
        Key::Rule => Some(format!("write {}", join_with_or(&RuleKind::ALL.map(RuleKind::as_str)))),
        Key::Name | Key::Message | Key::Regex if is_scalar(fault.node) => {
            Some(format!("write {}", code(&format!("\"{text}\""))))
        }
        _ => None,
    }
}

/// Suggests a replacement for a string in the place of a bound.
fn suggest_bound(rule: &RuleView<'_>, text: &str) -> Option<String> {
    if find_parameters(text).next().is_some_and(|parameter| parameter.range.len() == text.len()) {
        return Some(format!("write {} without quotation marks", code(text)));
    }
    let path = without_misspelt_prefix(text).or_else(|| text.starts_with(['.', '/', '$']).then_some(text));
    if let Some(path) = path {
        return Some(format!(
            "write {} to mean a path",
            code(&format!("{}{path}", path_prefix(rule.dialect())))
        ));
    }
    let number =
        Quantity::parse_trimmed(text).ok().filter(|_| text.contains(|c: char| c.is_ascii_digit()))?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(format!("write `{text}` without quotation marks"));
    }
    Some(format!("write the number itself: `{}`", number.to_integer()?))
}

/// Repairs a value if its meaning is obvious. The rule cannot be read as it is, so that nothing changes its meaning.
fn value_fix(rule: &RuleView<'_>, key: Key, fault: &TypeFault<'_>) -> Option<Fix> {
    let (node, text) = (fault.node, fault.node.text());
    if find_parameters(text).next().is_some() {
        return None;
    }
    let literal = |literal: &str| {
        let edit = Rewriter::new(rule.source).replace_scalar(node, ScalarEdit::Literal(literal))?;
        Some(Fix::safe_fix(format!("write `{literal}`"), [edit]))
    };
    match key {
        Key::JustWarning if matches!(text, "true" | "false") => literal(text),
        Key::Min | Key::Max | Key::MinLength | Key::MaxLength if node.kind() == SyntaxKind::String => {
            if text.contains(|c: char| c.is_ascii_digit()) && !text.contains(['e', 'E']) {
                literal(&Quantity::parse_trimmed(text).ok()?.to_integer()?.to_string())
            } else {
                None
            }
        }
        Key::Values | Key::Included if is_scalar(node) && rule.key_value(key)?.span() == node.span() => {
            Some(Fix::safe_fix("put the value into a list", enclose_value(node, "[", "]")?))
        }
        Key::Name | Key::Message | Key::Regex
            if matches!(node.kind(), SyntaxKind::Number | SyntaxKind::True | SyntaxKind::False) =>
        {
            Some(Fix::safe_fix("put it in quotation marks", enclose_value(node, "\"", "\"")?))
        }
        _ => None,
    }
}

fn is_scalar(node: Node<'_>) -> bool {
    !matches!(node.kind(), SyntaxKind::List | SyntaxKind::Map | SyntaxKind::Hole | SyntaxKind::Null)
}

fn quote_text(node: Node<'_>) -> String {
    if node.kind() == SyntaxKind::String { format!("\"{}\"", node.text()) } else { node.text().to_owned() }
}
