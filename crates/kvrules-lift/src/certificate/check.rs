//! Checks a certificate: every fact is an instance of an axiom or follows from the schema, and every branch of the cases ends in a
//! contradiction. Loops are replaced by entries here again, from the formulas themselves.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use kvrules_ir::{Constant, Formula, Quantification, Term, TermCall, TermRelation, VariableId};
use serde_json::Value;

use super::axioms::axiom_of;
use super::checked::{Branch, BranchEnd, Checked, UncheckedStep};
use super::display::show_term;
use super::keys::{entry_key, term_key};
use super::substitution::{Bindings, entry_of, substitute, substitute_formula, with_placeholder};
use super::theory::{Literal, SchemaReader, order};
use super::{CaseStep, Certificate, CertifiedEntry, Closing, Statement, TypeCondition};

/// The most statements that the checker adds to the cases of a certificate.
const MOST_ADDED: usize = 4_000;

struct Checker<'c> {
    certificate: &'c Certificate,
    schema: SchemaReader<'c>,
    /// The examples of entries, by what they are examples of.
    entries: HashMap<(String, String, bool), &'c CertifiedEntry>,
    ranges: Vec<(String, &'c CertifiedEntry)>,
    /// Facts, with their numbers.
    facts: HashMap<String, (bool, usize)>,
    types: HashMap<String, &'c TypeCondition>,
    /// The answers of the branch.
    answers: HashMap<String, bool>,
    path: Vec<Literal>,
    /// The statement that an evaluation leaves open.
    open: RefCell<Option<Statement>>,
    /// The number of statements that the checker added.
    added: usize,
    consulted: RefCell<BTreeSet<usize>>,
    result: Checked,
}

pub(super) fn check_certificate(certificate: &Certificate, schema: &Value) -> Checked {
    let mut checker = Checker {
        certificate,
        schema: SchemaReader { schema },
        entries: HashMap::new(),
        ranges: Vec::new(),
        facts: HashMap::new(),
        types: HashMap::new(),
        answers: HashMap::new(),
        path: Vec::new(),
        open: RefCell::default(),
        added: 0,
        consulted: RefCell::default(),
        result: Checked::default(),
    };
    if let Err(refusal) = checker.check() {
        checker.result.refusal = Some(refusal);
    }
    checker.result
}

impl<'c> Checker<'c> {
    fn check(&mut self) -> Result<(), String> {
        if self.certificate.given != self.certificate.formulas {
            self.result.unchecked.insert(UncheckedStep::Constants);
        }
        self.take_entries()?;
        for (number, fact) in self.certificate.cases.facts.iter().enumerate() {
            let (key, sign) = self.statement_key(&fact.statement);
            let known = self.facts.entry(key).or_insert((fact.holds == sign, number));
            if known.0 != (fact.holds == sign) {
                return Err("two facts contradict each other".to_owned());
            }
        }
        for condition in &self.certificate.cases.types {
            let (key, _) = self.statement_key(&condition.statement);
            self.types.insert(key, condition);
        }
        let mut steps = self.certificate.cases.steps.iter();
        self.check_cases(&mut steps)?;
        if steps.next().is_some() {
            return Err("there are more cases than the tree has".to_owned());
        }
        for number in std::mem::take(&mut *self.consulted.borrow_mut()) {
            self.result.used.insert(number);
            if !self.is_fact_known(number) {
                self.result.unchecked.insert(UncheckedStep::Fact(number));
            }
        }
        Ok(())
    }

    /// Each entry has a variable of its own, and is described by those before it alone.
    fn take_entries(&mut self) -> Result<(), String> {
        let mut known: Vec<VariableId> = Vec::new();
        for formula in &self.certificate.formulas {
            formula.visit_terms(&mut |term| known.extend(variable_of(term)));
            formula.visit_formulas(&mut |part| {
                if let Formula::Each(it) | Formula::Some(it) = part {
                    known.extend([it.entry.key, it.entry.value].into_iter().flatten());
                }
            });
        }
        let mut variables: Vec<VariableId> =
            self.certificate.entries.iter().map(|entry| entry.variable).collect();
        for entry in &self.certificate.entries {
            let mut uses_later = known.contains(&entry.variable);
            let mut note =
                |term: &Term| uses_later |= variable_of(term).is_some_and(|it| variables.contains(&it));
            entry.formula.visit_terms(&mut note);
            entry.range.visit_terms(&mut note);
            if uses_later {
                return Err("an entry depends on one that is named later".to_owned());
            }
            variables.retain(|it| *it != entry.variable);
            let range = term_key(&entry.range);
            let formula = entry_key(&entry.formula, entry.entry);
            self.entries.insert((range.clone(), formula, entry.holds), entry);
            self.ranges.push((range, entry));
        }
        Ok(())
    }

    fn check_cases(&mut self, steps: &mut std::slice::Iter<'c, CaseStep>) -> Result<(), String> {
        match steps.next() {
            None => Err("the tree of cases has no end".to_owned()),
            Some(CaseStep::Closed(closing)) => self.check_end(closing),
            Some(CaseStep::Split(statement, first)) => {
                self.split(statement, *first, &mut |checker, is_closed| {
                    if is_closed {
                        skip_tree(steps);
                        return Ok(());
                    }
                    checker.check_cases(steps)
                })
            }
        }
    }

    /// Checks a branch for each answer of a statement. Two statements that mean the same have one answer: the branch with another one is
    /// closed already.
    fn split(
        &mut self,
        statement: &Statement,
        first: bool,
        check: &mut dyn FnMut(&mut Self, bool) -> Result<(), String>,
    ) -> Result<(), String> {
        let (key, sign) = self.statement_key(statement);
        for answer in [first, !first] {
            let holds = answer == sign;
            let before = self.answers.insert(key.clone(), holds);
            self.path.push((statement.clone(), answer));
            check(self, before.is_some_and(|before| before != holds))?;
            self.path.pop();
            match before {
                Some(before) => self.answers.insert(key.clone(), before),
                None => self.answers.remove(&key),
            };
        }
        Ok(())
    }

    /// Finds the contradiction of a branch. A formula that the prover simplified may need more cases.
    fn check_end(&mut self, closing: &Closing) -> Result<(), String> {
        self.open.take();
        let end = self.find_end(closing);
        let Some(end) = end else {
            let open = self.open.take().filter(|_| self.added < MOST_ADDED);
            let Some(open) = open else {
                return Err(format!("branch {} is open", self.result.branches.len() + 1));
            };
            self.added += 1;
            return self.split(&open, true, &mut |checker, is_closed| {
                if is_closed { Ok(()) } else { checker.check_end(closing) }
            });
        };
        let literals = self.path.clone();
        match &end {
            BranchEnd::Text(of) => drop(self.result.unchecked.insert(UncheckedStep::Texts(of.clone()))),
            BranchEnd::Order => drop(self.result.unchecked.insert(UncheckedStep::Order)),
            BranchEnd::Axiom(number) => {
                let axiom = self.certificate.axioms.get(*number);
                let name = axiom.and_then(|axiom| axiom_of(axiom, &self.schema));
                let name = name.ok_or("an axiom is unknown")?;
                self.result.axioms.insert(*number, name);
            }
            BranchEnd::Formula(_) | BranchEnd::Values => {}
        }
        self.result.branches.push(Branch { literals, end });
        Ok(())
    }

    fn find_end(&self, closing: &Closing) -> Option<BranchEnd> {
        let certificate = self.certificate;
        let is_false = |formula: &Formula| {
            // Facts that are consulted are noted only if they help.
            let before = self.consulted.borrow().clone();
            let is_false = self.ground(formula, &Bindings::new(), true) == Some(false);
            if !is_false {
                self.consulted.replace(before);
            }
            is_false
        };
        if let Some(number) = certificate.formulas.iter().position(&is_false) {
            return Some(BranchEnd::Formula(number));
        }
        if let Some(number) = certificate.axioms.iter().position(is_false) {
            return Some(BranchEnd::Axiom(number));
        }
        if self.schema.are_contradictory(&self.path) {
            return Some(BranchEnd::Values);
        }
        match closing {
            Closing::Text(of) if self.schema.has_no_text(of, &self.path) => Some(BranchEnd::Values),
            Closing::Text(of) => Some(BranchEnd::Text(show_term(of, &certificate.entries))),
            Closing::Order | Closing::Value if self.path.iter().any(|it| reads_values(&it.0)) => {
                Some(BranchEnd::Order)
            }
            _ => None,
        }
    }

    /// A formula, or its opposite, with the entries that stand for those of its loops. `None` if the answers leave it open.
    fn ground(&self, formula: &Formula, bindings: &Bindings, positive: bool) -> Option<bool> {
        match formula {
            Formula::True => Some(positive),
            Formula::False => Some(!positive),
            Formula::All(parts) | Formula::Any(parts) => {
                let decides = matches!(formula, Formula::Any(_)) == positive;
                join(parts.iter().map(|part| self.ground(part, bindings, positive)), decides)
            }
            Formula::Not(inner) => self.ground(inner, bindings, !positive),
            Formula::Defined(term) => {
                let defined = self.is_present(&substitute(term, bindings, 0));
                defined.map(|defined| defined == positive)
            }
            Formula::Compare { left, relation, right } => {
                let holds = self.counted(left, *relation, right, bindings).or_else(|| {
                    self.compare(&substitute(left, bindings, 0), *relation, &substitute(right, bindings, 0))
                });
                holds.map(|holds| holds == positive)
            }
            Formula::Each(it) => self.ground_loop(it, bindings, positive, positive),
            Formula::Some(it) => self.ground_loop(it, bindings, !positive, positive),
        }
    }

    /// A loop whose formula holds, or fails, for all entries or for one.
    fn ground_loop(
        &self,
        it: &Quantification,
        bindings: &Bindings,
        is_all: bool,
        holds: bool,
    ) -> Option<bool> {
        let range = substitute(&it.range, bindings, 0);
        let range_key = term_key(&range);
        let has_range = self.is_present(&range);
        let with = |entry: &CertifiedEntry| {
            let key = Term::Variable(entry.variable);
            let value = Term::Index(Box::new(range.clone()), Box::new(key.clone()));
            let exists = self.is_present(&value);
            let mut bindings = bindings.clone();
            bindings.extend(it.entry.value.map(|variable| (variable, value)));
            bindings.extend(it.entry.key.map(|variable| (variable, key)));
            (exists, bindings)
        };
        let of_entries = if is_all {
            let entries = self.ranges.iter().filter(|(range, _)| *range == range_key);
            let parts = entries.map(|(_, entry)| {
                let (exists, bindings) = with(entry);
                join([exists.map(|it| !it), self.ground(&it.holds, &bindings, holds)], true)
            });
            join(parts, false)
        } else {
            let inner = with_placeholder(bindings, it.entry, &range, 0);
            let formula = entry_key(&substitute_formula(&it.holds, &inner, 1), entry_of(0));
            match self.entries.get(&(range_key, formula, holds)) {
                Some(entry) => {
                    let (exists, bindings) = with(entry);
                    join([exists, self.ground(&it.holds, &bindings, holds)], false)
                }
                // Without an entry it only says that there is a list.
                None => return if holds { has_range } else { None },
            }
        };
        if holds {
            join([has_range, of_entries], false)
        } else {
            join([has_range.map(|it| !it), of_entries], true)
        }
    }

    /// A count of formulas that is compared with a number.
    fn counted(
        &self,
        left: &Term,
        relation: TermRelation,
        right: &Term,
        bindings: &Bindings,
    ) -> Option<bool> {
        let (parts, number, is_left) = match (left, right) {
            (Term::Tally(parts), Term::Constant(Constant::Integer(number))) => (parts, *number, true),
            (Term::Constant(Constant::Integer(number)), Term::Tally(parts)) => (parts, *number, false),
            _ => return None,
        };
        let count = |is_counted: &dyn Fn(&Formula) -> bool| {
            i64::try_from(parts.iter().filter(|part| is_counted(part)).count()).unwrap_or(i64::MAX)
        };
        let least = count(&|part| self.ground(part, bindings, false) == Some(false));
        let most = count(&|part| self.ground(part, bindings, true) != Some(false));
        let within = |from: i64, to: i64| match () {
            () if least >= from && most <= to => Some(true),
            () if most < from || least > to => Some(false),
            () => None,
        };
        match (relation, is_left) {
            (TermRelation::Equal, _) => within(number, number),
            (TermRelation::NotEqual, _) => within(number, number).map(|it| !it),
            (TermRelation::Less, true) => within(i64::MIN, number.saturating_sub(1)),
            (TermRelation::LessOrEqual, true) => within(i64::MIN, number),
            (TermRelation::Less, false) => within(number.saturating_add(1), i64::MAX),
            (TermRelation::LessOrEqual, false) => within(number, i64::MAX),
        }
    }

    fn is_present(&self, term: &Term) -> Option<bool> {
        let parts = match term {
            Term::Constant(_) | Term::Variable(_) | Term::Tally(_) => return Some(true),
            Term::Root(name) if name == "self" || name == "request" => return Some(true),
            Term::Root(_) => Vec::new(),
            Term::Field(of, _) => vec![&**of],
            Term::Index(of, at) => vec![&**of, at],
            Term::Call(call) => call.arguments.iter().collect(),
            Term::List(items) => return join(items.iter().map(|item| self.is_present(item)), false),
            Term::Collect(it) => vec![&it.range],
        };
        let own = self.answer_to(&Statement::Present(term.clone()));
        join(parts.into_iter().map(|part| self.is_present(part)).chain([own]), false)
    }

    fn compare(&self, left: &Term, relation: TermRelation, right: &Term) -> Option<bool> {
        let present = [left, right].map(|term| self.is_present(term));
        let related = match relation {
            TermRelation::Equal => self.are_equal(left, right),
            TermRelation::NotEqual => self.are_equal(left, right).map(|it| !it),
            TermRelation::Less => self.is_less(left, right, true),
            TermRelation::LessOrEqual => self.is_less(right, left, false),
        };
        join(present.into_iter().chain([related]), false)
    }

    fn equals_itself(&self, term: &Term) -> Option<bool> {
        let is_plain = match term {
            Term::Constant(Constant::Float(number)) => !number.is_nan(),
            Term::Constant(_) | Term::Tally(_) => true,
            // Values of JSON are numbers.
            Term::Root(_) | Term::Field(..) | Term::Index(..) => is_part_of_root(term),
            Term::Call(call) => call.function == "size",
            _ => false,
        };
        if is_plain { Some(true) } else { self.answer_to(&Statement::Equal(term.clone(), term.clone())) }
    }

    fn are_equal(&self, left: &Term, right: &Term) -> Option<bool> {
        let themselves = [left, right].map(|term| self.equals_itself(term));
        join(themselves.into_iter().chain([self.are_same(left, right)]), false)
    }

    fn are_same(&self, left: &Term, right: &Term) -> Option<bool> {
        if term_key(left) == term_key(right) {
            return Some(true);
        }
        if let (Term::Constant(one), Term::Constant(other)) = (left, right)
            && std::mem::discriminant(one) == std::mem::discriminant(other)
            && let Some(order) = order(one, other)
        {
            return Some(order.is_eq());
        }
        // A test is true or false.
        if let (Term::Call(call), Term::Constant(Constant::Boolean(false)))
        | (Term::Constant(Constant::Boolean(false)), Term::Call(call)) = (left, right)
            && is_test(&call.function)
        {
            let test = Term::Call(call.clone());
            return self.are_same(&test, &Term::Constant(Constant::Boolean(true))).map(|it| !it);
        }
        self.answer_to(&Statement::Equal(left.clone(), right.clone()))
    }

    /// `left < right`, or its opposite for values that have an order.
    fn is_less(&self, left: &Term, right: &Term, positive: bool) -> Option<bool> {
        let less = match (left, right) {
            (Term::Constant(one), Term::Constant(other)) if order(one, other).is_some() => {
                order(one, other).map(std::cmp::Ordering::is_lt)
            }
            _ if term_key(left) == term_key(right) => Some(false),
            _ => self.answer_to(&Statement::Less(left.clone(), right.clone())),
        };
        let comparable = self.answer_to(&Statement::Comparable(left.clone(), right.clone()));
        let comparable = comparable.or_else(|| self.schema.are_ordered(left, right).then_some(true));
        let themselves = [left, right].map(|term| self.equals_itself(term));
        join(themselves.into_iter().chain([comparable, less.map(|less| less == positive)]), false)
    }

    /// The answer to a statement by the case or by a fact.
    fn answer_to(&self, statement: &Statement) -> Option<bool> {
        let (key, sign) = self.statement_key(statement);
        let known = self.answers.get(&key).copied().or_else(|| {
            let (holds, number) = self.facts.get(&key)?;
            self.consulted.borrow_mut().insert(*number);
            Some(*holds)
        });
        if known.is_none() {
            self.open.borrow_mut().get_or_insert_with(|| statement.clone());
        }
        let known = known.map(|holds| holds == sign);
        let Some(condition) = self.types.get(&key) else { return known };
        let name = Term::Constant(Constant::Type(condition.name.clone()));
        let of = Term::call_of("type", false, vec![condition.of.clone()]);
        join([known, self.are_equal(&of, &name)], false)
    }

    /// The text of a statement, and false for its opposite. Integers are compared with `term < constant` alone.
    fn statement_key(&self, statement: &Statement) -> (String, bool) {
        match statement {
            Statement::Present(term) => (format!("present {}", term_key(term)), true),
            Statement::Equal(left, right) | Statement::Comparable(left, right) => {
                let (mut left, mut right) = (term_key(left), term_key(right));
                if right < left {
                    std::mem::swap(&mut left, &mut right);
                }
                let is_equal = matches!(statement, Statement::Equal(..));
                (format!("{} {left} and {right}", if is_equal { "equal" } else { "comparable" }), true)
            }
            Statement::Less(Term::Constant(Constant::Integer(number)), term)
                if *number < i64::MAX && self.schema.is_integer(term) =>
            {
                let next = Term::Constant(Constant::Integer(number + 1));
                (format!("less {} than {}", term_key(term), term_key(&next)), false)
            }
            Statement::Less(left, right) => {
                (format!("less {} than {}", term_key(left), term_key(right)), true)
            }
        }
    }

    /// True if a fact follows from the schema, or from what functions are.
    fn is_fact_known(&self, number: usize) -> bool {
        let Some(fact) = self.certificate.cases.facts.get(number) else { return false };
        match &fact.statement {
            Statement::Present(term) => match term {
                Term::Field(of, name) => self.schema.is_always_there(of, name),
                Term::Call(call) => is_total(call),
                _ => false,
            },
            Statement::Comparable(left, right) => self.schema.are_ordered(left, right),
            statement => self.schema.are_contradictory(&[(statement.clone(), !fact.holds)]),
        }
    }
}

fn variable_of(term: &Term) -> Option<VariableId> {
    match term {
        Term::Variable(variable) => Some(*variable),
        _ => None,
    }
}

/// Passes over a tree of cases.
fn skip_tree(steps: &mut std::slice::Iter<'_, CaseStep>) {
    let mut open = 1_usize;
    while open > 0 {
        match steps.next() {
            Some(CaseStep::Split(..)) => open += 1,
            Some(CaseStep::Closed(_)) => open -= 1,
            None => return,
        }
    }
}

/// All parts, or with `decides` any of them. `None` if they leave it open.
fn join(parts: impl IntoIterator<Item = Option<bool>>, decides: bool) -> Option<bool> {
    let mut is_open = false;
    for part in parts {
        match part {
            Some(value) if value == decides => return Some(decides),
            Some(_) => {}
            None => is_open = true,
        }
    }
    (!is_open).then_some(!decides)
}

fn is_part_of_root(term: &Term) -> bool {
    match term {
        Term::Root(_) => true,
        Term::Field(of, _) | Term::Index(of, _) => is_part_of_root(of),
        _ => false,
    }
}

/// True for functions that are true or false for every text.
fn is_test(function: &str) -> bool {
    matches!(
        function,
        "contains"
            | "startsWith"
            | "endsWith"
            | "matches"
            | "isQuantity"
            | "isIP"
            | "isCIDR"
            | "isURL"
            | "isSemver"
    )
}

/// True if a function has a value for all arguments that its types allow.
fn is_total(call: &TermCall) -> bool {
    let is_written = matches!(call.arguments.as_slice(), [_, Term::Constant(Constant::Text(_))]);
    match call.function.as_str() {
        "matches" => is_written,
        "size" | "lowerAscii" | "upperAscii" | "trim" | "type" => true,
        function => is_test(function),
    }
}

/// True if the order in a statement depends on values that functions read or select.
fn reads_values(statement: &Statement) -> bool {
    let (Statement::Equal(left, right) | Statement::Less(left, right)) = statement else { return false };
    let mut found = false;
    for term in [left, right] {
        term.visit_terms(&mut |part| {
            found |= match part {
                Term::Call(call) => !matches!(call.function.as_str(), "size" | "+" | "-" | "*" | "int"),
                Term::Collect(_) => true,
                _ => false,
            };
        });
    }
    found
}
