//! Proofs that no object which a schema accepts satisfies a formula.
//!
//! Atoms become cells that are true or false: that a value is there, how two values compare. The search tries cells until the
//! formula is decided, and knows what the schema says of single values: required fields, enums, bounds. It knows less than all
//! there is to know, so it may find a case that no object has. That there is no case is a proof.

use std::collections::HashMap;

use kvrules_ir::{
    Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};
use serde_json::Value as Json;

use crate::facts::{
    NumberRange, forced_equality, forced_order, is_always_there, is_total, node_below, range_of,
};
use crate::texts::{TextConditions, TextSearches, TextSet};

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    /// No object that the schema accepts satisfies the formula.
    Never,
    /// Some object may.
    Perhaps,
}

/// The most cases that are tried; more are not worth the time of a check.
const MOST_CASES: usize = 3_000;

/// Decides whether an object that a schema accepts can satisfy a formula about `self` and `oldSelf`.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
/// use kvrules_lift::{Satisfiability, can_hold};
///
/// let n = Term::Root("self".to_owned()).with_field("n");
/// let compare = |relation, number| Formula::comparison_of(n.clone(), relation, Term::Constant(Constant::Integer(number)));
/// let schema = serde_json::json!({"properties": {"n": {"type": "integer", "minimum": 5}}});
/// assert_eq!(can_hold(&compare(TermRelation::Less, 5), &schema), Satisfiability::Never);
/// assert_eq!(can_hold(&compare(TermRelation::Less, 6), &schema), Satisfiability::Perhaps);
/// ```
pub fn can_hold(formula: &Formula, schema: &Json) -> Satisfiability {
    can_hold_if(formula, schema, Conversions::MayFail)
}

/// Treatment of functions that have no value for some texts, such as `int` and `quantity`, and of items by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversions {
    /// They may end in an error.
    MayFail,
    /// They are taken to succeed.
    Succeed,
}

/// The same with this treatment of conversions.
pub(crate) fn can_hold_if(formula: &Formula, schema: &Json, conversions: Conversions) -> Satisfiability {
    let mut search = CaseSearch::new(schema, conversions);
    search.note_ranges(formula);
    if search.find_case(formula) { Satisfiability::Perhaps } else { Satisfiability::Never }
}

/// The same of a formula about the entries of a loop in `whole`.
pub(crate) fn can_hold_of_entry(
    formula: &Formula,
    whole: &Formula,
    schema: &Json,
    conversions: Conversions,
) -> Satisfiability {
    let mut search = CaseSearch::new(schema, conversions);
    search.note_ranges(whole);
    if search.find_case(formula) { Satisfiability::Perhaps } else { Satisfiability::Never }
}

/// A proposition about an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Cell {
    /// A value is there, given that the value around it is.
    There(Term),
    /// Two values that are there are equal.
    Equal(Term, Term),
    /// Of two values that are there, the left is less.
    Less(Term, Term),
    /// Two values that are there can be compared.
    Comparable(Term, Term),
    /// All entries of a loop's range pass.
    All(EntryVariables),
}

struct CaseSearch<'s> {
    schema: &'s Json,
    conversions: Conversions,
    ranges: HashMap<VariableId, Option<&'s Json>>,
    cells: HashMap<Cell, bool>,
    order: Vec<Cell>,
    cases: usize,
    texts: TextSearches,
    /// The first cell whose value is needed and not chosen.
    wanted: Option<Cell>,
}

impl<'s> CaseSearch<'s> {
    fn new(schema: &'s Json, conversions: Conversions) -> Self {
        let (ranges, cells) = (HashMap::new(), HashMap::new());
        let texts = TextSearches::default();
        Self { schema, conversions, ranges, cells, order: Vec::new(), cases: 0, texts, wanted: None }
    }

    /// Tries the values of cells until the formula holds. True if it does, or if there are too many cases.
    fn find_case(&mut self, formula: &Formula) -> bool {
        self.cases += 1;
        if self.cases > MOST_CASES {
            return true;
        }
        if self.is_contradictory() {
            return false;
        }
        self.wanted = None;
        if let Some(holds) = self.value_of(formula) {
            return holds;
        }
        let Some(cell) = self.wanted.take() else { return true };
        for value in [true, false] {
            self.cells.insert(cell.clone(), value);
            self.order.push(cell.clone());
            let found = self.find_case(formula);
            self.order.pop();
            self.cells.remove(&cell);
            if found {
                return true;
            }
        }
        false
    }

    /// The value of a formula as far as the cells decide it.
    fn value_of(&mut self, formula: &Formula) -> Option<bool> {
        match formula {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::All(parts) => self.value_of_parts(parts, false),
            Formula::Any(parts) => self.value_of_parts(parts, true),
            Formula::Not(inner) => self.value_of(inner).map(|value| !value),
            Formula::Defined(term) => self.is_there(term),
            Formula::Compare { left, relation, right } => self.compare(left, *relation, right),
            Formula::Each(it) => self.value_of_loop(it, true),
            Formula::Some(it) => self.value_of_loop(it, false),
        }
    }

    /// The value of several parts, of which one that is `decides` decides.
    fn value_of_parts(&mut self, parts: &[Formula], decides: bool) -> Option<bool> {
        let mut is_open = false;
        for part in parts {
            match self.value_of(part) {
                Some(value) if value == decides => return Some(decides),
                Some(_) => {}
                None => is_open = true,
            }
        }
        if is_open { None } else { Some(!decides) }
    }

    fn value_of_loop(&mut self, it: &Quantification, is_each: bool) -> Option<bool> {
        // An empty list passes and a loop without passing entries too, so `All` is free. A formula for entries that never holds
        // makes `some` false.
        if !self.is_there(&it.range)? || (!is_each && it.holds == Formula::False) {
            return Some(false);
        }
        self.cell(Cell::All(it.entry)).map(|all| all == is_each)
    }

    /// True if a term has a value.
    fn is_there(&mut self, term: &Term) -> Option<bool> {
        match term {
            Term::Constant(_) | Term::Root(_) | Term::Variable(_) | Term::Tally(_) => Some(true),
            Term::Field(of, name) => match self.is_there(of)? {
                false => Some(false),
                // The stored object may be older than the schema.
                true if !is_of_stored(of)
                    && self.node_of(of).is_some_and(|node| is_always_there(node, name)) =>
                {
                    Some(true)
                }
                true => self.cell(Cell::There(term.clone())),
            },
            Term::Index(of, key) => match self.are_there(&[of, key])? {
                false => Some(false),
                true if self.conversions == Conversions::Succeed => Some(true),
                true => self.cell(Cell::There(term.clone())),
            },
            Term::Call(call) => {
                let arguments: Vec<&Term> = call.arguments.iter().collect();
                match self.are_there(&arguments)? {
                    false => Some(false),
                    true if self.conversions == Conversions::Succeed || is_total(&call.function) => {
                        Some(true)
                    }
                    true => self.cell(Cell::There(term.clone())),
                }
            }
            Term::List(items) => self.are_there(&items.iter().collect::<Vec<_>>()),
            Term::Collect(it) => match self.is_there(&it.range)? {
                false => Some(false),
                true if self.conversions == Conversions::Succeed => Some(true),
                true => self.cell(Cell::There(term.clone())),
            },
        }
    }

    fn are_there(&mut self, terms: &[&Term]) -> Option<bool> {
        let mut is_open = false;
        for term in terms {
            match self.is_there(term) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => is_open = true,
            }
        }
        if is_open { None } else { Some(true) }
    }

    fn compare(&mut self, left: &Term, relation: TermRelation, right: &Term) -> Option<bool> {
        if !self.are_there(&[left, right])? {
            return Some(false);
        }
        match relation {
            TermRelation::Equal => self.are_equal(left, right),
            TermRelation::NotEqual => self.are_equal(left, right).map(|equal| !equal),
            TermRelation::Less => self.is_less(left, right, false),
            TermRelation::LessOrEqual => self.is_less(right, left, true),
        }
    }

    fn are_equal(&mut self, left: &Term, right: &Term) -> Option<bool> {
        if left == right {
            return Some(true);
        }
        let (left, right) = if matches!(left, Term::Constant(_)) { (right, left) } else { (left, right) };
        if let Term::Constant(constant) = right
            && let Some(forced) = forced_equality(left, self.facts_of(left), self.range_of(left), constant)
        {
            return Some(forced);
        }
        self.cell(Cell::Equal(left.clone(), right.clone()))
    }

    /// `left < right`, or the opposite, if both can be compared.
    fn is_less(&mut self, left: &Term, right: &Term, is_opposite: bool) -> Option<bool> {
        let known = |it: &Self, term: &Term| is_ordered(term, it.node_of(term));
        if self.conversions == Conversions::MayFail
            && !(known(self, left) && known(self, right))
            && !self.cell(Cell::Comparable(left.clone(), right.clone()))?
        {
            return Some(false);
        }
        let forced = match (left, right) {
            (term, Term::Constant(constant)) => {
                self.range_of(term).and_then(|range| forced_order(range, constant, true))
            }
            (Term::Constant(constant), term) => {
                self.range_of(term).and_then(|range| forced_order(range, constant, false))
            }
            _ => None,
        };
        let less = match forced {
            Some(forced) => forced,
            None => self.cell(Cell::Less(left.clone(), right.clone()))?,
        };
        Some(less != is_opposite)
    }

    fn cell(&mut self, cell: Cell) -> Option<bool> {
        let value = self.cells.get(&cell).copied();
        if value.is_none() && self.wanted.is_none() {
            self.wanted = Some(cell);
        }
        value
    }

    /// True if no value satisfies what the cells say of one term and constants.
    fn is_contradictory(&self) -> bool {
        let mut equal: HashMap<&Term, &Constant> = HashMap::new();
        let mut ranges: HashMap<&Term, NumberRange> = HashMap::new();
        for cell in &self.order {
            let value = self.cells.get(cell) == Some(&true);
            match cell {
                Cell::Equal(term, Term::Constant(constant))
                    if value && equal.insert(term, constant).is_some_and(|other| other != constant) =>
                {
                    return true;
                }
                Cell::Less(term, Term::Constant(constant)) => {
                    ranges
                        .entry(term)
                        .or_insert_with(|| self.range_of(term).unwrap_or_default())
                        .add_comparison(constant, true, value);
                }
                Cell::Less(Term::Constant(constant), term) => {
                    ranges
                        .entry(term)
                        .or_insert_with(|| self.range_of(term).unwrap_or_default())
                        .add_comparison(constant, false, value);
                }
                _ => {}
            }
        }
        let misses = |(term, constant): (&&Term, &&Constant)| {
            ranges.get(*term).is_some_and(|range| !range.contains(constant))
        };
        ranges.values().any(NumberRange::is_empty)
            || equal.iter().any(misses)
            || self.is_outside_enum()
            || self.has_impossible_text()
    }

    /// True if no text meets what the cells and the schema say of one term.
    fn has_impossible_text(&self) -> bool {
        let mut texts: HashMap<&Term, TextConditions> = HashMap::new();
        for cell in &self.order {
            let value = self.cells.get(cell) == Some(&true);
            if let Some((term, mut conditions)) = self.text_condition(cell, value) {
                let known = texts.entry(term).or_insert_with(|| self.schema_of_text(term));
                known.inside.append(&mut conditions.inside);
                known.outside.append(&mut conditions.outside);
                known.length.0 = known.length.0.max(conditions.length.0);
                known.length.1 = known.length.1.into_iter().chain(conditions.length.1).min();
            }
        }
        texts.into_values().any(|conditions| self.texts.is_empty(conditions))
    }

    fn schema_of_text(&self, term: &Term) -> TextConditions {
        self.facts_of(term).and_then(TextConditions::of_schema).unwrap_or_default()
    }

    /// The conditions of a cell on a text.
    fn text_condition<'c>(&self, cell: &'c Cell, value: bool) -> Option<(&'c Term, TextConditions)> {
        let mut conditions = TextConditions::default();
        let (term, set, is_inside) = match cell {
            Cell::Equal(Term::Call(test), Term::Constant(Constant::Boolean(truth))) => {
                let (term, set) = TextSet::of_call(test)?;
                (term, set, *truth == value)
            }
            Cell::Equal(Term::Call(test), Term::Constant(Constant::Integer(number)))
                if test.function == "size" =>
            {
                conditions.add_size(*number, value);
                return Some((self.text_of_size(test)?, conditions));
            }
            // Of a value that is no text, such as null, an equality is false too.
            Cell::Equal(term, Term::Constant(Constant::Text(text))) => {
                (term, TextSet::Only(text.clone()), value)
            }
            Cell::Less(Term::Call(test), Term::Constant(bound)) if test.function == "size" => {
                conditions.add_length(bound, true, value);
                return Some((self.text_of_size(test)?, conditions));
            }
            Cell::Less(Term::Constant(bound), Term::Call(test)) if test.function == "size" => {
                conditions.add_length(bound, false, value);
                return Some((self.text_of_size(test)?, conditions));
            }
            _ => return None,
        };
        if is_inside {
            conditions.inside.push(set);
        } else {
            conditions.outside.push(set);
        }
        Some((term, conditions))
    }

    /// The text whose size a call is: by its schema, or because it is compared with texts.
    fn text_of_size<'c>(&self, call: &'c TermCall) -> Option<&'c Term> {
        let term = call.arguments.first()?;
        let is_about_text = |cell: &Cell| match cell {
            Cell::Equal(Term::Call(test), _) => {
                TextSet::of_call(test).is_some_and(|(subject, _)| subject == term)
            }
            Cell::Equal(subject, Term::Constant(Constant::Text(_))) => subject == term,
            _ => false,
        };
        let is_text = || TextConditions::of_schema(self.node_of(term)?);
        (is_text().is_some() || self.order.iter().any(is_about_text)).then_some(term)
    }

    /// True if a value differs from all that its schema allows.
    fn is_outside_enum(&self) -> bool {
        let mut excluded: HashMap<&Term, Vec<&Constant>> = HashMap::new();
        for cell in &self.order {
            if let (Cell::Equal(term, Term::Constant(constant)), Some(false)) = (cell, self.cells.get(cell)) {
                excluded.entry(term).or_default().push(constant);
            }
        }
        excluded.iter().any(|(term, constants)| {
            crate::facts::allowed_values(self.facts_of(term)).is_some_and(|allowed| {
                !allowed.is_empty() && allowed.iter().all(|value| constants.contains(&value))
            })
        })
    }

    /// The schema of a term, unless it is stored: a stored object may be older than the schema.
    fn facts_of(&self, term: &Term) -> Option<&'s Json> {
        if is_of_stored(term) { None } else { self.node_of(term) }
    }

    /// The numbers that the schema allows for a term.
    fn range_of(&self, term: &Term) -> Option<NumberRange> {
        let subject = match term {
            Term::Call(call) if call.function == "size" => call.arguments.first()?,
            term => term,
        };
        // A list that is made from another has a size of its own.
        let node = if matches!(subject, Term::Collect(_)) { None } else { self.facts_of(subject) };
        range_of(term, node)
    }

    /// The schema of a term.
    fn node_of(&self, term: &Term) -> Option<&'s Json> {
        match term {
            Term::Root(name) if name == "self" || name == "oldSelf" => Some(self.schema),
            Term::Variable(variable) => self.ranges.get(variable).copied().flatten(),
            Term::Field(of, name) => node_below(self.node_of(of)?, Some(name)),
            Term::Index(of, _) => node_below(self.node_of(of)?, None),
            Term::Collect(it) if matches!(it.result, Term::Variable(_)) => self.node_of(&it.range),
            _ => None,
        }
    }

    /// Notes the schemas of the entries of all loops.
    fn note_ranges(&mut self, formula: &Formula) {
        match formula {
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| self.note_ranges(part)),
            Formula::Not(inner) => self.note_ranges(inner),
            Formula::Each(it) | Formula::Some(it) => {
                if let Some(value) = it.entry.value {
                    let node = self.node_of(&it.range).and_then(|node| node_below(node, None));
                    self.ranges.insert(value, node);
                }
                self.note_ranges(&it.holds);
            }
            _ => {}
        }
    }
}

/// True for parts of the stored object.
fn is_of_stored(term: &Term) -> bool {
    match term {
        Term::Root(name) => name == "oldSelf",
        Term::Field(of, _) | Term::Index(of, _) => is_of_stored(of),
        _ => false,
    }
}

/// True if the values of a term can be ordered with those of its type.
fn is_ordered(term: &Term, node: Option<&Json>) -> bool {
    let is_scalar = |node: &Json| {
        let kind = node.get("type").and_then(Json::as_str);
        matches!(kind, Some("integer" | "number" | "string" | "boolean"))
    };
    match term {
        Term::Constant(_) | Term::Tally(_) => true,
        Term::Call(call) => matches!(call.function.as_str(), "size" | "int" | "lowerAscii" | "upperAscii"),
        _ => node.is_some_and(is_scalar),
    }
}
