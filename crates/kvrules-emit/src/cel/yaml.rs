//! Expressions as they read best in YAML.

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

/// The text of an expression. One of several lines becomes a literal block; on one line YAML may ask for quotes, and for
/// each quote inside to be doubled.
pub(crate) fn yaml_text(expression: &Expr) -> String {
    let text = expression.to_fitting_text(WIDTH);
    let plain = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.contains(": ")
        && !text.contains(" #");
    if plain { text } else { expression.to_broken_text(WIDTH) }
}
