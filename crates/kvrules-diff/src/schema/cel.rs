//! Rules of schemas as text: tests that two are equal, and the values that they refer to.

use std::fmt::Write as _;

use kvrules_cel::ast::{Expr, ExprKind, Expression, Literal, operators};

use super::build::ExpressionHints;
use super::values::find_match;

/// Relation between two rules, as far as their syntax shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormRelation {
    /// They are the same.
    Same,
    /// The new one requires all that the old one does.
    Stricter,
    /// The old one requires all that the new one does.
    Milder,
    /// The form does not show a relation.
    Different,
}

/// Compares two rules by their form: blanks, names of loop variables, the order of `&&`, `||`, `==`, and the side on which
/// a `<` is written do not count.
pub(crate) fn compare_forms(old: &str, new: &str) -> FormRelation {
    if old.trim() == new.trim() {
        return FormRelation::Same;
    }
    let (Ok(one), Ok(other)) = (kvrules_cel::parse(old), kvrules_cel::parse(new)) else {
        return FormRelation::Different;
    };
    let parts = |expression: &Expression, operator: &str| -> Vec<String> {
        let mut parts = Vec::new();
        collect_operands(&expression.root, operator, false, &mut Vec::new(), &mut parts);
        parts.sort();
        parts.dedup();
        parts
    };
    let depth = one.depth.max(other.depth);
    let compared = kvrules_cel::stack::with_room(depth, || {
        let all = |parts: &[String], among: &[String]| parts.iter().all(|part| among.contains(part));
        let (old_all, new_all) = (parts(&one, operators::AND), parts(&other, operators::AND));
        let (old_any, new_any) = (parts(&one, operators::OR), parts(&other, operators::OR));
        if old_all == new_all {
            FormRelation::Same
        } else if all(&old_all, &new_all) || all(&new_any, &old_any) {
            FormRelation::Stricter
        } else if all(&new_all, &old_all) || all(&old_any, &new_any) {
            FormRelation::Milder
        } else {
            FormRelation::Different
        }
    });
    compared.unwrap_or(FormRelation::Different)
}

/// A spelling that only rules have which are the [same](FormRelation::Same) by their form.
pub(crate) fn canonical_spelling(rule: &str) -> String {
    let plain = || format!(" {}", rule.trim());
    let Ok(expression) = kvrules_cel::parse(rule) else { return plain() };
    let parts = kvrules_cel::stack::with_room(expression.depth, || {
        let mut parts = Vec::new();
        collect_operands(&expression.root, operators::AND, false, &mut Vec::new(), &mut parts);
        parts.sort();
        parts.dedup();
        parts.join("\0")
    });
    parts.unwrap_or_else(plain)
}

/// The names of loop variables from the outside in.
type LoopVariables<'e> = Vec<&'e str>;

/// The operands of a chain of one operator, each as a text.
fn collect_operands<'e>(
    expr: &'e Expr,
    operator: &str,
    negated: bool,
    names: &mut LoopVariables<'e>,
    parts: &mut Vec<String>,
) {
    match &expr.kind {
        ExprKind::Call { function, args, .. } if !negated && function == operator => {
            for arg in args {
                collect_operands(arg, operator, false, names, parts);
            }
        }
        // `true` in a conjunction and `false` in a disjunction have no effect.
        ExprKind::Literal(Literal::Bool(value)) if !negated && *value == (operator == operators::AND) => {}
        _ => parts.push(spell_expression(expr, negated, names)),
    }
}

/// An expression in one spelling.
fn spell_expression<'e>(expr: &'e Expr, negated: bool, names: &mut LoopVariables<'e>) -> String {
    let plain = match &expr.kind {
        ExprKind::Call { function, receiver, args } => {
            return spell_call(function, receiver.as_deref(), args, negated, names);
        }
        ExprKind::Literal(literal) => spelled_literal(literal),
        ExprKind::Ident(name) => match names.iter().rposition(|known| known == name) {
            Some(index) => format!("#{index}"),
            None => name.clone(),
        },
        ExprKind::Select { operand, field } => format!("{}.{field}", spell_expression(operand, false, names)),
        ExprKind::Has { operand, field, .. } => {
            format!("has({}.{field})", spell_expression(operand, false, names))
        }
        ExprKind::List(elements) => {
            let each = elements.iter().map(|it| (it.optional, spell_expression(&it.value, false, names)));
            join_listed("[", each.map(|(optional, text)| if optional { format!("?{text}") } else { text }))
        }
        ExprKind::Map(entries) => {
            let each = entries.iter().map(|entry| {
                let key = spell_expression(&entry.key, false, names);
                let value = spell_expression(&entry.value, false, names);
                format!("{}{key}:{value}", if entry.optional { "?" } else { "" })
            });
            join_listed("{", each)
        }
        ExprKind::Struct { type_name, fields } => {
            let each = fields.iter().map(|it| (&it.field, spell_expression(&it.value, false, names)));
            join_listed(type_name, each.map(|(field, value)| format!("{field}:{value}")))
        }
        ExprKind::Comprehension(it) => {
            let mut text = format!("{:?}({}", it.kind, spell_expression(&it.range, false, names));
            let before = names.len();
            names.extend(it.variable_names());
            let _ = write!(text, ";{}", names.len() - before);
            for inner in it.condition.iter().chain([&it.body]) {
                let _ = write!(text, ";{}", spell_expression(inner, false, names));
            }
            names.truncate(before);
            text + ")"
        }
        ExprKind::OptMap { flat, target, var, body } => {
            let target = spell_expression(target, false, names);
            names.push(var);
            let body = spell_expression(body, false, names);
            names.pop();
            format!("optMap{flat}({target};{body})")
        }
        ExprKind::SortBy { range, var, key } => {
            let range = spell_expression(range, false, names);
            names.push(var);
            let key = spell_expression(key, false, names);
            names.pop();
            format!("sortBy({range};{key})")
        }
    };
    if negated { format!("!({plain})") } else { plain }
}

fn join_listed(open: &str, parts: impl Iterator<Item = String>) -> String {
    format!("{open}({})", parts.collect::<Vec<_>>().join(","))
}

fn spelled_literal(literal: &Literal) -> String {
    match literal {
        Literal::String(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    }
}

fn spell_call<'e>(
    function: &str,
    receiver: Option<&'e Expr>,
    args: &'e [Expr],
    negated: bool,
    names: &mut LoopVariables<'e>,
) -> String {
    let not = |text: String| if negated { format!("!({text})") } else { text };
    match (function, args) {
        (operators::NOT, [inner]) => spell_expression(inner, !negated, names),
        // `&&` and `||` absorb errors of either operand, so the order of the operands does not matter.
        (operators::AND | operators::OR, _) => {
            let mut parts = Vec::new();
            for arg in args {
                collect_operands(arg, function, false, names, &mut parts);
            }
            parts.sort();
            not(join_listed(function, parts.into_iter()))
        }
        (operators::EQUALS | operators::NOT_EQUALS, [left, right]) => {
            let mut sides = [spell_expression(left, false, names), spell_expression(right, false, names)];
            sides.sort();
            let equal = (function == operators::EQUALS) != negated;
            format!("({}{}{})", sides[0], if equal { "==" } else { "!=" }, sides[1])
        }
        (operators::GREATER, [left, right]) => not(format!(
            "({}<{})",
            spell_expression(right, false, names),
            spell_expression(left, false, names)
        )),
        (operators::GREATER_EQUALS, [left, right]) => not(format!(
            "({}<={})",
            spell_expression(right, false, names),
            spell_expression(left, false, names)
        )),
        (operators::LESS, [left, right]) => not(format!(
            "({}<{})",
            spell_expression(left, false, names),
            spell_expression(right, false, names)
        )),
        (operators::LESS_EQUALS, [left, right]) => not(format!(
            "({}<={})",
            spell_expression(left, false, names),
            spell_expression(right, false, names)
        )),
        _ => {
            let receiver =
                receiver.map(|receiver| spell_expression(receiver, false, names)).unwrap_or_default();
            let args = args.iter().map(|arg| spell_expression(arg, false, names));
            not(join_listed(&format!("{receiver}.{function}"), args.collect::<Vec<_>>().into_iter()))
        }
    }
}

/// True if a rule reads the value before an update.
pub(super) fn is_transition(rule: &str) -> bool {
    rule.contains("oldSelf")
}

/// Adds the values that a rule refers to, and their neighbours.
pub(super) fn collect_hints(rule: &str, hints: &mut ExpressionHints) {
    const MOST: usize = 60;
    let Ok(expression) = kvrules_cel::parse(rule) else { return };
    let _ = kvrules_cel::stack::with_room(expression.depth, || {
        expression.root.visit_nodes(&mut |expr| {
            if let ExprKind::Call { function, args, .. } = &expr.kind
                && function == "matches"
                && let Some(Expr { kind: ExprKind::Literal(Literal::String(pattern)), .. }) = args.last()
            {
                hints.texts.extend(find_match(pattern, 0, None));
            }
            match &expr.kind {
                ExprKind::Literal(Literal::Int(number)) => {
                    let near = (-1..=1).map(|step| number.saturating_add(step));
                    hints.integers.extend(near);
                }
                ExprKind::Literal(Literal::Double(number)) if number.abs() < 9e15 => {
                    #[expect(clippy::cast_possible_truncation, reason = "the number is checked to be small")]
                    let near = number.floor() as i64;
                    hints.integers.extend([near, near + 1]);
                }
                ExprKind::Literal(Literal::String(text)) => hints.texts.push(text.clone()),
                _ => {}
            }
        });
    });
    hints.integers.sort_unstable();
    hints.integers.dedup();
    hints.texts.sort();
    hints.texts.dedup();
    hints.integers.truncate(MOST);
    hints.texts.truncate(MOST);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_rule_are_the_same() {
        for (one, other) in [
            ("self.a > 1", "1 < self.a"),
            ("self.a == 1 && has(self.b)", "has( self.b ) && 1 == self.a"),
            ("self.l.all(x, x > 1)", "self.l.all(item, item > 1)"),
            ("!(self.a == 1)", "self.a != 1"),
            ("!!self.f", "self.f"),
            ("self.a && true", "self.a"),
            ("self.a || self.b || self.c", "self.c || (self.b || self.a)"),
        ] {
            assert_eq!(compare_forms(one, other), FormRelation::Same, "{one}; {other}");
        }
        for (one, other) in [
            ("self.l.all(x, self.m.all(y, x > y))", "self.l.all(x, self.m.all(y, y > x))"),
            ("self.a > 1", "self.a >= 1"),
            ("self.a == '1'", "self.a == 1"),
            ("self.l.all(x, x > 1)", "self.l.exists(x, x > 1)"),
        ] {
            assert_eq!(compare_forms(one, other), FormRelation::Different, "{one}; {other}");
        }
    }

    #[test]
    fn a_part_that_is_added_makes_a_rule_stricter_or_milder() {
        assert_eq!(compare_forms("self.a > 1", "self.a > 1 && self.a < 9"), FormRelation::Stricter);
        assert_eq!(compare_forms("self.a > 1 && self.a < 9", "self.a < 9"), FormRelation::Milder);
        assert_eq!(compare_forms("self.a > 1", "self.b || self.a > 1"), FormRelation::Milder);
        assert_eq!(compare_forms("self.a > 1 || self.b", "self.b"), FormRelation::Stricter);
    }
}
