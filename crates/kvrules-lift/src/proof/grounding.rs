//! Formulas without loops.
//!
//! A loop that needs one entry (`some`, or `each` that fails) gets an example of an entry; a loop about all entries of the same
//! range holds of the examples. The result holds in every case in which the formula does, so that what it excludes the
//! formula excludes as well.

use std::collections::HashMap;

use kvrules_ir::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};

use crate::atoms::still_defined;

/// The most examples of entries.
const MOST_EXAMPLES: usize = 12;
/// Number of times that the loops are applied to the examples that these applications need.
const ROUNDS: usize = 4;
/// The most formulas that are counted in one sum.
const MOST_COUNTED: usize = 6;
/// Variables of examples, and of loops within terms by their depth; those of rules are small numbers.
const FIRST_EXAMPLE: u32 = 1 << 20;
const FIRST_INNER: u32 = 1 << 24;

/// Terms that stand for variables.
type Bindings = HashMap<VariableId, Term>;

/// An entry of a range for which a formula holds.
struct EntryExample {
    range: Term,
    /// The formula with placeholders for the entry.
    formula: Formula,
    /// True if the formula holds for it, false if its opposite does.
    holds: bool,
}

/// Makes a formula free of loops.
#[derive(Default)]
pub(super) struct Grounding {
    examples: Vec<EntryExample>,
}

impl Grounding {
    /// The formula without loops; `None` if too many examples would be needed.
    pub(super) fn ground_formula(formula: &Formula) -> Option<Formula> {
        let mut grounding = Self::default();
        for _ in 0..ROUNDS {
            let known = grounding.examples.len();
            let grounded = grounding.ground(formula, &Bindings::new(), true);
            if grounding.examples.len() == known {
                return Some(grounded);
            }
        }
        // The last examples were not put into all loops, which only makes the result weaker.
        (grounding.examples.len() < MOST_EXAMPLES).then(|| grounding.ground(formula, &Bindings::new(), true))
    }

    fn ground(&mut self, formula: &Formula, bindings: &Bindings, positive: bool) -> Formula {
        match formula {
            Formula::True | Formula::False => with_sign(formula.clone(), positive),
            Formula::All(parts) | Formula::Any(parts) => {
                let is_all = matches!(formula, Formula::All(_)) == positive;
                let parts: Vec<Formula> =
                    parts.iter().map(|part| self.ground(part, bindings, positive)).collect();
                if is_all { Formula::all_of(parts) } else { Formula::any_of(parts) }
            }
            Formula::Not(inner) => self.ground(inner, bindings, !positive),
            Formula::Each(it) if positive => self.ground_universal(it, bindings, true),
            Formula::Each(it) => self.ground_existential(it, bindings, false),
            Formula::Some(it) if positive => self.ground_existential(it, bindings, true),
            Formula::Some(it) => self.ground_universal(it, bindings, false),
            Formula::Compare { left, relation, right } => match counted_formula(left, *relation, right) {
                Some(counted) => self.ground(&counted, bindings, positive),
                None => with_sign(normal_formula(formula, bindings, 0), positive),
            },
            Formula::Defined(_) => with_sign(normal_formula(formula, bindings, 0), positive),
        }
    }

    /// The loop's formula holds (or fails) for all entries.
    fn ground_universal(&mut self, it: &Quantification, bindings: &Bindings, holds: bool) -> Formula {
        let range = normal_term(&it.range, bindings, 0);
        let examples: Vec<usize> = (0..self.examples.len())
            .filter(|at| self.examples.get(*at).is_some_and(|it| it.range == range))
            .collect();
        let of_examples: Vec<Formula> = examples
            .into_iter()
            .map(|at| self.ground(&it.holds, &with_example(bindings, it.entry, &range, at), holds))
            .collect();
        let has_range = still_defined(range);
        let of_all = Formula::all_of(of_examples);
        if holds {
            Formula::all_of([has_range, of_all])
        } else {
            Formula::any_of([Formula::negation_of(has_range), of_all])
        }
    }

    /// The loop's formula holds (or fails) for an entry.
    fn ground_existential(&mut self, it: &Quantification, bindings: &Bindings, holds: bool) -> Formula {
        let range = normal_term(&it.range, bindings, 0);
        let has_range = still_defined(range.clone());
        let Some(at) = self.example_of(it, &range, bindings, holds) else {
            return if holds { has_range } else { Formula::True };
        };
        let shown = self.ground(&it.holds, &with_example(bindings, it.entry, &range, at), holds);
        let there = it.entry.value.map_or(Formula::True, |_| still_defined(example_term(&range, at)));
        let of_example = Formula::all_of([there, shown]);
        if holds {
            Formula::all_of([has_range, of_example])
        } else {
            Formula::any_of([Formula::negation_of(has_range), of_example])
        }
    }

    /// The number of the example for a loop. Equal loops have the same.
    fn example_of(
        &mut self,
        it: &Quantification,
        range: &Term,
        bindings: &Bindings,
        holds: bool,
    ) -> Option<usize> {
        let formula = normal_formula(&it.holds, &with_placeholder(bindings, it.entry, range, 0), 1);
        let is_same =
            |known: &EntryExample| known.range == *range && known.formula == formula && known.holds == holds;
        let found = self.examples.iter().position(is_same);
        if found.is_some() || self.examples.len() >= MOST_EXAMPLES {
            return found;
        }
        self.examples.push(EntryExample { range: range.clone(), formula, holds });
        Some(self.examples.len() - 1)
    }
}

fn with_sign(formula: Formula, positive: bool) -> Formula {
    if positive { formula } else { Formula::negation_of(formula) }
}

fn variable(first: u32, number: usize) -> Term {
    Term::Variable(VariableId(first.saturating_add(u32::try_from(number).unwrap_or(u32::MAX))))
}

/// The value of an entry at a key.
fn entry_at(range: &Term, key: Term) -> Term {
    Term::Index(Box::new(range.clone()), Box::new(key))
}

fn example_term(range: &Term, at: usize) -> Term {
    entry_at(range, variable(FIRST_EXAMPLE, at))
}

fn with_example(bindings: &Bindings, entry: EntryVariables, range: &Term, at: usize) -> Bindings {
    with_key(bindings, entry, range, variable(FIRST_EXAMPLE, at))
}

fn with_placeholder(bindings: &Bindings, entry: EntryVariables, range: &Term, depth: usize) -> Bindings {
    with_key(bindings, entry, range, variable(FIRST_INNER, depth))
}

fn with_key(bindings: &Bindings, entry: EntryVariables, range: &Term, key: Term) -> Bindings {
    let mut bindings = bindings.clone();
    if let Some(value) = entry.value {
        bindings.insert(value, entry_at(range, key.clone()));
    }
    if let Some(variable) = entry.key {
        bindings.insert(variable, key);
    }
    bindings
}

/// A comparison of a count of formulas with a constant, as a formula.
fn counted_formula(left: &Term, relation: TermRelation, right: &Term) -> Option<Formula> {
    let (parts, number, is_left) = match (left, right) {
        (Term::Tally(parts), Term::Constant(Constant::Integer(number))) => (parts, *number, true),
        (Term::Constant(Constant::Integer(number)), Term::Tally(parts)) => (parts, *number, false),
        _ => return None,
    };
    if parts.len() > MOST_COUNTED {
        return None;
    }
    let at_least = |number: i64| at_least(parts, number);
    let equal =
        || Formula::all_of([at_least(number), Formula::negation_of(at_least(number.saturating_add(1)))]);
    Some(match (relation, is_left) {
        (TermRelation::Equal, _) => equal(),
        (TermRelation::NotEqual, _) => Formula::negation_of(equal()),
        (TermRelation::Less, true) => Formula::negation_of(at_least(number)),
        (TermRelation::LessOrEqual, true) => Formula::negation_of(at_least(number.saturating_add(1))),
        (TermRelation::Less, false) => at_least(number.saturating_add(1)),
        (TermRelation::LessOrEqual, false) => at_least(number),
    })
}

/// At least so many of some formulas hold.
fn at_least(parts: &[Formula], number: i64) -> Formula {
    match parts.split_first() {
        _ if number <= 0 => Formula::True,
        None => Formula::False,
        Some((first, rest)) => Formula::any_of([
            Formula::all_of([first.clone(), at_least(rest, number - 1)]),
            at_least(rest, number),
        ]),
    }
}

/// The formula with its variables replaced. Equal formulas become the same: of the two sides of `==` the order does not count,
/// nor do the numbers of variables.
fn normal_formula(formula: &Formula, bindings: &Bindings, depth: usize) -> Formula {
    let of_part = |part: &Formula| normal_formula(part, bindings, depth);
    let of_term = |term: &Term| normal_term(term, bindings, depth);
    let of_loop = |it: &Quantification| {
        let range = of_term(&it.range);
        let inner = with_placeholder(bindings, it.entry, &range, depth);
        let entry = EntryVariables { key: inner_variable(depth), value: None };
        Box::new(Quantification { range, entry, holds: normal_formula(&it.holds, &inner, depth + 1) })
    };
    match formula {
        Formula::True | Formula::False => formula.clone(),
        Formula::All(parts) => Formula::all_of(parts.iter().map(of_part)),
        Formula::Any(parts) => Formula::any_of(parts.iter().map(of_part)),
        Formula::Not(inner) => Formula::negation_of(of_part(inner)),
        Formula::Defined(term) => still_defined(of_term(term)),
        Formula::Compare { left, relation, right } => {
            let (left, right) = (of_term(left), of_term(right));
            let is_symmetric = matches!(relation, TermRelation::Equal | TermRelation::NotEqual);
            let is_turned = is_symmetric
                && !matches!(right, Term::Constant(_))
                && (matches!(left, Term::Constant(_)) || format!("{left:?}") > format!("{right:?}"));
            let (left, right) = if is_turned { (right, left) } else { (left, right) };
            Formula::comparison_of(left, *relation, right)
        }
        Formula::Each(it) => Formula::Each(of_loop(it)),
        Formula::Some(it) => Formula::Some(of_loop(it)),
    }
}

fn inner_variable(depth: usize) -> Option<VariableId> {
    match variable(FIRST_INNER, depth) {
        Term::Variable(variable) => Some(variable),
        _ => None,
    }
}

fn normal_term(term: &Term, bindings: &Bindings, depth: usize) -> Term {
    let of_term = |term: &Term| normal_term(term, bindings, depth);
    match term {
        Term::Constant(_) | Term::Root(_) => term.clone(),
        Term::Variable(variable) => bindings.get(variable).cloned().unwrap_or_else(|| term.clone()),
        Term::Field(of, name) => of_term(of).with_field(name.clone()),
        Term::Index(of, key) => Term::Index(Box::new(of_term(of)), Box::new(of_term(key))),
        Term::Call(call) => {
            Term::Call(TermCall { arguments: call.arguments.iter().map(of_term).collect(), ..call.clone() })
        }
        Term::List(items) => Term::List(items.iter().map(of_term).collect()),
        Term::Tally(parts) => {
            Term::Tally(parts.iter().map(|part| normal_formula(part, bindings, depth)).collect())
        }
        Term::Collect(it) => {
            let range = of_term(&it.range);
            let inner = with_placeholder(bindings, it.entry, &range, depth);
            Term::Collect(Box::new(Collection {
                range,
                entry: EntryVariables { key: inner_variable(depth), value: None },
                selected: normal_formula(&it.selected, &inner, depth + 1),
                left_out: normal_formula(&it.left_out, &inner, depth + 1),
                result: normal_term(&it.result, &inner, depth + 1),
            }))
        }
    }
}
