//! The bytes that a node covers, from its token and its children.

use crate::ast::{ExprKind, Literal, Span, operators};

/// Returns the span of a node: from the first byte of the node or its children to the last.
///
/// `token` is where the server reports errors of the node, and `close` the bracket that closes it, if `token` opens one.
pub(super) fn span(source: &str, kind: &ExprKind, token: Span, close: Option<usize>) -> Span {
    let mut span = token;
    for child in kind.children() {
        span.start = span.start.min(child.span.start);
        span.end = span.end.max(child.span.end);
    }
    if let Some(close) = close {
        span.end = span.end.max(close + 1);
    }
    match kind {
        ExprKind::Select { field, .. } => span.end = word_after(source, token.end, field),
        ExprKind::Call { function, args, .. } if function == operators::OPT_SELECT => {
            let field = args.get(1).map(|arg| &arg.kind);
            if let Some(ExprKind::Literal(Literal::String(field))) = field {
                span.end = word_after(source, token.end, field);
            }
        }
        ExprKind::Call { function, receiver: None, .. } if close.is_some() => {
            include_name(source, function, &mut span);
        }
        ExprKind::Has { .. } => include_name(source, "has", &mut span),
        _ => {}
    }
    span
}

/// The name of a global call is before the token, which is the bracket.
fn include_name(source: &str, function: &str, span: &mut Span) {
    let before = source.get(..span.start).unwrap_or_default().trim_end();
    if before.ends_with(function) {
        span.start = before.len() - function.len();
    }
}

fn word_after(source: &str, from: usize, word: &str) -> usize {
    let after = source.get(from..).and_then(|rest| rest.find(word));
    after.map_or(from, |index| from + index + word.len())
}

/// Returns where the sign of a negative number stands, which is where the server places the number.
// cel-go parser/parser.go, VisitInt and VisitDouble: the context begins at the sign, while a negation begins at its operator
pub(super) fn sign_of(source: &str, kind: &ExprKind, start: usize) -> Option<usize> {
    let is_negative = match kind {
        ExprKind::Literal(Literal::Int(value)) => *value < 0,
        ExprKind::Literal(Literal::Double(value)) => value.is_sign_negative(),
        _ => false,
    };
    let before = source.get(..start)?.trim_end().strip_suffix('-')?;
    is_negative.then_some(before.len())
}
