//! The parts of requests that formulas name. A variable of a loop is an item of its range.

use std::collections::HashMap;

use kvrules_ir::{Constant, Formula, Term, TermCall, VariableId};
use kvrules_lift::LiftedExpression;

/// The most loops inside each other that are resolved.
const MOST_LOOPS: usize = 8;

/// The parts of requests that formulas name.
pub(super) struct NamedParts {
    /// The fields, each once.
    fields: Vec<Term>,
    /// The items and entries by a number or a key, each once.
    entries: Vec<Term>,
    /// The calls of functions, each once.
    calls: Vec<TermCall>,
}

impl NamedParts {
    pub(super) fn of_formulas(formulas: &LiftedExpression) -> Self {
        let mut ranges = HashMap::new();
        collect_ranges(&formulas.holds, &mut ranges);
        collect_ranges(&formulas.fails, &mut ranges);
        let mut parts = Self { fields: Vec::new(), entries: Vec::new(), calls: Vec::new() };
        for formula in [&formulas.holds, &formulas.fails] {
            formula.visit_terms(&mut |term| match resolve_items(term, &ranges, MOST_LOOPS) {
                // A list that is made of another may be empty when that is not.
                Term::Index(of, key) if matches!(term, Term::Index(range, _) if is_made(range)) => {
                    add_once(&mut parts.entries, Term::Index(Box::new(made_list(*of)), key));
                }
                field @ Term::Field(..) => add_once(&mut parts.fields, field),
                entry @ Term::Index(..) => add_once(&mut parts.entries, entry),
                Term::Call(call) => add_once(&mut parts.calls, call),
                _ => {}
            });
        }
        parts
    }

    /// The fields with a name: what they are fields of.
    pub(super) fn fields_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Term, &'a Term)> {
        self.fields.iter().filter_map(move |field| match field {
            Term::Field(of, known) if known == name => Some((field, &**of)),
            _ => None,
        })
    }

    /// The items by a number, or by one that is computed: the lists.
    pub(super) fn lists_with_item<'a>(&'a self, number: &'a str) -> impl Iterator<Item = &'a Term> {
        self.entries.iter().filter_map(move |entry| match entry {
            Term::Index(of, key) => match &**key {
                Term::Constant(Constant::Integer(known)) => (known.to_string() == number).then_some(&**of),
                Term::Constant(_) => None,
                _ => Some(&**of),
            },
            _ => None,
        })
    }

    /// The entries by a key that is computed: the maps or lists.
    pub(super) fn maps_with_computed_keys(&self) -> impl Iterator<Item = &Term> {
        self.entries.iter().filter_map(|entry| match entry {
            Term::Index(of, key) if !matches!(**key, Term::Constant(_)) => Some(&**of),
            _ => None,
        })
    }

    /// The arguments of the calls of a function.
    pub(super) fn arguments_of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a [Term]> {
        self.calls.iter().filter(move |call| call.function == function).map(|call| call.arguments.as_slice())
    }

    /// True if a field or an entry is part of what a name stands for.
    pub(super) fn mentions_root(&self, name: &str) -> bool {
        fn has_root(term: &Term, name: &str) -> bool {
            match term {
                Term::Root(root) => root == name,
                Term::Field(of, _) | Term::Index(of, _) => has_root(of, name),
                _ => false,
            }
        }
        self.fields.iter().chain(&self.entries).any(|term| has_root(term, name))
    }

    /// True if a field with this name is among the parts.
    pub(super) fn has_field(&self, name: &str) -> bool {
        self.fields_named(name).next().is_some()
    }
}

fn add_once<T: PartialEq>(known: &mut Vec<T>, part: T) {
    if !known.contains(&part) {
        known.push(part);
    }
}

fn is_made(list: &Term) -> bool {
    matches!(list, Term::Collect(_) | Term::Call(_))
}

/// A list that is computed from another.
fn made_list(of: Term) -> Term {
    match of {
        Term::Call(_) => of,
        other => Term::call_of("filter", true, vec![other]),
    }
}

fn collect_ranges(formula: &Formula, ranges: &mut HashMap<VariableId, Term>) {
    formula.visit_formulas(&mut |part| {
        if let Formula::Each(it) | Formula::Some(it) = part
            && let Some(value) = it.entry.value
        {
            ranges.insert(value, it.range.clone());
        }
    });
    formula.visit_terms(&mut |term| {
        if let Term::Collect(it) = term
            && let Some(value) = it.entry.value
        {
            ranges.insert(value, it.range.clone());
        }
    });
}

/// The term with items of ranges in place of variables.
fn resolve_items(term: &Term, ranges: &HashMap<VariableId, Term>, loops: usize) -> Term {
    let resolve = |term: &Term| resolve_items(term, ranges, loops);
    match term {
        Term::Variable(variable) if loops > 0 => match ranges.get(variable) {
            Some(range) => {
                let range = resolve_items(range, ranges, loops - 1);
                Term::Index(Box::new(range), Box::new(Term::Constant(Constant::Null)))
            }
            None => term.clone(),
        },
        Term::Field(of, name) => resolve(of).with_field(name.clone()),
        Term::Index(of, key) => Term::Index(Box::new(resolve(of)), key.clone()),
        // Items of lists that are joined are those of the first.
        Term::Call(call) if call.function == "+" => {
            call.arguments.first().map_or_else(|| term.clone(), resolve)
        }
        Term::Call(call) => {
            let arguments = call.arguments.iter().map(resolve).collect();
            Term::Call(TermCall { arguments, ..call.clone() })
        }
        Term::Collect(it) => resolve(&it.range),
        _ => term.clone(),
    }
}
