//! Leaves out questions whose answer is known where they are asked.
//!
//! The right side of `&&` is reached only where the left holds, the right side of `||` only where the left does
//! not. So `has(a.b) && (!has(a.b) || a.b > 1)` says no more than `has(a.b) && a.b > 1`.

use super::expr::Expr;

impl Expr {
    /// The same expression without questions that were answered before.
    pub(super) fn simplified(self) -> Self {
        simplify(self, &[])
    }

    /// The same expression where it is read only if `fact` holds.
    pub(super) fn simplified_where(self, fact: &Self) -> Self {
        match fact {
            Self::And(facts) => simplify(self, facts),
            fact => simplify(self, std::slice::from_ref(fact)),
        }
    }
}

/// `known` holds where `expr` is evaluated. Loop variables never share a name with one around them, so what is known
/// outside of a loop holds inside.
fn simplify(expr: Expr, known: &[Expr]) -> Expr {
    // Of lists there are many, and they are no questions.
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
        Expr::Or(parts) => factored(Expr::any_of(in_turn(parts, known, Expr::not))),
        Expr::Not(inner) => simplify(*inner, known).not(),
        Expr::All(list, variable, body) => list.all(variable, simplify(*body, known)),
        Expr::Exists(list, variable, body) => list.exists(variable, simplify(*body, known)),
        Expr::Comprehension(list, name, variable, body) => Expr::Comprehension(
            Box::new(simplify(*list, known)),
            name,
            variable,
            Box::new(simplify(*body, known)),
        ),
        Expr::List(items) => Expr::List(simplify_parts(items, known)),
        Expr::Conditional(condition, then, otherwise) => conditional(*condition, *then, *otherwise, known),
        Expr::Binary(left, operator, right) => {
            simplify(*left, known).apply_operator(operator, simplify(*right, known))
        }
        Expr::Call(name, arguments) => Expr::Call(name, simplify_parts(arguments, known)),
        Expr::Method(of, name, arguments) => {
            Expr::Method(Box::new(simplify(*of, known)), name, simplify_parts(arguments, known))
        }
        other => other,
    }
}

/// Simplifies parts of which each is reached only where `passed` of those before it holds.
fn in_turn(parts: Vec<Expr>, known: &[Expr], passed: fn(Expr) -> Expr) -> Vec<Expr> {
    let mut known = known.to_vec();
    let mut simple = Vec::new();
    for part in parts {
        let part = simplify(part, &known);
        match passed(part.clone()) {
            Expr::And(facts) => known.extend(facts),
            fact => known.push(fact),
        }
        simple.push(part);
    }
    simple
}

/// `a && b || a && c` as `a && (b || c)`, where `a` is what all parts begin with.
fn factored(expr: Expr) -> Expr {
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

fn conditional(condition: Expr, then: Expr, otherwise: Expr, known: &[Expr]) -> Expr {
    let condition = simplify(condition, known);
    let with = |fact: Expr| {
        let facts = if let Expr::And(facts) = fact { facts } else { vec![fact] };
        [known.to_vec(), facts].concat()
    };
    let then = simplify(then, &with(condition.clone()));
    let otherwise = simplify(otherwise, &with(condition.clone().not()));
    then.if_then_else(condition, otherwise)
}

fn simplify_parts(parts: Vec<Expr>, known: &[Expr]) -> Vec<Expr> {
    parts.into_iter().map(|part| simplify(part, known)).collect()
}
