//! Calls: resolution of the function, order of the arguments, and cost.

use std::borrow::Cow;
use std::rc::Rc;

use super::{EvalResult, Evaluator, LocalBinding, attribute, cost, lib};
use crate::ast::{Expr, ExprKind, operators};
use crate::functions;
use crate::kubernetes::CelEngine;
use crate::value::{ErrorKind, EvalError, Value};

/// A call whose function is known.
pub(super) struct CallPlan<'a> {
    name: Cow<'a, str>,
    native: lib::Native,
    operands: Vec<&'a Expr>,
    compiled: bool,
    ambiguous: bool,
}

impl<'a> Evaluator<'a> {
    pub(super) fn eval_call(
        &mut self,
        expr: &'a Expr,
        function: &'a str,
        receiver: Option<&'a Expr>,
        args: &'a [Expr],
    ) -> EvalResult {
        match (function, args) {
            (operators::AND, [left, right]) => self.eval_logic(left, right, false),
            (operators::OR, [left, right]) => self.eval_logic(left, right, true),
            (operators::CONDITIONAL, _) => self.eval_attribute(expr),
            (name, _) if attribute::is_path_operator(name) => self.eval_attribute(expr),
            (operators::IN, [item, list]) => self.eval_in(expr, item, list),
            ("bind", [_, _, _]) if receiver.is_some() && self.scope.costs.engine == CelEngine::Kyverno => {
                self.eval_binding(expr)
            }
            ("or" | "orValue", [other]) if receiver.is_some() => {
                self.eval_or(receiver, other, function == "or")
            }
            _ => self.eval_function(expr, function, receiver, args),
        }
    }

    /// `&&` and `||`: the value that decides, from either side; else the first error.
    // cel-go interpreter/interpretable.go, evalAnd.Eval and evalOr.Eval
    fn eval_logic(&mut self, left: &'a Expr, right: &'a Expr, decides: bool) -> EvalResult {
        let mut failed = None;
        for side in [left, right] {
            match self.eval_node(side) {
                Ok(Value::Bool(value)) if value == decides => return Ok(Value::Bool(decides)),
                Ok(Value::Bool(_)) => {}
                Ok(_) => failed = failed.or(Some(EvalError::no_such_overload())),
                Err(error) if !error.is_absorbed() => return Err(error),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(Value::Bool(!decides)), Err)
    }

    /// `or` and `orValue`, which are free. The other side is evaluated only if the optional is empty. Any other value is the
    /// result, unless the server is newer.
    // cel-go cel/library.go, decorateOptionalOr: it puts in its place what is no call for the cost tracker; evalOptionalOrValue.Eval
    fn eval_or(&mut self, receiver: Option<&'a Expr>, other: &'a Expr, keep: bool) -> EvalResult {
        let Some(receiver) = receiver else { return Err(EvalError::no_such_overload()) };
        match self.eval_node(receiver)? {
            Value::Optional(Some(value)) if keep => Ok(Value::Optional(Some(value))),
            Value::Optional(Some(value)) => Ok((*value).clone()),
            Value::Optional(None) => self.eval_node(other),
            value if self.scope.costs.passes_plain_values => Ok(value),
            _ => Err(EvalError::no_such_overload()),
        }
    }

    /// `cel.bind(name, value, body)`: the value is computed when the body asks for it first, and an error of it is one of the body.
    // cel-go interpreter/planner.go, planComprehension, and evalFold.Eval: the accumulator is evaluated before the result
    fn eval_binding(&mut self, expr: &'a Expr) -> EvalResult {
        let Some((name, value, body)) = expr.as_binding() else {
            return Err(EvalError::no_such_overload());
        };
        let bound = self.eval_node(value);
        if matches!(&bound, Err(error) if !error.is_absorbed()) {
            return bound;
        }
        let shape = self.expression_shape(value);
        self.locals.push(LocalBinding { name, value: bound, shape });
        let result = self.eval_node(body);
        self.locals.pop();
        result
    }

    /// `in`: a constant list of scalars is a table that costs nothing to look into.
    // cel-go interpreter/decorators.go, maybeOptimizeSetMembership
    fn eval_in(&mut self, expr: &'a Expr, item: &'a Expr, list: &'a Expr) -> EvalResult {
        if let Some(Value::List(constant)) = self.folded_value(list) {
            if constant.items.is_empty() {
                return Ok(Value::Bool(false));
            }
            if constant.items.iter().all(is_scalar) {
                let item = match self.eval_node(item) {
                    // cel-go v0.12 interpreter/interpretable.go, evalSetMembership.Eval: no list contains an error
                    Err(error) if error.is_absorbed() && !self.scope.costs.keeps_membership_errors => {
                        return Ok(Value::Bool(false));
                    }
                    item => item?,
                };
                return constant.contains(&item).map(Value::Bool);
            }
        }
        let ExprKind::Call { args, .. } = &expr.kind else { return Err(EvalError::no_such_overload()) };
        self.eval_function(expr, operators::IN, None, args)
    }

    // cel-go interpreter/interpretable.go, evalUnary.Eval, evalBinary.Eval and evalVarArgs.Eval
    fn eval_function(
        &mut self,
        expr: &'a Expr,
        function: &'a str,
        receiver: Option<&'a Expr>,
        args: &'a [Expr],
    ) -> EvalResult {
        let plan = self.plan_call(expr, function, receiver, args)?;
        let mut values = Vec::with_capacity(plan.operands.len());
        for operand in &plan.operands {
            let value = self.eval_node(operand);
            if matches!(&value, Err(error) if !error.is_absorbed()) {
                return value;
            }
            // With three or more operands, the first error ends the call, which then has no cost.
            if (plan.operands.len() >= 3 || plan.compiled) && value.is_err() {
                return value;
            }
            values.push(value);
        }
        if !plan.ambiguous {
            lib::lists::check_arguments(&plan.name, &values)?;
        }
        if let Some(error) = self.older_problem(&plan, &values) {
            return Err(error);
        }
        let result = match self.lost_type(&plan.name, &plan.operands, &values) {
            Some(error) => Err(error),
            None => self
                .zero_of_sum(&plan.name, &plan.operands, &values)
                .unwrap_or_else(|| self.apply_plan(&plan, &values)),
        };
        if matches!(&result, Err(error) if !error.is_absorbed()) {
            return result;
        }
        self.charge(cost::call_cost(&plan.name, &values, &result, plan.ambiguous, self.scope.costs))?;
        result
    }

    /// An error of older servers that ends the evaluation.
    // apiserver v0.26 pkg/cel/library/strings of cel-go v0.12, join: it converts the values of the list without asking them
    fn older_problem(&self, plan: &CallPlan<'a>, values: &[EvalResult]) -> Option<EvalError> {
        let [list, ..] = plan.operands.as_slice() else { return None };
        let is_list = matches!(values.first(), Some(Ok(Value::List(_))));
        let fails = !self.scope.costs.joins_object_lists && plan.name == "join" && is_list;
        let is_of_object = || matches!(self.expression_shape(list), super::ExpressionShape::Schema(_));
        (fails && is_of_object()).then(|| {
            EvalError::internal_error("interface conversion: interface {} is []interface {}, not []string")
        })
    }

    fn apply_plan(&self, plan: &CallPlan<'a>, values: &[EvalResult]) -> EvalResult {
        if plan.name == "containsCIDR" && !self.scope.costs.masks_contained_networks {
            return apply_native(lib::network::contains_unmasked_cidr, &plan.name, values);
        }
        apply_native(plan.native, &plan.name, values)
    }

    /// Returns the plan of a call: the parts that are the same at every evaluation.
    fn plan_call(
        &mut self,
        expr: &'a Expr,
        function: &'a str,
        receiver: Option<&'a Expr>,
        args: &'a [Expr],
    ) -> Result<Rc<CallPlan<'a>>, EvalError> {
        if let Some(plan) = self.plans.get(&expr.id) {
            return Ok(Rc::clone(plan));
        }
        let (name, operands) = self.resolve_target(function, receiver, args);
        let member = operands.len() > args.len();
        let native = find_native(&name, member);
        let native =
            native.ok_or_else(|| EvalError::unsupported_feature(format!("the function `{name}`")))?;
        let compiled = self.has_compiled_pattern(&name, &operands);
        let ambiguous = self.is_ambiguous(&name, &operands);
        let plan = Rc::new(CallPlan { name, native, operands, compiled, ambiguous });
        self.plans.insert(expr.id, Rc::clone(&plan));
        Ok(plan)
    }

    /// The compiler loses the element type of an optional in a policy's variable, and chooses the conversion for
    /// another type: of strings for `value()`, of the alternative's type for `orValue(…)`.
    fn lost_type(&self, name: &str, operands: &[&'a Expr], values: &[EvalResult]) -> Option<EvalError> {
        let ([operand], [Ok(value)], "string") = (operands, values, name) else { return None };
        let ExprKind::Call { function, receiver: Some(receiver), args } = &operand.kind else { return None };
        let ExprKind::Select { operand: root, .. } = &receiver.kind else { return None };
        let of_variable =
            self.scope.lazy.is_some() && matches!(&root.kind, ExprKind::Ident(it) if it == "variables");
        let chosen = match (function.as_str(), args.as_slice()) {
            ("value", []) => "string".to_owned(),
            ("orValue", [Expr { kind: ExprKind::Literal(other), .. }]) => {
                super::literal_value(other).type_name().to_owned()
            }
            _ => return None,
        };
        let message = format!("no such overload: string({})", value.type_name());
        (of_variable && value.type_name() != chosen)
            .then_some(EvalError { message, kind: ErrorKind::Overload })
    }

    /// True if the server has compiled the pattern beforehand; it then evaluates the call differently.
    fn has_compiled_pattern(&mut self, name: &str, operands: &[&'a Expr]) -> bool {
        let patterns = matches!(name, "matches" | "find" | "findAll");
        patterns && operands.get(1).is_some_and(|pattern| self.folded_value(pattern).is_some())
    }

    /// True if a name is the front part of functions of the engine, and not that of a loop's variable.
    fn is_of_engine(&self, namespace: &str) -> bool {
        self.scope.costs.engine == CelEngine::Kyverno
            && !self.locals.iter().any(|local| local.name == namespace)
    }

    /// The function's whole name, and its operands with the receiver first; a namespace is not a receiver.
    // cel-go interpreter/planner.go, resolveFunction
    fn resolve_target(
        &self,
        function: &'a str,
        receiver: Option<&'a Expr>,
        args: &'a [Expr],
    ) -> (Cow<'a, str>, Vec<&'a Expr>) {
        let Some(receiver) = receiver else {
            return (function.trim_start_matches('.').into(), args.iter().collect());
        };
        // Rules have no namespace of their variables' names.
        let is_variable = matches!(root_name(receiver), None | Some("self" | "oldSelf"));
        if let Some(namespace) = (!is_variable).then(|| receiver.qualified_name()).flatten() {
            let name = format!("{namespace}.{function}");
            if functions::kyverno::is_namespaced_function(&name) && self.is_of_engine(&namespace) {
                return (name.into(), args.iter().collect());
            }
            if functions::find_overloads(&name, false).next().is_some() {
                return (name.into(), args.iter().collect());
            }
        }
        (function.into(), std::iter::once(receiver).chain(args).collect())
    }
}

/// The name at the beginning of a chain of fields.
fn root_name(mut expr: &Expr) -> Option<&str> {
    while let ExprKind::Select { operand, .. } = &expr.kind {
        expr = operand;
    }
    if let ExprKind::Ident(name) = &expr.kind { Some(name) } else { None }
}

fn find_native(name: &str, member: bool) -> Option<lib::Native> {
    lib::operators::find(name).or_else(|| lib::find_library_function(name, member))
}

pub(super) fn apply_native(native: lib::Native, name: &str, args: &[EvalResult]) -> EvalResult {
    let values: Vec<Value> = args.iter().cloned().collect::<Result<_, _>>()?;
    native(&values).map_err(|error| match error.kind {
        ErrorKind::Overload if lib::names_arguments(name) => {
            let types: Vec<&str> = values.iter().map(Value::type_name).collect();
            let message = format!("{}: {name}({})", error.message, types.join(", "));
            EvalError { message, kind: ErrorKind::Overload }
        }
        _ => error,
    })
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_))
}
