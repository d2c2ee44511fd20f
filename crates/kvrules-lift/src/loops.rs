//! Loops over lists and maps.

use kvrules_cel::ast::{Comprehension, ComprehensionKind, Expr, ExprKind};
use kvrules_ir::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermRelation, VariableId,
};

use crate::opaque::{Opaque, OpaqueKind};
use crate::state::{GuardedTerm, LiftedExpression, Lifter, combine};

type Lifted = Result<LiftedExpression, Opaque>;

impl Lifter<'_> {
    /// `all`, `exists` and `exists_one`.
    pub(crate) fn lift_loop(&mut self, expr: &Expr, it: &Comprehension) -> Lifted {
        let is_all = match it.kind {
            ComprehensionKind::All => true,
            ComprehensionKind::Exists => false,
            ComprehensionKind::ExistsOne => return self.lift_exists_one(expr, it),
            _ => return Err(Opaque::at(expr, OpaqueKind::Construct("a list as a condition"))),
        };
        if let Some(items) = literal_items(&it.range).filter(|_| it.var2.is_none()) {
            return self.lift_unrolled(&items, it, is_all);
        }
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        for range in self.lift_term(&it.range)? {
            let (entry, body) = self.lift_entry(it, &range.term, &it.body)?;
            // The formulas are those of `all`; those of `exists` swap twice.
            let body = if is_all { body } else { body.swapped() };
            let other = self.collection_variable(&range.term);
            let (each, some) = quantify_entries(&range.term, entry, &body, other);
            holds.push(Formula::all_of([range.when.clone(), each]));
            fails.push(Formula::all_of([range.when, some]));
        }
        let lifted = LiftedExpression { holds: Formula::any_of(holds), fails: Formula::any_of(fails) };
        Ok(if is_all { lifted } else { lifted.swapped() })
    }

    /// A new variable if a loop makes the list; others need none.
    pub(crate) fn collection_variable(&mut self, range: &Term) -> VariableId {
        if matches!(range, Term::Collect(_)) { self.new_variable() } else { VariableId(0) }
    }

    /// The body of a loop, with new variables for an entry of its range.
    fn lift_entry(
        &mut self,
        it: &Comprehension,
        range: &Term,
        body: &Expr,
    ) -> Result<(EntryVariables, LiftedExpression), Opaque> {
        let (entry, bound) = self.bind_entry(it, range)?;
        let lifted = self.lift_truth(body);
        self.bindings.truncate(bound);
        Ok((entry, lifted?))
    }

    /// Binds the variables of a loop; returns the number of bindings before.
    fn bind_entry(&mut self, it: &Comprehension, range: &Term) -> Result<(EntryVariables, usize), Opaque> {
        let bound = self.bindings.len();
        let unknown = || Opaque::at(&it.range, OpaqueKind::UnknownType);
        let is_map = self.is_map(&it.range, range).ok_or_else(unknown)?;
        let mut entry = EntryVariables::default();
        let bind = |lifter: &mut Self, name: &str| {
            let variable = lifter.new_variable();
            lifter.bindings.push((name.to_owned(), vec![GuardedTerm::always(Term::Variable(variable))]));
            Some(variable)
        };
        match (&it.var2, is_map) {
            (Some(second), _) => {
                entry.key = bind(self, &it.var.name);
                entry.value = bind(self, &second.name);
            }
            (None, true) => entry.key = bind(self, &it.var.name),
            (None, false) => entry.value = bind(self, &it.var.name),
        }
        if let Some(value) = entry.value {
            self.note_entries(value, range);
        }
        Ok((entry, bound))
    }

    fn lift_exists_one(&mut self, expr: &Expr, it: &Comprehension) -> Lifted {
        let one = Term::Constant(Constant::Integer(1));
        let count = |lifter: &mut Self| -> Result<Vec<GuardedTerm>, Opaque> {
            if let Some(items) = literal_items(&it.range).filter(|_| it.var2.is_none()) {
                return Ok(vec![lifter.lift_literal_tally(&items, it, &it.body)?]);
            }
            let mut counts = Vec::new();
            for range in lifter.lift_term(&it.range)? {
                let (entry, body) = lifter.lift_entry(it, &range.term, &it.body)?;
                let selected = selection(range.term, entry, body);
                counts.push(GuardedTerm { when: range.when, term: Term::size_of(selected) });
            }
            Ok(counts)
        };
        let counts = count(self)?;
        self.charge(expr, counts.iter().map(|it| it.term.node_count()).sum())?;
        let with = |relation: TermRelation| {
            let each = |it: &GuardedTerm| {
                let equal = Formula::comparison_of(it.term.clone(), relation, one.clone());
                Formula::all_of([it.when.clone(), equal])
            };
            Formula::any_of(counts.iter().map(each))
        };
        Ok(LiftedExpression { holds: with(TermRelation::Equal), fails: with(TermRelation::NotEqual) })
    }

    /// `map`, `filter` and `transformList`.
    pub(crate) fn lift_collection(
        &mut self,
        expr: &Expr,
        it: &Comprehension,
    ) -> Result<Vec<GuardedTerm>, Opaque> {
        let unsupported = |name| Opaque::at(expr, OpaqueKind::Construct(name));
        if !matches!(
            it.kind,
            ComprehensionKind::Map | ComprehensionKind::Filter | ComprehensionKind::TransformList
        ) {
            return Err(unsupported("a map that a loop makes"));
        }
        let mut made = Vec::new();
        for range in self.lift_term(&it.range)? {
            let (entry, bound) = self.bind_entry(it, &range.term)?;
            let parts = self.lift_selected(it, entry);
            self.bindings.truncate(bound);
            let (condition, results) = parts?;
            let [GuardedTerm { when: Formula::True, term: result }] = results.as_slice() else {
                return Err(unsupported("a list of conditional values"));
            };
            let LiftedExpression { holds: selected, fails: left_out } = condition;
            let collection =
                Collection { range: range.term, entry, selected, left_out, result: result.clone() };
            made.push(GuardedTerm { when: range.when, term: Term::Collect(Box::new(collection)) });
        }
        Ok(made)
    }

    fn lift_selected(
        &mut self,
        it: &Comprehension,
        entry: EntryVariables,
    ) -> Result<(LiftedExpression, Vec<GuardedTerm>), Opaque> {
        if it.kind == ComprehensionKind::Filter {
            let variable = entry.value.or(entry.key).map(Term::Variable);
            let result = variable.map(GuardedTerm::always).into_iter().collect();
            return Ok((self.lift_truth(&it.body)?, result));
        }
        let condition = match &it.condition {
            Some(condition) => self.lift_truth(condition)?,
            None => LiftedExpression::constant(true),
        };
        Ok((condition, self.lift_term(&it.body)?))
    }

    /// `all` or `exists` over a list that is written out.
    fn lift_unrolled(&mut self, items: &[&Expr], it: &Comprehension, is_all: bool) -> Lifted {
        let mut bodies = Vec::new();
        let mut known = Vec::new();
        for item in items {
            let (body, defined) = self.lift_with_item(item, it, &it.body)?;
            bodies.push(if is_all { body } else { body.swapped() });
            known.push(defined);
        }
        // An element without a value is an error of the list.
        let lifted = LiftedExpression::all_of(bodies).where_known(&Formula::all_of(known));
        Ok(if is_all { lifted } else { lifted.swapped() })
    }

    /// The body of a loop for one element that is written out, and the condition under which the element has a value.
    fn lift_with_item(
        &mut self,
        item: &Expr,
        it: &Comprehension,
        body: &Expr,
    ) -> Result<(LiftedExpression, Formula), Opaque> {
        let terms = self.lift_term(item)?;
        let defined = has_value(&terms);
        self.bindings.push((it.var.name.clone(), terms));
        let body = self.lift_truth(body);
        self.bindings.pop();
        Ok((body?, defined))
    }

    /// The number of elements of a written list that pass.
    fn lift_literal_tally(
        &mut self,
        items: &[&Expr],
        it: &Comprehension,
        body: &Expr,
    ) -> Result<GuardedTerm, Opaque> {
        let (mut decided, mut counted) = (Vec::new(), Vec::new());
        for item in items {
            let (body, defined) = self.lift_with_item(item, it, body)?;
            decided.extend([defined, body.is_decided()]);
            counted.push(body.holds);
        }
        Ok(GuardedTerm { when: Formula::all_of(decided), term: Term::Tally(counted) })
    }

    /// `size([a, b].filter(x, p))`: the number of elements of a written list that pass.
    pub(crate) fn lift_literal_size(&mut self, range: &Expr) -> Result<Option<GuardedTerm>, Opaque> {
        let ExprKind::Comprehension(it) = &range.kind else { return Ok(None) };
        if it.kind != ComprehensionKind::Filter || it.var2.is_some() {
            return Ok(None);
        }
        match literal_items(&it.range) {
            Some(items) => self.lift_literal_tally(&items, it, &it.body).map(Some),
            None => Ok(None),
        }
    }

    /// `item in range` of a list.
    pub(crate) fn lift_list_membership(&mut self, items: &[GuardedTerm], range: &Expr) -> Lifted {
        if let Some(elements) = literal_items(range) {
            let mut differ = Vec::new();
            let mut known = Vec::new();
            for element in elements {
                let elements = self.lift_term(element)?;
                known.push(has_value(&elements));
                let equal = combine(items, &elements, |item, element| {
                    let compare = |relation| Formula::comparison_of(item.clone(), relation, element.clone());
                    (compare(TermRelation::Equal), compare(TermRelation::NotEqual))
                });
                differ.push(equal.swapped());
            }
            return Ok(LiftedExpression::all_of(differ).swapped().where_known(&Formula::all_of(known)));
        }
        let ranges = self.lift_term(range)?;
        let variable = self.new_variable();
        let entry = EntryVariables { key: None, value: Some(variable) };
        let is_collection = ranges.iter().any(|range| matches!(range.term, Term::Collect(_)));
        let other = if is_collection { self.new_variable() } else { variable };
        Ok(combine(items, &ranges, |item, range| {
            let compare = |relation| Formula::comparison_of(Term::Variable(variable), relation, item.clone());
            let body = LiftedExpression {
                holds: compare(TermRelation::NotEqual),
                fails: compare(TermRelation::Equal),
            };
            let (each, some) = quantify_entries(range, entry, &body, other);
            let known = Formula::is_defined(item.clone());
            (Formula::all_of([known.clone(), some]), Formula::all_of([known, each]))
        }))
    }
}

/// Condition under which an expression has a value.
pub(crate) fn has_value(terms: &[GuardedTerm]) -> Formula {
    let each = |it: &GuardedTerm| Formula::all_of([it.when.clone(), Formula::is_defined(it.term.clone())]);
    Formula::any_of(terms.iter().map(each))
}

/// The formulas of `all`. `other` is a new variable if a loop makes the list.
pub(crate) fn quantify_entries(
    range: &Term,
    entry: EntryVariables,
    body: &LiftedExpression,
    other: VariableId,
) -> (Formula, Formula) {
    match range {
        Term::Collect(_) => over_collection(range, entry, body, other),
        range => quantified(range, entry, body),
    }
}

/// The formulas of `all` over a list or map. `[]`, which `orValue([])` gives, has no entry.
fn quantified(range: &Term, entry: EntryVariables, body: &LiftedExpression) -> (Formula, Formula) {
    if matches!(range, Term::List(items) if items.is_empty()) {
        return (Formula::True, Formula::False);
    }
    let quantify =
        |holds: &Formula| Box::new(Quantification { range: range.clone(), entry, holds: holds.clone() });
    (Formula::Each(quantify(&body.holds)), Formula::Some(quantify(&body.fails)))
}

/// The formulas of `all` over a list that a loop makes: each entry is left out or passes. `other` is a new variable.
fn over_collection(
    range: &Term,
    entry: EntryVariables,
    body: &LiftedExpression,
    other: VariableId,
) -> (Formula, Formula) {
    let (each, some) = quantified(range, entry, body);
    let Term::Collect(collection) = range else { return (each, some) };
    // Entries of a filter are those of what it selects from; others keep the list as it is.
    let is_filter = collection.entry.value.map(Term::Variable) == Some(collection.result.clone())
        && collection.entry.key.is_none()
        && entry.key.is_none();
    if !is_filter || matches!(collection.range, Term::Collect(_)) {
        return (each, some);
    }
    let outer = collection.entry;
    let inner = rename(body, entry, outer);
    let holds = Formula::any_of([
        collection.left_out.clone(),
        Formula::all_of([collection.selected.clone(), inner.holds]),
    ]);
    let fails = Formula::all_of([collection.selected.clone(), inner.fails]);
    let quantify =
        |holds: Formula| Box::new(Quantification { range: collection.range.clone(), entry: outer, holds });
    // Loops with the same variables are the two sides of one condition, so a second condition has another.
    let sides = LiftedExpression { holds: collection.selected.clone(), fails: collection.left_out.clone() };
    let apart = EntryVariables { key: None, value: Some(other) };
    let holds_for_each = rename(&sides, outer, apart).is_decided();
    let decided = Formula::Each(Box::new(Quantification {
        range: collection.range.clone(),
        entry: apart,
        holds: holds_for_each,
    }));
    (Formula::Each(quantify(holds)), Formula::all_of([decided, Formula::Some(quantify(fails))]))
}

/// The same about another variable.
fn rename(body: &LiftedExpression, from: EntryVariables, to: EntryVariables) -> LiftedExpression {
    let (Some(from), Some(to)) = (from.value, to.value) else { return body.clone() };
    let replace = |formula: &Formula| crate::atoms::replace_variable(formula, from, &Term::Variable(to));
    LiftedExpression { holds: replace(&body.holds), fails: replace(&body.fails) }
}

/// The entries of a list or map for which a condition holds.
fn selection(range: Term, entry: EntryVariables, condition: LiftedExpression) -> Term {
    let variable = entry.value.or(entry.key);
    let result = variable.map_or(Term::Constant(Constant::Null), Term::Variable);
    let LiftedExpression { holds: selected, fails: left_out } = condition;
    Term::Collect(Box::new(Collection { range, entry, selected, left_out, result }))
}

/// The elements of a list that is written out, if none is optional.
pub(crate) fn literal_items(range: &Expr) -> Option<Vec<&Expr>> {
    match &range.kind {
        ExprKind::List(elements) if elements.iter().all(|element| !element.optional) => {
            Some(elements.iter().map(|element| &element.value).collect())
        }
        _ => None,
    }
}
