//! Knowledge of a type before evaluation: just enough to recognise what the compiler could not know.

use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

use super::Evaluator;
use crate::ast::{Comprehension, Expr, ExprKind, operators};
use crate::functions::{self, SignatureType};
use crate::types::keyword_value;

/// Knowledge of the type of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub enum ExpressionShape<'a> {
    /// Nothing: `dyn`.
    Dyn,
    /// The type of a schema.
    Schema(&'a Json),
    /// A type that does not matter here.
    #[default]
    Known,
}

impl<'a> ExpressionShape<'a> {
    /// True if the type is unknown.
    pub(super) fn is_dyn(self) -> bool {
        match self {
            Self::Dyn => true,
            Self::Schema(schema) => {
                keyword_value(schema, INT_OR_STRING).and_then(Json::as_bool) == Some(true)
                    || keyword_value(schema, "type").is_none()
            }
            Self::Known => false,
        }
    }

    fn child(self, find: impl FnOnce(&'a Json) -> Option<&'a Json>) -> Self {
        match self {
            Self::Schema(schema) => find(schema).map_or(Self::Known, Self::Schema),
            other => other,
        }
    }

    fn field(self, name: &str) -> Self {
        self.child(|schema| {
            let name = crate::types::unescape_property(name)?;
            let properties = keyword_value(schema, "properties").and_then(|it| it.get(&name));
            properties.or_else(|| keyword_value(schema, "additionalProperties"))
        })
    }

    /// The elements of a list.
    pub(super) fn element(self) -> Self {
        self.child(|schema| keyword_value(schema, "items"))
    }

    /// The values of a list or a map.
    fn value(self) -> Self {
        self.child(|schema| {
            keyword_value(schema, "items").or_else(|| keyword_value(schema, "additionalProperties"))
        })
    }

    /// The value of an optional, which has the shape of the optional itself.
    pub(super) fn optional_shape(self) -> Self {
        self
    }
}

/// The shape of two values that have the same type, as far as the type is known.
fn common_shape<'a>(left: ExpressionShape<'a>, right: ExpressionShape<'a>) -> ExpressionShape<'a> {
    if left.is_dyn() || right.is_dyn() { ExpressionShape::Dyn } else { left }
}

impl<'a> Evaluator<'a> {
    /// Returns what is known of an expression's type.
    pub(super) fn expression_shape(&self, expr: &'a Expr) -> ExpressionShape<'a> {
        match &expr.kind {
            ExprKind::Ident(name) => self.name_shape(name),
            ExprKind::Select { operand, field } => self.expression_shape(operand).field(field),
            ExprKind::Call { function, receiver, args } => {
                self.call_shape(function, receiver.as_deref(), args)
            }
            ExprKind::Comprehension(it) if it.kind == crate::ast::ComprehensionKind::Filter => {
                self.expression_shape(&it.range)
            }
            ExprKind::SortBy { range, .. } => self.expression_shape(range),
            _ => ExpressionShape::Known,
        }
    }

    fn name_shape(&self, name: &str) -> ExpressionShape<'a> {
        if let Some(local) = self.locals.iter().rev().find(|local| local.name == name) {
            return local.shape;
        }
        match self.scope.variables.get(name) {
            Some((_, shape)) => *shape,
            None if name == "variables" => ExpressionShape::Dyn,
            None => ExpressionShape::Known,
        }
    }

    fn call_shape(
        &self,
        function: &str,
        receiver: Option<&'a Expr>,
        args: &'a [Expr],
    ) -> ExpressionShape<'a> {
        let at =
            |index: usize| args.get(index).map_or(ExpressionShape::Known, |arg| self.expression_shape(arg));
        match function {
            operators::INDEX | operators::OPT_INDEX => at(0).value(),
            operators::OPT_SELECT => match args {
                [operand, Expr { kind: ExprKind::Literal(crate::ast::Literal::String(field)), .. }] => {
                    self.expression_shape(operand).field(field)
                }
                _ => ExpressionShape::Known,
            },
            operators::CONDITIONAL => common_shape(at(1), at(2)),
            operators::ADD => common_shape(at(0), at(1)),
            "dyn" => ExpressionShape::Dyn,
            _ => self.result_shape(function, receiver, args),
        }
    }

    /// By the signature: a function that gives back what it took knows as much as before.
    fn result_shape(
        &self,
        function: &str,
        receiver: Option<&'a Expr>,
        args: &'a [Expr],
    ) -> ExpressionShape<'a> {
        let first = receiver.or_else(|| args.first());
        let generic = |result: &SignatureType| {
            matches!(
                result,
                SignatureType::Param(_)
                    | SignatureType::List(SignatureType::Param(_))
                    | SignatureType::Optional(SignatureType::Param(_))
            )
        };
        let mut overloads = functions::find_overloads(function, receiver.is_some());
        match first {
            Some(first) if overloads.any(|overload| generic(&overload.result)) => {
                self.expression_shape(first)
            }
            _ => ExpressionShape::Known,
        }
    }

    /// The variables of a loop.
    pub(super) fn variable_shapes(
        &self,
        it: &'a Comprehension,
    ) -> (ExpressionShape<'a>, ExpressionShape<'a>) {
        let range = self.expression_shape(&it.range);
        let is_map =
            matches!(range, ExpressionShape::Schema(schema) if schema.get("additionalProperties").is_some());
        match (range, it.var2.is_some()) {
            (ExpressionShape::Dyn, _) => (ExpressionShape::Dyn, ExpressionShape::Dyn),
            (_, true) => (ExpressionShape::Known, range.value()),
            (_, false) if is_map => (ExpressionShape::Known, ExpressionShape::Known),
            (_, false) => (range.value(), ExpressionShape::Known),
        }
    }
}
