//! Selections, indices and names: paths of steps from a base, as the server resolves and charges them.

use std::sync::Arc;

use super::{EvalResult, Evaluator, LazyFields};
use crate::ast::{Expr, ExprKind, Literal, operators};
use crate::value::{AuthorizationKind, EvalError, Key, Value};

/// One step of a path.
#[derive(Clone, Copy)]
enum AccessStep<'a> {
    Field { name: &'a str, optional: bool },
    Index { key: &'a Expr, optional: bool },
    Test { name: &'a str },
}

/// Start of a path.
enum AccessBase<'a> {
    Name(&'a str),
    /// The condition and its branches.
    Choice(&'a [Expr]),
    Other(&'a Expr),
}

impl<'a> Evaluator<'a> {
    /// A path as an expression of its own: its steps and one more, unless it starts from a choice or is a test.
    // cel-go interpreter/runtimecost.go, CostObserver: a choice has no cost, and that of a presence test is taken back
    pub(super) fn eval_attribute(&mut self, expr: &'a Expr) -> EvalResult {
        let (base, steps) = access_path(expr);
        let result = self.resolve_path(&base, &steps);
        let is_test = matches!(expr.kind, ExprKind::Has { .. })
            && (result.is_ok() || self.scope.costs.takes_back_failed_tests);
        let free = is_test || matches!(base, AccessBase::Choice(_));
        if matches!(&result, Err(error) if !error.is_absorbed()) {
            return result;
        }
        self.charge(u64::from(!free))?;
        result
    }

    // cel-go interpreter/attributes.go, relativeAttribute.Resolve and conditionalAttribute.Resolve
    fn resolve_path(&mut self, base: &AccessBase<'a>, steps: &[AccessStep<'a>]) -> EvalResult {
        match base {
            AccessBase::Name(name) => self.name(name, steps),
            AccessBase::Other(operand) => {
                let value = self.eval_node(operand)?;
                self.walk_steps(value, steps)
            }
            AccessBase::Choice(parts) => {
                let [condition, yes, no] = parts else { return Err(EvalError::no_such_overload()) };
                match self.eval_node(condition)? {
                    Value::Bool(true) => self.resolve_branch(yes, steps),
                    Value::Bool(false) => self.resolve_branch(no, steps),
                    _ => Err(EvalError::no_such_overload()),
                }
            }
        }
    }

    /// A branch that is a path itself costs only its steps.
    // cel-go interpreter/planner.go, planCallConditional: a branch that is an attribute itself is resolved and not evaluated
    fn resolve_branch(&mut self, expr: &'a Expr, after: &[AccessStep<'a>]) -> EvalResult {
        if let Some(constant) = self.folded_value(expr) {
            return self.walk_steps(constant, after);
        }
        if !is_path(expr) {
            let value = self.eval_node(expr)?;
            return self.walk_steps(value, after);
        }
        let (base, mut steps) = access_path(expr);
        steps.extend(after);
        self.resolve_path(&base, &steps)
    }

    // cel-go interpreter/attributes.go, absoluteAttribute.Resolve
    fn name(&mut self, name: &'a str, steps: &[AccessStep<'a>]) -> EvalResult {
        if let Some(local) = self.locals.iter().rev().find(|local| local.name == name) {
            let value = local.value.clone()?;
            return self.walk_steps(value, steps);
        }
        if name == "variables"
            && let Some(lazy) = self.scope.lazy
        {
            return self.resolve_policy_variable(lazy, steps);
        }
        let variable = self.scope.variables.get(name.trim_start_matches('.'));
        let missing = || match name {
            "authorizer" => Value::Unknown("authorizer").into_result().err(),
            _ => None,
        };
        let (value, _) = variable.ok_or_else(|| {
            missing().unwrap_or_else(|| EvalError::new(format!("no such attribute(s): {name}")))
        })?;
        self.walk_steps(value.clone(), steps)
    }

    /// A variable of a policy. It is computed even if only its presence is tested, so its error is an error there
    /// as well (attributes.go, refQualify).
    fn resolve_policy_variable(&mut self, lazy: &dyn LazyFields, steps: &[AccessStep<'a>]) -> EvalResult {
        let (name, optional, rest) = match steps.split_first() {
            Some((AccessStep::Field { name, optional }, rest)) => (*name, *optional, rest),
            Some((AccessStep::Test { name }, _)) => {
                let found = lazy.field(name);
                self.charge(1)?;
                return found.transpose().map(|value| Value::Bool(value.is_some()));
            }
            _ => return Err(EvalError::unsupported_feature("`variables` without a field")),
        };
        let value = lazy.field(name).unwrap_or_else(|| Err(EvalError::no_such_key(name)));
        self.charge(1)?;
        self.walk_optional_steps(value?, rest, optional)
    }

    /// Walks the steps from a base, whose own optional is opened first.
    // cel-go interpreter/attributes.go, applyQualifiers: an optional base makes every step optional
    fn walk_steps(&mut self, base: Value, steps: &[AccessStep<'a>]) -> EvalResult {
        match base {
            Value::Optional(_) if steps.is_empty() => Ok(base),
            Value::Optional(None) if matches!(steps.last(), Some(AccessStep::Test { .. })) => {
                Ok(Value::Bool(false))
            }
            Value::Optional(None) => Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => self.walk_optional_steps((*inner).clone(), steps, true),
            base => self.walk_optional_steps(base, steps, false),
        }
    }

    /// Walks the steps from a value. In the middle of a path, an optional is not unwrapped: its fields are absent.
    // cel-go interpreter/attributes.go, applyQualifiers: an optional is never wrapped twice
    fn walk_optional_steps(
        &mut self,
        base: Value,
        steps: &[AccessStep<'a>],
        mut optional: bool,
    ) -> EvalResult {
        let mut value = base.into_result()?;
        for step in steps {
            if let AccessStep::Test { name } = step {
                return self.test_presence(&value, name, optional);
            }
            optional |= matches!(
                step,
                AccessStep::Field { optional: true, .. } | AccessStep::Index { optional: true, .. }
            );
            match self.apply_step(&value, *step, optional)? {
                Some(next) => value = next,
                // Testing a field of an empty optional returns false.
                None if matches!(steps.last(), Some(AccessStep::Test { .. })) => {
                    return Ok(Value::Bool(false));
                }
                None => return Ok(Value::Optional(None)),
            }
        }
        Ok(if optional { Value::optional_of(value) } else { value })
    }

    /// The step of `has()`, always the last; inside of an optional what is absent costs nothing.
    // cel-go interpreter/interpretable.go, testOnlyQualifier
    fn test_presence(&mut self, value: &Value, name: &str, optional: bool) -> EvalResult {
        let present = get_field(value, name).map(|found| found.is_some());
        if !optional || present != Ok(false) {
            self.charge(1)?;
        }
        present.map(Value::Bool)
    }

    /// One step; `None` when it is optional and leads nowhere.
    // cel-go interpreter/interpretable.go, evalWatchConstQual.QualifyIfPresent: an absent step is not observed, so it is free
    fn apply_step(
        &mut self,
        value: &Value,
        step: AccessStep<'a>,
        optional: bool,
    ) -> Result<Option<Value>, EvalError> {
        let (found, key) = match step {
            AccessStep::Field { name, .. } | AccessStep::Test { name } => {
                (get_field(value, name), Value::from(name))
            }
            AccessStep::Index { key, .. } => match self.index_key(key) {
                Ok(key) => (get_element(value, &key), key),
                Err(error) => {
                    self.charge(1)?;
                    return Err(error);
                }
            },
        };
        if optional && matches!(found, Ok(None)) {
            return Ok(None);
        }
        self.charge(1)?;
        match found? {
            Some(found) => Ok(Some(found)),
            None if matches!(value, Value::List(_)) => {
                Err(EvalError::new(format!("index out of bounds: {}", super::lib::display(&key))))
            }
            None => Err(EvalError::no_such_key(super::lib::display(&key))),
        }
    }

    /// The key of an index; when it is a path, without the charge for being an expression.
    // cel-go interpreter/attributes.go, attrQualify
    fn index_key(&mut self, key: &'a Expr) -> EvalResult {
        if let Some(constant) = self.folded_value(key) {
            return Ok(constant);
        }
        if is_path(key) {
            let (base, steps) = access_path(key);
            return self.resolve_path(&base, &steps);
        }
        self.eval_node(key)
    }
}

/// Returns the error of a constant that is not a valid key or index, whatever it is looked up in.
// cel-go interpreter/attributes.go, newQualifier
pub(super) fn qualifier_problem(key: &Value) -> Option<String> {
    let ty = match key {
        Value::Null => "types.Null",
        Value::Bytes(_) => "types.Bytes",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Duration(_) => "types.Duration",
        Value::Type(_) => "*types.Type",
        Value::List(_) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        _ => return None,
    };
    Some(format!("invalid qualifier type: {ty}"))
}

/// True if the server treats a node as a path.
// cel-go interpreter/planner.go, planIdent, planSelect, planCallIndex and planCallConditional
fn is_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Ident(_) | ExprKind::Select { .. } => true,
        ExprKind::Call { function, .. } => is_path_operator(function) || function == operators::CONDITIONAL,
        _ => false,
    }
}

/// True if an operator is a step of a path.
pub(super) fn is_path_operator(function: &str) -> bool {
    matches!(function, operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT)
}

fn access_path(expr: &Expr) -> (AccessBase<'_>, Vec<AccessStep<'_>>) {
    let mut steps = Vec::new();
    let mut at = expr;
    let base = loop {
        match &at.kind {
            ExprKind::Ident(name) => break AccessBase::Name(name),
            ExprKind::Select { operand, field } => {
                steps.push(AccessStep::Field { name: field, optional: false });
                at = operand;
            }
            ExprKind::Has { operand, field, .. } if std::ptr::eq(at, expr) => {
                steps.push(AccessStep::Test { name: field });
                at = operand;
            }
            ExprKind::Call { function, args, receiver: None } => match (function.as_str(), args.as_slice()) {
                (operators::INDEX, [operand, key]) => {
                    steps.push(AccessStep::Index { key, optional: false });
                    at = operand;
                }
                (operators::OPT_INDEX, [operand, key]) => {
                    steps.push(AccessStep::Index { key, optional: true });
                    at = operand;
                }
                (operators::OPT_SELECT, [operand, field]) => {
                    let ExprKind::Literal(Literal::String(name)) = &field.kind else {
                        break AccessBase::Other(at);
                    };
                    steps.push(AccessStep::Field { name, optional: true });
                    at = operand;
                }
                (operators::CONDITIONAL, parts) => break AccessBase::Choice(parts),
                _ => break AccessBase::Other(at),
            },
            _ => break AccessBase::Other(at),
        }
    };
    steps.reverse();
    (base, steps)
}

/// A field of an object, by its escaped name, or of a map.
// cel-go interpreter/attributes.go, refQualify: of a value without parts every key is missing
fn get_field(value: &Value, name: &str) -> Result<Option<Value>, EvalError> {
    let found = match value {
        Value::Object(object) => object.find(name).cloned(),
        Value::Map(map) => map.get(&Key::String(name.into())).cloned(),
        // A variable of its own, with a dot in its name (admission/plugin/cel/activation.go, ResolveName).
        Value::Authorization(it) if it.kind == AuthorizationKind::Authorizer && name == "requestResource" => {
            Some(Value::Authorization(Arc::new(it.request_check())))
        }
        Value::List(_) => return Err(EvalError::new("unsupported index type 'string' in list")),
        Value::Invalid(_) | Value::Unknown(_) => return value.clone().into_result().map(Some),
        _ => None,
    };
    found.map(Value::into_result).transpose()
}

/// An element of a list or the value of a map's key.
// cel-go interpreter/attributes.go, refQualify; common/types, IndexOrError: a double with an integer value is an index
pub(super) fn get_element(value: &Value, key: &Value) -> Result<Option<Value>, EvalError> {
    let found = match value {
        Value::List(list) => {
            let Some(position) = key.integer() else {
                let message = format!("unsupported index type '{}' in list", key.type_name());
                return Err(EvalError::new(message));
            };
            usize::try_from(position).ok().and_then(|position| list.items.get(position)).cloned()
        }
        Value::Map(map) => map.find(key)?.cloned(),
        Value::Object(object) => object.find_key(key)?.cloned(),
        Value::Invalid(_) | Value::Unknown(_) => return value.clone().into_result().map(Some),
        _ => None,
    };
    found.map(Value::into_result).transpose()
}
