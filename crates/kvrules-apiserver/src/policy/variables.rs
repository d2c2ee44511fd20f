//! The variables of a policy: computed when first asked for, then kept for all expressions of the binding.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, LazyFields, Scope, evaluate_expression};
use kvrules_cel::kubernetes::RuntimeRegime;
use kvrules_cel::value::{ErrorKind, EvalError, Value};

use super::document::Variable;

/// Values of the names of a policy.
pub(super) struct PolicyVariables<'a> {
    fixed: BTreeMap<&'a str, (Value, ExpressionShape<'a>)>,
    variables: &'a [Variable],
    costs: RuntimeRegime,
    state: Mutex<VariableState>,
}

#[derive(Default)]
struct VariableState {
    /// `None` while it is being computed.
    known: BTreeMap<String, Option<Result<Value, EvalError>>>,
    /// Cost of variables since it was last taken.
    cost: u64,
}

impl<'a> PolicyVariables<'a> {
    pub(super) fn new(
        fixed: BTreeMap<&'a str, (Value, ExpressionShape<'a>)>,
        variables: &'a [Variable],
        costs: RuntimeRegime,
    ) -> Self {
        Self { fixed, variables, costs, state: Mutex::new(VariableState::default()) }
    }

    /// The scope of an expression; match conditions see no variables.
    pub(super) fn scope(&'a self, with_variables: bool) -> Scope<'a> {
        let lazy: Option<&(dyn LazyFields + Sync)> = if with_variables { Some(self) } else { None };
        Scope { variables: self.fixed.clone(), lazy, costs: self.costs }
    }

    /// Returns the cost of variables since the last call.
    // admission/plugin/cel/composition.go, GetAndResetCost
    pub(super) fn take_cost(&self) -> u64 {
        std::mem::take(&mut self.lock().cost)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VariableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // admission/plugin/cel/composition.go, variableAccessor.Callback
    fn compute_variable(&self, variable: &Variable) -> Result<Value, EvalError> {
        let name = &variable.name;
        let expression =
            variable.expression.parsed.as_ref().map_err(|error| EvalError::new(error.to_string()))?;
        let scope = Scope { variables: self.fixed.clone(), lazy: Some(self), costs: self.costs };
        let outcome = evaluate_expression(expression, &scope, CALL_LIMIT);
        let mut state = self.lock();
        state.cost = state.cost.saturating_add(outcome.cost);
        outcome.result.map_err(|error| {
            let message = format!("composited variable {name:?} fails to evaluate: {error}");
            let unsupported = error.kind == ErrorKind::Unsupported;
            EvalError { message, kind: if unsupported { error.kind } else { ErrorKind::Plain } }
        })
    }
}

impl LazyFields for PolicyVariables<'_> {
    fn field(&self, name: &str) -> Option<Result<Value, EvalError>> {
        // If two variables have the same name, the later one counts.
        let variable = self.variables.iter().rev().find(|variable| variable.name == name)?;
        match self.lock().known.get(name) {
            Some(Some(known)) => return Some(known.clone()),
            Some(None) => {
                return Some(Err(EvalError::unsupported_feature(format!(
                    "the variable `{name}` naming itself"
                ))));
            }
            None => {}
        }
        // The lock is released during the evaluation, which may read other variables.
        self.lock().known.insert(name.to_owned(), None);
        let computed = self.compute_variable(variable);
        self.lock().known.insert(name.to_owned(), Some(computed.clone()));
        Some(computed)
    }
}
