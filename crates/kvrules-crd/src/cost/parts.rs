//! Parts of an expression in its text.

use kvrules_cel::ast::{Expr, Expression};

/// The rule with a part written otherwise, without parentheses that are not needed.
pub(super) fn replace_part(expression: &Expression, part: &Expr, changed: &str) -> Option<String> {
    let span = source_span(expression, part)?;
    let (before, after) = (expression.source.get(..span.0)?, expression.source.get(span.1..)?);
    let is_whole = before.trim().is_empty() && after.trim().is_empty();
    let is_enclosed = before.trim_end().ends_with('(') && after.trim_start().starts_with(')');
    let bare = changed.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let changed = bare.filter(|_| is_whole || is_enclosed).unwrap_or(changed);
    Some(format!("{before}{changed}{after}"))
}

/// The bytes of a part.
fn source_span(expression: &Expression, part: &Expr) -> Option<(usize, usize)> {
    let (start, end) = (part.span.start, part.span.end);
    expression.source.get(start..end).map(|_| (start, end))
}

pub(super) fn text_of<'e>(expression: &'e Expression, part: &Expr) -> &'e str {
    expression.source.get(part.span.start..part.span.end).unwrap_or_default()
}
