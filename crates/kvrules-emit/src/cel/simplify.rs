//! Removes conditions whose result is known where they are evaluated.
//!
//! The right side of `&&` is reached only where the left holds, the right side of `||` only where the left does
//! not. So `has(a.b) && (!has(a.b) || a.b > 1)` says no more than `has(a.b) && a.b > 1`.

use super::expr::Expr;

impl Expr {
    /// The same expression without questions that were answered before.
    pub(super) fn simplified(self) -> Self {
        simplify_expr(self, &[])
    }

    /// The same expression where it is read only if `fact` holds.
    pub(super) fn simplified_where(self, fact: &Self) -> Self {
        match fact {
            Self::And(facts) => simplify_expr(self, facts),
            fact => simplify_expr(self, std::slice::from_ref(fact)),
        }
    }
}

/// `known` holds where `expr` is evaluated. Loop variables never share a name with one around them, so what is known
/// outside of a loop holds inside.
fn simplify_expr(expr: Expr, known: &[Expr]) -> Expr {
    // Lists may have many literals, which are never conditions, so skip the search in `known`.
    if matches!(expr, Expr::Int(_) | Expr::Text(_)) {
        return expr;
    }
    if known.contains(&expr) {
        return Expr::Bool(true);
    }
    if known.contains(&expr.clone().not()) {
        return Expr::Bool(false);
    }
    match expr {
        Expr::And(parts) => Expr::all_of(in_turn(parts, known, |part| part)),
        Expr::Or(parts) => factor_alternatives(Expr::any_of(in_turn(parts, known, Expr::not))),
        Expr::Not(inner) => simplify_expr(*inner, known).not(),
        Expr::All(list, variable, body) => list.all(variable, simplify_expr(*body, known)),
        Expr::Exists(list, variable, body) => list.exists(variable, simplify_expr(*body, known)),
        Expr::Comprehension(list, name, variable, body) => Expr::Comprehension(
            Box::new(simplify_expr(*list, known)),
            name,
            variable,
            Box::new(simplify_expr(*body, known)),
        ),
        Expr::List(items) => Expr::List(simplify_parts(items, known)),
        Expr::Conditional(condition, then, otherwise) => {
            simplify_conditional(*condition, *then, *otherwise, known)
        }
        Expr::Binary(left, operator, right) => {
            simplify_expr(*left, known).apply_operator(operator, simplify_expr(*right, known))
        }
        Expr::Call(name, arguments) => Expr::Call(name, simplify_parts(arguments, known)),
        Expr::Method(of, name, arguments) => {
            Expr::Method(Box::new(simplify_expr(*of, known)), name, simplify_parts(arguments, known))
        }
        other => other,
    }
}

/// Simplifies parts of which each is reached only where `passed` of those before it holds.
fn in_turn(parts: Vec<Expr>, known: &[Expr], passed: fn(Expr) -> Expr) -> Vec<Expr> {
    let mut known = known.to_vec();
    let mut simple = Vec::new();
    for part in parts {
        let part = simplify_expr(part, &known);
        match passed(part.clone()) {
            Expr::And(facts) => known.extend(facts),
            fact => known.push(fact),
        }
        simple.push(part);
    }
    simple
}

/// `a && b || a && c` as `a && (b || c)`, where `a` is what all parts begin with.
fn factor_alternatives(expr: Expr) -> Expr {
    let Expr::Or(parts) = &expr else { return expr };
    let Some(Expr::And(first)) = parts.first() else { return expr };
    let begin_alike = |count: usize| {
        parts.iter().all(|part| matches!(part, Expr::And(own) if own.get(..count) == first.get(..count)))
    };
    let shared = (0..=first.len()).take_while(|count| begin_alike(*count)).last().unwrap_or_default();
    if shared == 0 {
        return expr;
    }
    let rest = |part: &Expr| match part {
        Expr::And(own) => Expr::all_of(own.iter().skip(shared).cloned()),
        other => other.clone(),
    };
    let choice = Expr::any_of(parts.iter().map(rest));
    Expr::all_of(first.iter().take(shared).cloned().chain([choice]))
}

fn simplify_conditional(condition: Expr, then: Expr, otherwise: Expr, known: &[Expr]) -> Expr {
    let condition = simplify_expr(condition, known);
    let with = |fact: Expr| {
        let facts = if let Expr::And(facts) = fact { facts } else { vec![fact] };
        [known.to_vec(), facts].concat()
    };
    let then = simplify_expr(then, &with(condition.clone()));
    let otherwise = simplify_expr(otherwise, &with(condition.clone().not()));
    then.if_then_else(condition, otherwise)
}

fn simplify_parts(parts: Vec<Expr>, known: &[Expr]) -> Vec<Expr> {
    parts.into_iter().map(|part| simplify_expr(part, known)).collect()
}
