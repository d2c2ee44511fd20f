//! Parts of an expression in its text.

use kvrules_cel::ast::{Expr, ExprKind, Expression, operators};

/// The rule with a part written otherwise, without parentheses that are not needed.
pub(crate) fn replace_part(expression: &Expression, part: &Expr, changed: &str) -> Option<String> {
    let (before, after) = texts_around(expression, part)?;
    let is_whole = before.trim().is_empty() && after.trim().is_empty();
    let is_enclosed = before.trim_end().ends_with('(') && after.trim_start().starts_with(')');
    let bare = changed.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    // `(a) && (b)` begins and ends with a parenthesis too.
    let bare = bare.filter(|bare| (is_whole || is_enclosed) && kvrules_cel::parse(bare).is_ok());
    Some(format!("{before}{}{after}", bare.unwrap_or(changed)))
}

fn texts_around<'e>(expression: &'e Expression, part: &Expr) -> Option<(&'e str, &'e str)> {
    let (start, end) = balanced_span(expression, part);
    Some((expression.source.get(..start)?, expression.source.get(end..)?))
}

/// The text of a part.
pub(crate) fn text_of<'e>(expression: &'e Expression, part: &Expr) -> &'e str {
    let (start, end) = balanced_span(expression, part);
    expression.source.get(start..end).unwrap_or_default()
}

/// The bytes of a part. The parentheses around the first and the last operand of an operator are not in its span.
fn balanced_span(expression: &Expression, part: &Expr) -> (usize, usize) {
    let (mut start, mut end) = (part.span.start, part.span.end);
    let source = expression.source.as_str();
    let (missing_before, missing_after) = unmatched(source.get(start..end).unwrap_or_default());
    for _ in 0..missing_before {
        start = source.get(..start).and_then(|before| before.rfind('(')).unwrap_or(start);
    }
    for _ in 0..missing_after {
        end = source.get(end..).and_then(|after| after.find(')')).map_or(end, |at| end + at + 1);
    }
    (start, end)
}

/// The numbers of closing parentheses without an opening one, and of opening ones without a closing one; those in literals do not
/// count.
fn unmatched(text: &str) -> (usize, usize) {
    let (mut before, mut open) = (0, 0_usize);
    let mut quote = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(_), '\\') => _ = signs.next(),
            (Some(mark), sign) if mark == sign => quote = None,
            (None, '\'' | '"') => quote = Some(sign),
            (None, '(') => open += 1,
            (None, ')') if open == 0 => before += 1,
            (None, ')') => open -= 1,
            _ => {}
        }
    }
    (before, open)
}

/// The text of a part as an operand of any operator.
pub(crate) fn operand_text(expression: &Expression, part: &Expr) -> String {
    let text = text_of(expression, part);
    let is_joint = matches!(&part.kind, ExprKind::Call { function, .. }
        if [operators::OR, operators::AND, operators::CONDITIONAL].contains(&function.as_str()));
    if is_joint { format!("({text})") } else { text.to_owned() }
}

/// The operands of a chain of `&&`, or of `||`.
pub(crate) fn collect_operands<'e>(part: &'e Expr, joint: &str, found: &mut Vec<&'e Expr>) {
    match &part.kind {
        ExprKind::Call { function, args, .. } if function == joint => {
            for arg in args {
                collect_operands(arg, joint, found);
            }
        }
        _ => found.push(part),
    }
}

/// The operand of a negation.
pub(crate) fn negated(part: &Expr) -> Option<&Expr> {
    match &part.kind {
        ExprKind::Call { function, args, .. } if function == operators::NOT => args.first(),
        _ => None,
    }
}
