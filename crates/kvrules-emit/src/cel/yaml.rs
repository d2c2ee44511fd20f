//! Expressions as they read best in YAML.

use super::expr::Expr;

/// Lines are broken here where they can be.
const WIDTH: usize = 100;

/// The text of an expression. One of several lines becomes a literal block; on one line YAML may ask for quotes, and for
/// each quote inside to be doubled.
pub(crate) fn yaml_text(expression: &Expr) -> String {
    let text = expression.layout(WIDTH);
    let plain = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.contains(": ")
        && !text.contains(" #");
    if plain { text } else { expression.broken(WIDTH) }
}
