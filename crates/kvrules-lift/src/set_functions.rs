//! Functions of the sets library, as the loops that older servers have in their place.

use kvrules_cel::ast::Expr;
use kvrules_cel::types::Type;
use kvrules_ir::{EntryVariables, Formula, Term};

use crate::loops::{has_value, literal_items, quantify_entries};
use crate::opaque::Opaque;
use crate::state::{GuardedTerm, LiftedExpression, Lifter};

type Lifted = Result<LiftedExpression, Opaque>;

impl Lifter<'_> {
    /// `sets.contains`, `sets.intersects` and `sets.equivalent`; `None` for another function.
    // cel-go ext/sets.go, setsContains, setsIntersects and setsEquivalent
    pub(crate) fn lift_set_function(&mut self, function: &str, args: &[Expr]) -> Option<Lifted> {
        let [left, right] = args else { return None };
        let is_list = |expr: &Expr| matches!(self.type_of(expr), Some(Type::List(_)));
        if !is_list(left) || !is_list(right) {
            return None;
        }
        match function {
            "contains" => Some(self.lift_members(right, left, true)),
            "intersects" => Some(self.lift_members(left, right, false)),
            "equivalent" => {
                let contained = self.lift_members(left, right, true);
                Some(contained.and_then(|it| Ok(it.and(self.lift_members(right, left, true)?))))
            }
            _ => None,
        }
    }

    /// `items.all(item, item in range)`, or `exists`. An error of either list is one, also if the other is empty.
    fn lift_members(&mut self, items: &Expr, range: &Expr, is_all: bool) -> Lifted {
        let lists = [self.lift_list(items)?, self.lift_list(range)?];
        let known = Formula::all_of(lists);
        let lifted = match literal_items(items) {
            Some(elements) => {
                let mut bodies = Vec::new();
                for element in elements {
                    let element = self.lift_term(element)?;
                    let body = self.lift_list_membership(&element, range)?;
                    bodies.push(if is_all { body } else { body.swapped() });
                }
                LiftedExpression::all_of(bodies)
            }
            None => self.lift_each_member(items, range, is_all)?,
        };
        let lifted = if is_all { lifted } else { lifted.swapped() };
        Ok(lifted.where_known(&known))
    }

    /// The formulas of `all` over a list that is not written out.
    fn lift_each_member(&mut self, items: &Expr, range: &Expr, is_all: bool) -> Lifted {
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        for list in self.lift_term(items)? {
            let variable = self.new_variable();
            self.note_entries(variable, &list.term);
            let item = [GuardedTerm::always(Term::Variable(variable))];
            let body = self.lift_list_membership(&item, range)?;
            let body = if is_all { body } else { body.swapped() };
            let entry = EntryVariables { key: None, value: Some(variable) };
            let other = self.collection_variable(&list.term);
            let (each, some) = quantify_entries(&list.term, entry, &body, other);
            holds.push(Formula::all_of([list.when.clone(), each]));
            fails.push(Formula::all_of([list.when, some]));
        }
        Ok(LiftedExpression { holds: Formula::any_of(holds), fails: Formula::any_of(fails) })
    }

    /// The condition under which a list has a value.
    fn lift_list(&mut self, list: &Expr) -> Result<Formula, Opaque> {
        let Some(elements) = literal_items(list) else { return Ok(has_value(&self.lift_term(list)?)) };
        let mut known = Vec::new();
        for element in elements {
            known.push(has_value(&self.lift_term(element)?));
        }
        Ok(Formula::all_of(known))
    }
}
