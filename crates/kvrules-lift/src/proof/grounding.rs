//! Formulas without loops.
//!
//! A loop that needs one entry (`some`, or `each` that fails) gets an example of an entry; a loop about all entries of the same
//! range holds of the examples. The result holds in every case in which the formula does, so that what it excludes the
//! formula excludes as well.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use kvrules_ir::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};
use serde_json::Value;

use super::facts::with_integer_order;
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

/// The ranges of the loops of a formula, in the forms that they have in proofs.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopRanges {
    /// Those of which there are examples.
    pub(super) examples: Vec<Term>,
    /// Those about all of whose entries the formula says something.
    pub(super) all_entries: Vec<Term>,
}

/// Makes a formula free of loops.
pub(super) struct Grounding<'s> {
    schema: &'s Value,
    /// The variable of the first example.
    first: u32,
    examples: Vec<EntryExample>,
    /// The ranges of loops about all entries.
    all_entries: Vec<Term>,
}

impl<'s> Grounding<'s> {
    pub(super) fn new(schema: &'s Value) -> Self {
        Self { schema, first: FIRST_EXAMPLE, examples: Vec::new(), all_entries: Vec::new() }
    }

    /// Has variables of examples that differ from those of groundings with other numbers.
    pub(super) fn with_number(schema: &'s Value, number: usize) -> Self {
        let most = u32::try_from(MOST_EXAMPLES).unwrap_or(u32::MAX);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Self { first: FIRST_EXAMPLE.saturating_add(number.saturating_mul(most)), ..Self::new(schema) }
    }

    /// The formula, or its opposite, without loops; `None` if too many examples would be needed.
    pub(super) fn ground_formula(&mut self, formula: &Formula, positive: bool) -> Option<Formula> {
        for _ in 0..ROUNDS {
            let known = self.examples.len();
            let grounded = self.ground(formula, &Bindings::new(), positive);
            if self.examples.len() == known {
                return Some(grounded);
            }
        }
        // The last examples were not put into all loops, which only makes the result weaker.
        (self.examples.len() < MOST_EXAMPLES).then(|| self.ground(formula, &Bindings::new(), positive))
    }

    /// The ranges of the loops of the formula.
    pub(super) fn into_ranges(self) -> LoopRanges {
        let examples = self.examples.into_iter().map(|example| example.range).collect();
        LoopRanges { examples, all_entries: self.all_entries }
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
            Formula::Compare { left, relation, right } => {
                if let Some(counted) = counted_formula(left, *relation, right) {
                    return self.ground(&counted, bindings, positive);
                }
                let normal = normal_formula(formula, bindings, 0);
                with_sign(with_integer_order(normal, self.schema), positive)
            }
            Formula::Defined(_) => with_sign(normal_formula(formula, bindings, 0), positive),
        }
    }

    /// The loop's formula holds (or fails) for all entries.
    fn ground_universal(&mut self, it: &Quantification, bindings: &Bindings, holds: bool) -> Formula {
        let range = normal_term(&it.range, bindings, 0);
        if !self.all_entries.contains(&range) {
            self.all_entries.push(range.clone());
        }
        let examples: Vec<usize> = (0..self.examples.len())
            .filter(|at| self.examples.get(*at).is_some_and(|it| it.range == range))
            .collect();
        let of_examples: Vec<Formula> = examples
            .into_iter()
            .map(|at| self.ground(&it.holds, &self.with_example(bindings, it.entry, &range, at), holds))
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
        let shown = self.ground(&it.holds, &self.with_example(bindings, it.entry, &range, at), holds);
        let example = entry_at(&range, variable(self.first, at));
        let there = it.entry.value.map_or(Formula::True, |_| still_defined(example));
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

    fn with_example(&self, bindings: &Bindings, entry: EntryVariables, range: &Term, at: usize) -> Bindings {
        with_key(bindings, entry, range, variable(self.first, at))
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
                && (matches!(left, Term::Constant(_)) || rank(&left) > rank(&right));
            let (left, right) = if is_turned { (right, left) } else { (left, right) };
            Formula::comparison_of(left, *relation, right)
        }
        Formula::Each(it) => Formula::Each(of_loop(it)),
        Formula::Some(it) => Formula::Some(of_loop(it)),
    }
}

/// A number that is the same for equal terms, in all runs.
fn rank(term: &Term) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(term)
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
