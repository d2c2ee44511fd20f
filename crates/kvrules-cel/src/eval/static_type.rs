//! Evaluation that depends on the static type of an operand: the sum of an empty list.

use super::{EvalResult, Evaluator, ExpressionShape};
use crate::ast::Expr;
use crate::check::{TypeEnvironment, type_of_part};
use crate::stack::with_room;
use crate::types::{Type, declare_named};
use crate::value::Value;

impl<'a> Evaluator<'a> {
    /// The sum of an empty list: the zero of its element type, and of a list of unknown type that of the first overload.
    // apiserver pkg/cel/library/lists.go, zeroValuesOfSummableTypes
    pub(super) fn zero_of_sum(
        &self,
        name: &str,
        operands: &[&'a Expr],
        values: &[EvalResult],
    ) -> Option<EvalResult> {
        let ("sum", [list], [Ok(Value::List(values))]) = (name, operands, values) else { return None };
        values.items.is_empty().then(|| Ok(self.zero_value(list)))
    }

    fn zero_value(&self, list: &Expr) -> Value {
        let Type::List(element) = self.static_type(list) else { return Value::Int(0) };
        match element.as_ref() {
            Type::Double => Value::Double(0.0),
            Type::Uint => Value::Uint(0),
            Type::Duration => Value::Duration(0),
            _ => Value::Int(0),
        }
    }

    /// The type of a part of the expression, as far as the schemas of its variables are known.
    // The type is inferred again, because few expressions need it and the check does not keep types.
    fn static_type(&self, expr: &Expr) -> Type {
        let mut env = TypeEnvironment::new();
        for (name, (value, shape)) in &self.scope.variables {
            env = declare_variable(env, name, *shape, matches!(value, Value::Optional(_)));
        }
        for local in &self.locals {
            env = declare_variable(env, local.name, local.shape, false);
        }
        with_room(self.depth.saturating_mul(2), || type_of_part(expr, &env)).unwrap_or(Type::Dyn)
    }
}

fn declare_variable(
    env: TypeEnvironment,
    name: &str,
    shape: ExpressionShape<'_>,
    is_optional: bool,
) -> TypeEnvironment {
    let ExpressionShape::Schema(schema) = shape else { return env.with_variable(name, Type::Dyn) };
    let Some(decl) = declare_named(schema, &format!("{name}Type")) else {
        return env.with_variable(name, Type::Dyn);
    };
    let ty = if is_optional { Type::optional_of(decl.ty.clone()) } else { decl.ty.clone() };
    env.with_variable(name, ty).with_declaration(&decl)
}
