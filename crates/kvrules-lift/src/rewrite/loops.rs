//! Loops with one variable in place of loops with two.

use kvrules_cel::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, Expression};

use crate::rewrite::parts::{operand_text, text_of};

/// `list.all(x, …)` in place of `list.all(i, x, …)`, if `i` is not used.
pub(crate) fn without_index(expression: &Expression, part: &Expr) -> Option<String> {
    let it = LoopOfTwo::of(part)?;
    let is_used = !uses_of(&it.loop_of.body, &it.loop_of.var.name).is_empty();
    (!is_used).then(|| it.with_variable(expression, it.value, text_of(expression, &it.loop_of.body)))
}

/// `map.all(k, …map[k]…)` in place of `map.all(k, v, …v…)`.
pub(crate) fn with_entry(expression: &Expression, part: &Expr) -> Option<String> {
    let it = LoopOfTwo::of(part)?;
    let key = &it.loop_of.var.name;
    let entry = format!("{}[{key}]", operand_text(expression, &it.loop_of.range));
    let (start, end) = (it.loop_of.body.span.start, it.loop_of.body.span.end);
    let (mut body, mut from) = (String::new(), start);
    for used in uses_of(&it.loop_of.body, it.value) {
        body.push_str(expression.source.get(from..used.span.start)?);
        body.push_str(&entry);
        from = used.span.end;
    }
    body.push_str(expression.source.get(from..end)?);
    Some(it.with_variable(expression, key, &body))
}

struct LoopOfTwo<'e> {
    loop_of: &'e Comprehension,
    function: &'static str,
    /// The second variable.
    value: &'e str,
}

impl<'e> LoopOfTwo<'e> {
    fn of(part: &'e Expr) -> Option<Self> {
        let ExprKind::Comprehension(loop_of) = &part.kind else { return None };
        let function = match loop_of.kind {
            ComprehensionKind::All => "all",
            ComprehensionKind::Exists => "exists",
            ComprehensionKind::ExistsOne => "exists_one",
            _ => return None,
        };
        Some(Self { loop_of, function, value: &loop_of.var2.as_ref()?.name })
    }

    fn with_variable(&self, expression: &Expression, variable: &str, body: &str) -> String {
        let range = operand_text(expression, &self.loop_of.range);
        format!("{range}.{}({variable}, {body})", self.function)
    }
}

/// The places that use a variable, in their order.
fn uses_of<'e>(body: &'e Expr, name: &str) -> Vec<&'e Expr> {
    let mut found = Vec::new();
    body.visit_nodes(&mut |part| {
        if matches!(&part.kind, ExprKind::Ident(known) if known == name) {
            found.push(part);
        }
    });
    found.sort_by_key(|part| part.span.start);
    found
}
