//! Walks over formulas and terms.

use kvrules_ir::{Collection, Formula, Quantification, Term, TermCall, VariableId};

/// The formula with a term in place of a variable.
pub(crate) fn replace_variable(formula: &Formula, variable: VariableId, by: &Term) -> Formula {
    replace_term(formula, &Term::Variable(variable), by)
}

/// The formula with a term in place of another.
pub fn replace_term(formula: &Formula, old: &Term, by: &Term) -> Formula {
    let replace = |formula: &Formula| replace_term(formula, old, by);
    let in_term = |term: &Term| replace_in_term(term, old, by);
    let quantification = |it: &Quantification| {
        Box::new(Quantification { range: in_term(&it.range), entry: it.entry, holds: replace(&it.holds) })
    };
    match formula {
        Formula::True | Formula::False => formula.clone(),
        Formula::All(parts) => Formula::all_of(parts.iter().map(replace)),
        Formula::Any(parts) => Formula::any_of(parts.iter().map(replace)),
        Formula::Not(inner) => Formula::negation_of(replace(inner)),
        Formula::Defined(term) => still_defined(in_term(term)),
        Formula::Compare { left, relation, right } => {
            Formula::comparison_of(in_term(left), *relation, in_term(right))
        }
        Formula::Each(it) => Formula::Each(quantification(it)),
        Formula::Some(it) => Formula::Some(quantification(it)),
    }
}

/// The term has a value, where a formula said so of the term that it replaces. A stored value need not exist.
pub(crate) fn still_defined(term: Term) -> Formula {
    if matches!(term, Term::Root(_)) { Formula::Defined(term) } else { Formula::is_defined(term) }
}

fn replace_in_term(term: &Term, old: &Term, by: &Term) -> Term {
    let replace = |term: &Term| replace_in_term(term, old, by);
    let in_formula = |formula: &Formula| replace_term(formula, old, by);
    match term {
        found if found == old => by.clone(),
        Term::Constant(_) | Term::Root(_) | Term::Variable(_) => term.clone(),
        Term::Field(of, name) => replace(of).with_field(name.clone()),
        Term::Index(of, key) => Term::Index(Box::new(replace(of)), Box::new(replace(key))),
        Term::Call(call) => {
            Term::Call(TermCall { arguments: call.arguments.iter().map(replace).collect(), ..call.clone() })
        }
        Term::List(items) => Term::List(items.iter().map(replace).collect()),
        Term::Collect(it) => Term::Collect(Box::new(Collection {
            range: replace(&it.range),
            entry: it.entry,
            selected: in_formula(&it.selected),
            left_out: in_formula(&it.left_out),
            result: replace(&it.result),
        })),
        Term::Tally(parts) => Term::Tally(parts.iter().map(in_formula).collect()),
    }
}

/// At least so many of some formulas hold.
pub(crate) fn at_least(parts: &[Formula], number: i64) -> Formula {
    match parts.split_first() {
        _ if number <= 0 => Formula::True,
        None => Formula::False,
        Some((first, rest)) => Formula::any_of([
            Formula::all_of([first.clone(), at_least(rest, number - 1)]),
            at_least(rest, number),
        ]),
    }
}
