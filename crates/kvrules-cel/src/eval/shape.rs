//! Knowledge of a type before evaluation: just enough to recognise what the compiler could not know.

use serde_json::Value as Json;

use super::Machine;
use crate::ast::{Comprehension, Expr, ExprKind, operators};
use crate::functions::{self, Ty};

/// Knowledge of the type of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub enum Shape<'a> {
    /// Nothing: `dyn`.
    Dyn,
    /// The type of a schema.
    Schema(&'a Json),
    /// A type that does not matter here.
    #[default]
    Known,
}

impl<'a> Shape<'a> {
    /// True if the type is unknown.
    pub(super) fn is_dyn(self) -> bool {
        match self {
            Self::Dyn => true,
            Self::Schema(schema) => {
                schema.get("x-kubernetes-int-or-string").and_then(Json::as_bool) == Some(true)
                    || schema.get("type").is_none()
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
            let properties = schema.get("properties").and_then(|it| it.get(&name));
            properties.or_else(|| schema.get("additionalProperties"))
        })
    }

    /// The elements of a list.
    pub(super) fn element(self) -> Self {
        self.child(|schema| schema.get("items"))
    }

    /// The values of a list or a map.
    fn value(self) -> Self {
        self.child(|schema| schema.get("items").or_else(|| schema.get("additionalProperties")))
    }

    /// The value of an optional, which has the shape of the optional itself.
    pub(super) fn inside(self) -> Self {
        self
    }
}

/// Of two that have the same type, as far as it is known.
fn either<'a>(left: Shape<'a>, right: Shape<'a>) -> Shape<'a> {
    if left.is_dyn() || right.is_dyn() { Shape::Dyn } else { left }
}

impl<'a> Machine<'a> {
    /// Returns what is known of an expression's type.
    pub(super) fn shape(&self, expr: &'a Expr) -> Shape<'a> {
        match &expr.kind {
            ExprKind::Ident(name) => self.name_shape(name),
            ExprKind::Select { operand, field } => self.shape(operand).field(field),
            ExprKind::Call { function, receiver, args } => {
                self.call_shape(function, receiver.as_deref(), args)
            }
            ExprKind::Comprehension(it) if it.kind == crate::ast::ComprehensionKind::Filter => {
                self.shape(&it.range)
            }
            ExprKind::SortBy { range, .. } => self.shape(range),
            _ => Shape::Known,
        }
    }

    fn name_shape(&self, name: &str) -> Shape<'a> {
        if let Some(local) = self.locals.iter().rev().find(|local| local.name == name) {
            return local.shape;
        }
        match self.scope.variables.get(name) {
            Some((_, shape)) => *shape,
            None if name == "variables" => Shape::Dyn,
            None => Shape::Known,
        }
    }

    fn call_shape(&self, function: &str, receiver: Option<&'a Expr>, args: &'a [Expr]) -> Shape<'a> {
        let at = |index: usize| args.get(index).map_or(Shape::Known, |arg| self.shape(arg));
        match function {
            operators::INDEX | operators::OPT_INDEX => at(0).value(),
            operators::OPT_SELECT => match args {
                [operand, Expr { kind: ExprKind::Literal(crate::ast::Literal::String(field)), .. }] => {
                    self.shape(operand).field(field)
                }
                _ => Shape::Known,
            },
            operators::CONDITIONAL => either(at(1), at(2)),
            operators::ADD => either(at(0), at(1)),
            "dyn" => Shape::Dyn,
            _ => self.result_shape(function, receiver, args),
        }
    }

    /// By the signature: a function that gives back what it took knows as much as before.
    fn result_shape(&self, function: &str, receiver: Option<&'a Expr>, args: &'a [Expr]) -> Shape<'a> {
        let first = receiver.or_else(|| args.first());
        let generic = |result: &Ty| {
            matches!(result, Ty::Param(_) | Ty::List(Ty::Param(_)) | Ty::Optional(Ty::Param(_)))
        };
        let mut overloads = functions::find_overloads(function, receiver.is_some());
        match first {
            Some(first) if overloads.any(|overload| generic(&overload.result)) => self.shape(first),
            _ => Shape::Known,
        }
    }

    /// The variables of a loop.
    pub(super) fn variable_shapes(&self, it: &'a Comprehension) -> (Shape<'a>, Shape<'a>) {
        let range = self.shape(&it.range);
        let is_map = matches!(range, Shape::Schema(schema) if schema.get("additionalProperties").is_some());
        match (range, it.var2.is_some()) {
            (Shape::Dyn, _) => (Shape::Dyn, Shape::Dyn),
            (_, true) => (Shape::Known, range.value()),
            (_, false) if is_map => (Shape::Known, Shape::Known),
            (_, false) => (range.value(), Shape::Known),
        }
    }
}
