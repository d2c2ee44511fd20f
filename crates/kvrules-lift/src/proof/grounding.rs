//! Formulas without loops.
//!
//! A loop that needs one entry (`some`, or `each` that fails) gets an example of an entry, which is there if the loop holds; a loop
//! about all entries of the same range holds of each example that is there. An example that one branch needs says nothing in the others,
//! where the list may be empty. The result holds in every case in which the formula does, so that what it excludes the formula
//! excludes as well.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use kvrules_ir::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};
use serde_json::Value;

use super::facts::{FIRST_INNER, with_integer_order};
use crate::atoms::{at_least, still_defined};
use crate::certificate::CertifiedEntry;
use crate::decide::ExampleKey;

/// The most examples of entries.
const MOST_EXAMPLES: usize = 12;
/// Number of times that the loops are applied to the examples that these applications need.
const ROUNDS: usize = 4;
/// The most formulas that are counted in one sum.
const MOST_COUNTED: usize = 6;
/// Variables of examples; those of rules are smaller numbers, those of loops within terms larger ones.
const FIRST_EXAMPLE: u32 = 1 << 20;

/// Terms that stand for variables.
type Bindings = HashMap<VariableId, Term>;

/// An entry of a range for which a formula holds.
struct EntryExample {
    range: Term,
    /// The formula with placeholders for the entry.
    formula: Formula,
    /// The placeholders.
    entry: EntryVariables,
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

    /// The keys of the examples.
    pub(super) fn example_keys(&self) -> Vec<ExampleKey> {
        let key = |(at, example): (usize, &EntryExample)| ExampleKey {
            variable: variable_id(self.first, at),
            range: example.range.clone(),
        };
        self.examples.iter().enumerate().map(key).collect()
    }

    /// The examples, as a certificate has them.
    pub(super) fn to_entries(&self) -> Vec<CertifiedEntry> {
        let entry = |(at, it): (usize, &EntryExample)| CertifiedEntry {
            variable: variable_id(self.first, at),
            range: it.range.clone(),
            entry: it.entry,
            formula: it.formula.clone(),
            holds: it.holds,
        };
        self.examples.iter().enumerate().map(entry).collect()
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
        let of_example = |at| {
            let shown = self.ground(&it.holds, &self.with_example(bindings, it.entry, &range, at), holds);
            Formula::any_of([Formula::negation_of(self.example_exists(&range, at)), shown])
        };
        let of_examples: Vec<Formula> = examples.into_iter().map(of_example).collect();
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
        let of_example = Formula::all_of([self.example_exists(&range, at), shown]);
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
        let (bindings, entry) = with_placeholder(bindings, it.entry, range, 0);
        let formula = normal_formula(&it.holds, &bindings, 1);
        let is_same =
            |known: &EntryExample| known.range == *range && known.formula == formula && known.holds == holds;
        let found = self.examples.iter().position(is_same);
        if found.is_some() || self.examples.len() >= MOST_EXAMPLES {
            return found;
        }
        self.examples.push(EntryExample { range: range.clone(), formula, entry, holds });
        Some(self.examples.len() - 1)
    }

    /// The range has the entry that an example stands for.
    fn example_exists(&self, range: &Term, at: usize) -> Formula {
        still_defined(entry_at(range, variable(self.first, at)))
    }

    fn with_example(&self, bindings: &Bindings, entry: EntryVariables, range: &Term, at: usize) -> Bindings {
        with_key(bindings, entry, range, variable(self.first, at))
    }
}

fn with_sign(formula: Formula, positive: bool) -> Formula {
    if positive { formula } else { Formula::negation_of(formula) }
}

fn variable(first: u32, number: usize) -> Term {
    Term::Variable(variable_id(first, number))
}

fn variable_id(first: u32, number: usize) -> VariableId {
    VariableId(first.saturating_add(u32::try_from(number).unwrap_or(u32::MAX)))
}

/// The value of an entry at a key.
fn entry_at(range: &Term, key: Term) -> Term {
    Term::Index(Box::new(range.clone()), Box::new(key))
}

/// The bindings with the key of an entry of a loop within a term, and the variable of the key. Loops over different ranges have different
/// ones, because what is known of a key is known of the range.
fn with_placeholder(
    bindings: &Bindings,
    entry: EntryVariables,
    range: &Term,
    depth: usize,
) -> (Bindings, EntryVariables) {
    let number = hash_of(&(range, depth)) % u64::from(u32::MAX - FIRST_INNER);
    let key = variable_id(FIRST_INNER, usize::try_from(number).unwrap_or(depth));
    let bindings = with_key(bindings, entry, range, Term::Variable(key));
    (bindings, EntryVariables { key: Some(key), value: None })
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

/// The formula with its variables replaced. Equal formulas become the same: of the two sides of `==` the order does not count,
/// nor do the numbers of variables.
fn normal_formula(formula: &Formula, bindings: &Bindings, depth: usize) -> Formula {
    let of_part = |part: &Formula| normal_formula(part, bindings, depth);
    let of_term = |term: &Term| normal_term(term, bindings, depth);
    let of_loop = |it: &Quantification| {
        let range = of_term(&it.range);
        let (inner, entry) = with_placeholder(bindings, it.entry, &range, depth);
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
                && (matches!(left, Term::Constant(_)) || hash_of(&left) > hash_of(&right));
            let (left, right) = if is_turned { (right, left) } else { (left, right) };
            Formula::comparison_of(left, *relation, right)
        }
        Formula::Each(it) => Formula::Each(of_loop(it)),
        Formula::Some(it) => Formula::Some(of_loop(it)),
    }
}

/// A number that is the same for equal things, in all runs.
fn hash_of(thing: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(thing)
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
            let (inner, entry) = with_placeholder(bindings, it.entry, &range, depth);
            Term::Collect(Box::new(Collection {
                range,
                entry,
                selected: normal_formula(&it.selected, &inner, depth + 1),
                left_out: normal_formula(&it.left_out, &inner, depth + 1),
                result: normal_term(&it.result, &inner, depth + 1),
            }))
        }
    }
}
