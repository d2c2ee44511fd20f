//! Evaluates what the server computes when it makes a program of an expression, and rejects the expression if it fails:
//! conversions of constants, constant patterns, and constant keys that can be no key.

use super::{Evaluator, ExpressionShape, LocalBinding, attribute, call};
use crate::ast::{Comprehension, Expr, ExprKind, operators};
use crate::value::{EvalError, Value};

impl<'a> Evaluator<'a> {
    /// Makes the program of a node and of those below it, operands first.
    // cel-go interpreter/planner.go, Plan; interpreter/decorators.go, decOptimize and decRegexOptimizer
    pub(super) fn check_constants(&mut self, expr: &'a Expr) -> Result<(), String> {
        match &expr.kind {
            ExprKind::Comprehension(it) => self.instantiate_loop(it),
            ExprKind::OptMap { target, var, body, .. } => {
                self.check_constants(target)?;
                self.with_names(&[var], |machine| machine.check_constants(body))
            }
            ExprKind::SortBy { range, var, key } => {
                self.check_constants(range)?;
                self.with_names(&[var], |machine| machine.check_constants(key))
            }
            kind => {
                for child in kind.children() {
                    self.check_constants(child)?;
                }
                self.instantiate_map(expr)?;
                self.instantiate_call(expr)
            }
        }
    }

    fn instantiate_loop(&mut self, it: &'a Comprehension) -> Result<(), String> {
        self.check_constants(&it.range)?;
        let names: Vec<&'a str> = it.variable_names().collect();
        self.with_names(&names, |machine| {
            it.condition.iter().chain([&it.body]).try_for_each(|part| machine.check_constants(part))
        })
    }

    fn with_names(
        &mut self,
        names: &[&'a str],
        work: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        let depth = self.locals.len();
        let local = |name| LocalBinding { name, value: Ok(Value::Null), shape: ExpressionShape::Known };
        self.locals.extend(names.iter().map(|name| local(*name)));
        let result = work(self);
        self.locals.truncate(depth);
        result
    }

    /// A map of constants is made at once, and nothing recovers a panic of that.
    // cel-go interpreter/decorators.go, maybeBuildMapLiteral
    fn instantiate_map(&mut self, expr: &'a Expr) -> Result<(), String> {
        let ExprKind::Map(entries) = &expr.kind else { return Ok(()) };
        let mut has_bytes = false;
        for entry in entries {
            let (key, value) = (self.folded_value(&entry.key), self.folded_value(&entry.value));
            let (Some(key), Some(_)) = (key, value) else { return Ok(()) };
            has_bytes |= matches!(key, Value::Bytes(_));
        }
        if has_bytes { Err(super::UNHASHABLE.to_owned()) } else { Ok(()) }
    }

    // cel-go interpreter/planner.go, planCallIndex; interpreter/decorators.go, maybeOptimizeConstUnary
    fn instantiate_call(&mut self, expr: &'a Expr) -> Result<(), String> {
        let ExprKind::Call { function, receiver, args } = &expr.kind else { return Ok(()) };
        match (function.as_str(), receiver.as_deref(), args.as_slice()) {
            (operators::INDEX | operators::OPT_INDEX, None, [_, key]) => match self.folded_value(key) {
                Some(key) => attribute::qualifier_problem(&key).map_or(Ok(()), Err),
                None => Ok(()),
            },
            ("matches" | "find" | "findAll", Some(_), [pattern, ..]) | ("matches", None, [_, pattern]) => {
                match self.folded_value(pattern) {
                    Some(Value::String(pattern)) => {
                        kvrules_regex::parse(&pattern).map(|_| ()).map_err(|error| error.go_text())
                    }
                    _ => Ok(()),
                }
            }
            (name, None, [argument]) if Self::is_conversion(name) => match self.folded_value(argument) {
                Some(argument) => {
                    Self::convert_constant(name, argument).map(|_| ()).map_err(|error| error.message)
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// A conversion of a constant.
    pub(super) fn convert_constant(name: &str, argument: Value) -> Result<Value, EvalError> {
        let native =
            super::lib::find_library_function(name, false).ok_or_else(EvalError::no_such_overload)?;
        call::apply_native(native, name, &[Ok(argument)])
    }
}
