//! Expressions as they read best in YAML.

use kvrules_cel::ExpressionLayout;

use super::expr::Expr;
use crate::Fidelity;

/// Lines are broken here where they can be.
const WIDTH: usize = 100;

/// The text of a rule's expression, if the server does not refuse it for its size.
pub(crate) fn rule_text(expression: &Expr) -> Result<String, Fidelity> {
    let text = yaml_text(expression);
    match kvrules_cel::size_problem(&text) {
        None => Ok(text),
        Some(cause) => Err(Fidelity::Unsupported(format!("the server rejects the rule: {cause}"))),
    }
}

/// The text of an expression.
pub(crate) fn yaml_text(expression: &Expr) -> String {
    let line = expression.to_string();
    // Servers refuse a text that is too large to be parsed.
    kvrules_cel::parse(&line).map_or(line, |parsed| expression_text(&parsed.source, &parsed.root))
}

/// The text of an expression that was parsed from a source. One of several lines becomes a literal block; on one line YAML may ask for
/// quotes, and for each quote inside to be doubled.
pub(crate) fn expression_text(source: &str, root: &kvrules_cel::ast::Expr) -> String {
    let layout = ExpressionLayout { source, width: WIDTH };
    let text = layout.fitting_text(root);
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.contains(": ")
        && !text.contains(" #");
    if is_plain { text } else { layout.broken_text(root) }
}
