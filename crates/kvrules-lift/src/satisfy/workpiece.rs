//! The value that is being changed, and what formulas say about it as it is.

use kvrules_cel::value::{Value, from_schema};
use kvrules_generate::{PseudoRandom, ValueStep, find_part, schema_of_part};
use kvrules_ir::{EntryVariables, Formula, Term, VariableId};
use serde_json::Value as Json;

use crate::evaluate::{FormulaScope, Operations};

/// Number of nodes of a formula that are evaluated in one step.
const NODES: usize = 32;

/// The meaning of a variable of a formula.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// The part at the end of a way.
    Part(Vec<ValueStep>),
    /// The last step of a way: a key or an index.
    Key(Vec<ValueStep>),
}

/// A value that is changed for a formula.
pub(super) struct Workpiece<'a> {
    pub(super) schema: &'a Json,
    pub(super) value: Json,
    pub(super) chance: PseudoRandom,
    old: Option<&'a Json>,
    bindings: Vec<(VariableId, Binding)>,
    operations: &'a Operations,
    /// The values that formulas are evaluated with, unless the value was changed since.
    pub(super) scope: Option<FormulaScope>,
    /// Number of steps that are left.
    pub(super) work: usize,
}

impl<'a> Workpiece<'a> {
    pub(super) fn new(
        schema: &'a Json,
        value: Json,
        old: Option<&'a Json>,
        operations: &'a Operations,
        (chance, work): (PseudoRandom, usize),
    ) -> Self {
        Self { schema, value, chance, old, bindings: Vec::new(), operations, scope: None, work }
    }

    /// Counts a step. False if no more are left.
    pub(super) fn may_work(&mut self) -> bool {
        self.work = self.work.saturating_sub(1);
        self.work > 0
    }

    pub(super) fn holds(&mut self, formula: &Formula) -> bool {
        self.work = self.work.saturating_sub(steps_of(formula));
        self.scope().formula_holds(formula)
    }

    pub(super) fn value_of(&mut self, term: &Term) -> Option<Value> {
        self.work = self.work.saturating_sub(1);
        self.scope().value_of(term)
    }

    /// Puts a changed value in place.
    pub(super) fn replace_value(&mut self, value: Json) {
        self.value = value;
        self.scope = None;
    }

    /// Runs something with the variables of an entry bound to one at the end of a way.
    pub(super) fn with_entry<T>(
        &mut self,
        names: EntryVariables,
        way: &[ValueStep],
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let known = self.bindings.len();
        let part = names.value.map(|name| (name, Binding::Part(way.to_vec())));
        let key = names.key.map(|name| (name, Binding::Key(way.to_vec())));
        self.bindings.extend(part.into_iter().chain(key));
        self.scope = None;
        let result = run(self);
        self.bindings.truncate(known);
        self.scope = None;
        result
    }

    pub(super) fn binding(&self, variable: VariableId) -> Option<&Binding> {
        self.bindings.iter().rev().find(|(name, _)| *name == variable).map(|(_, binding)| binding)
    }

    /// Lets the bindings of a renamed key follow.
    pub(super) fn rename_ways(&mut self, old: &[ValueStep], new: &ValueStep) {
        let Some(last) = old.len().checked_sub(1) else { return };
        for (_, binding) in &mut self.bindings {
            let (Binding::Part(way) | Binding::Key(way)) = binding;
            if way.starts_with(old)
                && let Some(step) = way.get_mut(last)
            {
                *step = new.clone();
            }
        }
    }

    /// Takes a change back that came to nothing.
    pub(super) fn attempt(&mut self, change: impl FnOnce(&mut Self) -> bool) -> bool {
        let (value, bindings) = (self.value.clone(), self.bindings.clone());
        let is_done = change(self);
        if !is_done {
            self.replace_value(value);
            self.bindings = bindings;
        }
        is_done
    }

    fn scope(&mut self) -> &FormulaScope {
        let scope = self.scope.take().unwrap_or_else(|| self.make_scope());
        self.scope.insert(scope)
    }

    fn make_scope(&self) -> FormulaScope {
        let own = from_schema(&self.value, self.schema);
        let mut scope = FormulaScope::sharing(self.operations).with_root("self", own);
        if let Some(old) = self.old {
            scope = scope.with_root("oldSelf", from_schema(old, self.schema));
        }
        for (name, binding) in &self.bindings {
            let value = match binding {
                Binding::Part(way) => find_part(&self.value, way)
                    .zip(schema_of_part(self.schema, way))
                    .map(|(part, node)| from_schema(part, node)),
                Binding::Key(way) => way.last().map(key_value),
            };
            if let Some(value) = value {
                scope.bind_variable(*name, value);
            }
        }
        scope
    }
}

/// Number of steps that evaluating a formula counts as.
pub(super) fn steps_of(formula: &Formula) -> usize {
    1 + formula.node_count() / NODES
}

fn key_value(step: &ValueStep) -> Value {
    match step {
        ValueStep::Name(name) => Value::string(name.as_str()),
        ValueStep::Index(index) => Value::Int(i64::try_from(*index).unwrap_or(i64::MAX)),
    }
}
