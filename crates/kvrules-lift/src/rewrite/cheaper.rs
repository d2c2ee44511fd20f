//! Other ways to write parts of a rule, which may cost less.

use kvrules_cel::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, Expression, Literal, operators};
use kvrules_cel::literal::to_string_literal;

use crate::rewrite::parts::{collect_operands, replace_part, text_of};

/// The forms of a rule in which one part is written otherwise.
pub(crate) fn changed_forms(text: &str) -> Vec<String> {
    let Ok(expression) = kvrules_cel::parse(text) else { return Vec::new() };
    let mut forms = Vec::new();
    expression.root.visit_nodes(&mut |part| {
        let changed = changed_part(&expression, part);
        forms.extend(changed.iter().filter_map(|changed| replace_part(&expression, part, changed)));
    });
    forms
}

/// Other ways to write a part, which may cost less.
fn changed_part(expression: &Expression, part: &Expr) -> Vec<String> {
    match &part.kind {
        ExprKind::Call { function, receiver: Some(subject), args } if function == "matches" => {
            let [Expr { kind: ExprKind::Literal(Literal::String(pattern)), .. }] = args.as_slice() else {
                return Vec::new();
            };
            without_pattern(text_of(expression, subject), pattern).into_iter().collect()
        }
        ExprKind::Call { function, .. } if function == operators::OR || function == operators::AND => {
            let is_any = function == operators::OR;
            membership(expression, part, is_any).into_iter().collect()
        }
        ExprKind::Comprehension(it) => loop_membership(expression, it).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A test of texts in place of a pattern that spells its texts out.
fn without_pattern(subject: &str, pattern: &str) -> Option<String> {
    let (start, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (end, rest) = rest.strip_suffix('$').map_or((false, rest), |rest| (true, rest));
    let group =
        rest.strip_prefix("(?:").or_else(|| rest.strip_prefix('(')).and_then(|it| it.strip_suffix(')'));
    if let Some(group) = group
        && start
        && end
    {
        let texts: Option<Vec<String>> = group.split('|').map(literal_text).collect();
        let quoted: Vec<String> = texts?.iter().map(|text| to_string_literal(text)).collect();
        return Some(format!("({subject} in [{}])", quoted.join(", ")));
    }
    let text = to_string_literal(&literal_text(rest)?);
    Some(match (start, end) {
        (true, true) => format!("({subject} == {text})"),
        (true, false) => format!("{subject}.startsWith({text})"),
        (false, true) => format!("{subject}.endsWith({text})"),
        (false, false) => format!("{subject}.contains({text})"),
    })
}

/// The text that a part of a pattern spells out.
fn literal_text(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => text.push(signs.next().filter(char::is_ascii_punctuation)?),
            sign if r".+*?()|[]{}^$".contains(sign) => return None,
            sign => text.push(sign),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// `x in ['a', 'b']` in place of `x == 'a' || x == 'b'`, and the opposite.
fn membership(expression: &Expression, part: &Expr, is_any: bool) -> Option<String> {
    let (joint, relation) =
        if is_any { (operators::OR, operators::EQUALS) } else { (operators::AND, operators::NOT_EQUALS) };
    let mut comparisons = Vec::new();
    collect_operands(part, joint, &mut comparisons);
    let mut subject = None;
    let mut values = Vec::new();
    for comparison in &comparisons {
        let ExprKind::Call { function, args, .. } = &comparison.kind else { return None };
        let [left, right] = args.as_slice() else { return None };
        let is_value = matches!(right.kind, ExprKind::Literal(_));
        if function != relation
            || !is_value
            || subject.is_some_and(|known| known != text_of(expression, left))
        {
            return None;
        }
        subject = Some(text_of(expression, left));
        values.push(text_of(expression, right));
    }
    let list = format!("({} in [{}])", subject?, values.join(", "));
    Some(if is_any { list } else { format!("!{list}") })
}

/// `'a' in list` in place of `list.exists(x, x == 'a')`, and `!('a' in list)` in place of `list.all(x, x != 'a')`.
fn loop_membership(expression: &Expression, it: &Comprehension) -> Option<String> {
    let (relation, sign) = match it.kind {
        ComprehensionKind::Exists => (operators::EQUALS, ""),
        ComprehensionKind::All => (operators::NOT_EQUALS, "!"),
        _ => return None,
    };
    let ExprKind::Call { function, args, .. } = &it.body.kind else { return None };
    let [left, right] = args.as_slice() else { return None };
    let is_variable = |part: &Expr| matches!(&part.kind, ExprKind::Ident(name) if *name == it.var.name);
    let value = if is_variable(left) { right } else { left };
    let is_other = is_variable(left) || is_variable(right);
    let mut mentions = false;
    value.visit_nodes(&mut |part| mentions |= is_variable(part));
    if function != relation || !is_other || mentions || it.var2.is_some() {
        return None;
    }
    Some(format!("{sign}({} in {})", text_of(expression, value), text_of(expression, &it.range)))
}
