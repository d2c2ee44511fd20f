//! Formulas that are made to hold, or not to.

use kvrules_generate::{ValueStep, find_part, parts_of};
use kvrules_ir::{Collection, EntryVariables, Formula, Quantification, Term, TermRelation};

use super::workpiece::Workpiece;
use crate::atoms::replace_variable;

/// Number of times that the parts of a conjunction are visited.
const ROUNDS: usize = 3;

/// The entries of a list or map that a quantifier is about.
struct Entries<'f> {
    range: &'f Term,
    names: EntryVariables,
    /// Conditions under which an entry counts, and under which it does not.
    filters: Vec<(Formula, Formula)>,
    holds: Formula,
}

impl Workpiece<'_> {
    /// Changes the value so that a formula holds. False if no way was found; the value may be changed nevertheless.
    pub(super) fn make_hold(&mut self, formula: &Formula) -> bool {
        if !self.may_work() {
            return false;
        }
        if self.holds(formula) {
            return true;
        }
        match formula {
            Formula::True | Formula::False => false,
            Formula::All(parts) => self.make_all(parts, true),
            Formula::Any(parts) => self.make_one(parts, true),
            Formula::Not(inner) => self.make_fail(inner),
            Formula::Defined(term) => self.make_defined(term),
            Formula::Compare { left, relation, right } => self.make_related(left, *relation, right),
            Formula::Each(it) => self.make_each(it, true),
            Formula::Some(it) => self.make_some(it, true),
        }
    }

    /// Changes the value so that a formula does not hold.
    pub(super) fn make_fail(&mut self, formula: &Formula) -> bool {
        if !self.may_work() {
            return false;
        }
        if !self.holds(formula) {
            return true;
        }
        match formula {
            Formula::True | Formula::False => false,
            Formula::All(parts) => self.make_one(parts, false),
            Formula::Any(parts) => self.make_all(parts, false),
            Formula::Not(inner) => self.make_hold(inner),
            Formula::Defined(term) => self.make_undefined(term),
            Formula::Compare { left, relation, right } => self.make_unrelated(left, *relation, right),
            Formula::Each(it) => self.make_some(it, false),
            Formula::Some(it) => self.make_each(it, false),
        }
    }

    fn make(&mut self, formula: &Formula, truth: bool) -> bool {
        if truth { self.make_hold(formula) } else { self.make_fail(formula) }
    }

    /// Each of some parts.
    fn make_all(&mut self, parts: &[Formula], truth: bool) -> bool {
        if truth {
            self.write_texts(parts);
        }
        for _ in 0..ROUNDS {
            if !parts.iter().all(|part| self.make(part, truth)) {
                return false;
            }
            if parts.iter().all(|part| self.holds(part) == truth) {
                return true;
            }
        }
        false
    }

    /// One of some parts, any of them first.
    fn make_one(&mut self, parts: &[Formula], truth: bool) -> bool {
        let start = self.chance.number_below(parts.len());
        let (before, from) = parts.split_at(start.min(parts.len()));
        from.iter().chain(before).any(|part| self.attempt(|piece| piece.make(part, truth)))
    }

    /// Gives a term a value.
    pub(super) fn make_defined(&mut self, term: &Term) -> bool {
        if self.value_of(term).is_some() {
            return true;
        }
        let is_made = match term {
            Term::Field(of, _) => self.make_defined(of),
            Term::Index(of, key) => self.make_defined(of) && self.make_defined(key),
            Term::Call(call) => call.arguments.iter().all(|argument| self.make_defined(argument)),
            Term::List(items) => items.iter().all(|item| self.make_defined(item)),
            Term::Collect(it) => self.make_defined(&it.range) && self.decide_entries(it),
            _ => false,
        };
        if !is_made {
            return false;
        }
        if let Some(way) = self.way_of(term) {
            self.make_present(&way);
        }
        self.value_of(term).is_some() || self.try_candidates(&Formula::Defined(term.clone()))
    }

    /// Has the condition of a selection decided for each entry, and a result for each that it selects: else the list has no value.
    fn decide_entries(&mut self, it: &Collection) -> bool {
        let Some(way) = self.way_of(&it.range) else { return true };
        parts_of(find_part(&self.value, &way)).into_iter().all(|step| {
            let entry: Vec<ValueStep> = way.iter().cloned().chain([step]).collect();
            let out_first = self.chance.number_below(2) == 0;
            let sides = if out_first { [&it.left_out, &it.selected] } else { [&it.selected, &it.left_out] };
            self.with_entry(it.entry, &entry, |piece| {
                let is_decided = sides.iter().any(|side| piece.holds(side))
                    || sides.iter().any(|side| piece.attempt(|piece| piece.make_hold(side)));
                is_decided && (!piece.holds(&it.selected) || piece.make_defined(&it.result))
            })
        })
    }

    fn make_undefined(&mut self, term: &Term) -> bool {
        let inner: Vec<&Term> = match term {
            Term::Call(call) => call.arguments.iter().collect(),
            Term::Collect(it) => vec![&it.range],
            Term::List(items) => items.iter().collect(),
            _ => Vec::new(),
        };
        let is_absent = match self.way_of(term) {
            Some(way) => self.make_absent(&way),
            None => inner.into_iter().any(|term| self.make_undefined(term)),
        };
        is_absent && self.value_of(term).is_none()
    }

    fn make_unrelated(&mut self, left: &Term, relation: TermRelation, right: &Term) -> bool {
        let absent = |piece: &mut Self| piece.make_undefined(left) || piece.make_undefined(right);
        if self.chance.number_below(4) == 0 && self.attempt(absent) {
            return true;
        }
        let is_opposite = self.attempt(|piece| match relation {
            TermRelation::Equal => piece.make_related(left, TermRelation::NotEqual, right),
            TermRelation::NotEqual => piece.make_related(left, TermRelation::Equal, right),
            TermRelation::Less => piece.make_related(right, TermRelation::LessOrEqual, left),
            TermRelation::LessOrEqual => piece.make_related(right, TermRelation::Less, left),
        });
        is_opposite || self.attempt(absent)
    }

    /// Has each entry meet the condition of a quantifier, or violate it. Entries for which that fails are taken out.
    fn make_each(&mut self, it: &Quantification, truth: bool) -> bool {
        let entries = Entries::of_quantifier(it);
        let Some(way) = self.way_to_entries(entries.range) else {
            let each = Box::new(it.clone());
            let wanted = if truth { Formula::Each(each) } else { Formula::negation_of(Formula::Some(each)) };
            return self.try_candidates(&wanted);
        };
        let mut number = 0;
        while let Some(step) = parts_of(find_part(&self.value, &way)).into_iter().nth(number) {
            let entry: Vec<ValueStep> = way.iter().cloned().chain([step]).collect();
            let is_made = self.with_entry(entries.names, &entry, |piece| {
                piece.attempt(|piece| piece.is_left_out(&entries) || piece.make(&entries.holds, truth))
            });
            number += usize::from(is_made);
            if !is_made {
                self.remove_entry(&entry);
            }
            if !self.may_work() {
                return false;
            }
        }
        true
    }

    /// Has one entry meet the condition of a quantifier, or violate it. An entry is added if no other can be changed.
    fn make_some(&mut self, it: &Quantification, truth: bool) -> bool {
        let entries = Entries::of_quantifier(it);
        let Some(way) = self.way_to_entries(entries.range) else {
            let some = Box::new(it.clone());
            let wanted = if truth { Formula::Some(some) } else { Formula::negation_of(Formula::Each(some)) };
            return self.try_candidates(&wanted);
        };
        let steps = parts_of(find_part(&self.value, &way));
        let start = self.chance.number_below(steps.len() + 1);
        let (before, from) = steps.split_at(start.min(steps.len()));
        for step in from.iter().chain(before) {
            let entry: Vec<ValueStep> = way.iter().cloned().chain([step.clone()]).collect();
            if self.make_entry(&entries, &entry, truth) {
                return true;
            }
        }
        let Some(entry) = self.add_entry(&way) else { return false };
        self.make_entry(&entries, &entry, truth)
    }

    fn make_entry(&mut self, entries: &Entries<'_>, entry: &[ValueStep], truth: bool) -> bool {
        self.with_entry(entries.names, entry, |piece| {
            piece.attempt(|piece| {
                entries.filters.iter().all(|(selected, _)| piece.make_hold(selected))
                    && piece.make(&entries.holds, truth)
            })
        })
    }

    /// True if a filter leaves the entry out, which some are made to.
    fn is_left_out(&mut self, entries: &Entries<'_>) -> bool {
        let wants_out = self.chance.number_below(3) == 0;
        entries.filters.iter().any(|(_, left_out)| {
            self.holds(left_out) || wants_out && self.attempt(|piece| piece.make_hold(left_out))
        })
    }

    /// The way to the list or map that a term names, which is made if it is missing.
    fn way_to_entries(&mut self, range: &Term) -> Option<Vec<ValueStep>> {
        let way = self.way_of(range)?;
        (self.make_defined(range) && self.make_present(&way)).then_some(way)
    }
}

impl<'f> Entries<'f> {
    /// Of a quantifier over a list that is made from another, the entries of that.
    fn of_quantifier(it: &'f Quantification) -> Self {
        let (mut range, mut names) = (&it.range, it.entry);
        let (mut filters, mut holds): (Vec<(Formula, Formula)>, _) = (Vec::new(), it.holds.clone());
        while let Term::Collect(inner) = range {
            if let Some(value) = names.value {
                let replace = |formula: &Formula| replace_variable(formula, value, &inner.result);
                holds = replace(&holds);
                filters = filters.iter().map(|(in_it, out)| (replace(in_it), replace(out))).collect();
            }
            filters.push((inner.selected.clone(), inner.left_out.clone()));
            (range, names) = (&inner.range, inner.entry);
        }
        Self { range, names, filters, holds }
    }
}
