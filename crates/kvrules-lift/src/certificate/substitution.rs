//! Terms in place of the variables of formulas.

use std::collections::HashMap;

use kvrules_ir::{Collection, EntryVariables, Formula, Quantification, Term, TermCall, VariableId};

/// Terms that stand for variables.
pub(super) type Bindings = HashMap<VariableId, Term>;

/// The variable that stands for the key of an entry of a loop in a formula or term.
fn placeholder(depth: u32) -> VariableId {
    VariableId(u32::MAX - depth)
}

/// The bindings with placeholders for an entry.
pub(super) fn with_placeholder(
    bindings: &Bindings,
    entry: EntryVariables,
    range: &Term,
    depth: u32,
) -> Bindings {
    let key = Term::Variable(placeholder(depth));
    let mut bindings = bindings.clone();
    let value = Term::Index(Box::new(range.clone()), Box::new(key.clone()));
    bindings.extend(entry.value.map(|variable| (variable, value)));
    bindings.extend(entry.key.map(|variable| (variable, key)));
    bindings
}

/// The variables of a loop whose entries are placeholders.
pub(super) fn entry_of(depth: u32) -> EntryVariables {
    EntryVariables { key: Some(placeholder(depth)), value: None }
}

/// The term with terms in place of its variables.
pub(super) fn substitute(term: &Term, bindings: &Bindings, depth: u32) -> Term {
    let of = |term: &Term| substitute(term, bindings, depth);
    match term {
        Term::Constant(_) | Term::Root(_) => term.clone(),
        Term::Variable(variable) => bindings.get(variable).cloned().unwrap_or_else(|| term.clone()),
        Term::Field(object, name) => of(object).with_field(name.clone()),
        Term::Index(list, at) => Term::Index(Box::new(of(list)), Box::new(of(at))),
        Term::Call(call) => {
            Term::Call(TermCall { arguments: call.arguments.iter().map(of).collect(), ..call.clone() })
        }
        Term::List(items) => Term::List(items.iter().map(of).collect()),
        Term::Tally(parts) => {
            Term::Tally(parts.iter().map(|part| substitute_formula(part, bindings, depth)).collect())
        }
        Term::Collect(it) => {
            let range = of(&it.range);
            let inner = with_placeholder(bindings, it.entry, &range, depth);
            Term::Collect(Box::new(Collection {
                range,
                entry: entry_of(depth),
                selected: substitute_formula(&it.selected, &inner, depth + 1),
                left_out: substitute_formula(&it.left_out, &inner, depth + 1),
                result: substitute(&it.result, &inner, depth + 1),
            }))
        }
    }
}

pub(super) fn substitute_formula(formula: &Formula, bindings: &Bindings, depth: u32) -> Formula {
    let of = |part: &Formula| substitute_formula(part, bindings, depth);
    let of_term = |term: &Term| substitute(term, bindings, depth);
    let of_loop = |it: &Quantification| {
        let range = of_term(&it.range);
        let inner = with_placeholder(bindings, it.entry, &range, depth);
        let holds = substitute_formula(&it.holds, &inner, depth + 1);
        Box::new(Quantification { range, entry: entry_of(depth), holds })
    };
    match formula {
        Formula::True | Formula::False => formula.clone(),
        Formula::All(parts) => Formula::all_of(parts.iter().map(of)),
        Formula::Any(parts) => Formula::any_of(parts.iter().map(of)),
        Formula::Not(inner) => Formula::negation_of(of(inner)),
        Formula::Defined(term) => match of_term(term) {
            root @ Term::Root(_) => Formula::Defined(root),
            term => Formula::is_defined(term),
        },
        Formula::Compare { left, relation, right } => {
            Formula::comparison_of(of_term(left), *relation, of_term(right))
        }
        Formula::Each(it) => Formula::Each(of_loop(it)),
        Formula::Some(it) => Formula::Some(of_loop(it)),
    }
}
