//! Constants: what the server folds before it evaluates, and never charges for.

use std::collections::{BTreeMap, HashMap};

use super::{Evaluator, literal_value};
use crate::ast::{Element, Expr, ExprKind, NodeId};
use crate::value::Value;
use crate::work;

/// Conversions that are folded when their only argument is constant.
// cel-go common/overloads, IsTypeConversionFunction
const CONVERSIONS: [&str; 9] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "uint"];

/// The names of types as values.
const TYPES: [&str; 19] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "optional_type",
    "net.IP",
    "net.CIDR",
    "kubernetes.Quantity",
    "kubernetes.URL",
    "kubernetes.Semver",
    "kubernetes.NamedFormat",
];

/// Returns the values of the lists of literals in a tree, by the numbers of their nodes.
pub(super) fn literal_lists(root: &Expr) -> HashMap<NodeId, Value> {
    let mut lists = HashMap::new();
    root.visit_nodes(&mut |expr| {
        if let ExprKind::List(elements) = &expr.kind {
            let value = |element: &Element| match &element.value.kind {
                ExprKind::Literal(value) if !element.optional => Some(literal_value(value)),
                _ => None,
            };
            if let Some(items) = elements.iter().map(value).collect::<Option<Vec<Value>>>() {
                work::count(&work::LITERAL_LISTS);
                lists.insert(expr.id, Value::from_items(items));
            }
        }
    });
    lists
}

impl<'a> Evaluator<'a> {
    /// The value of an expression that is folded.
    pub(super) fn folded_value(&mut self, expr: &'a Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Literal(value) => Some(literal_value(value)),
            ExprKind::Ident(_) | ExprKind::Select { .. } => self.type_name(expr),
            ExprKind::Call { function, .. } if !Self::is_conversion(function) => None,
            ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Call { .. } => {
                if let Some(list) = self.literal_lists.get(&expr.id) {
                    return Some(list.clone());
                }
                if let Some(known) = self.constants.get(&expr.id) {
                    return known.clone();
                }
                let folded = self.fold_expression(expr);
                self.constants.insert(expr.id, folded.clone());
                folded
            }
            _ => None,
        }
    }

    /// True if a function is folded when its only argument is constant.
    pub(super) fn is_conversion(function: &str) -> bool {
        CONVERSIONS.contains(&function)
    }

    fn fold_expression(&mut self, expr: &'a Expr) -> Option<Value> {
        match &expr.kind {
            // cel-go interpreter/decorators.go, maybeBuildListLiteral
            ExprKind::List(elements) => {
                let plain = elements.iter().all(|element| !element.optional);
                let items = elements.iter().map(|element| self.folded_value(&element.value));
                let items: Option<Vec<Value>> = items.collect();
                items.filter(|_| plain).map(Value::from_items)
            }
            // cel-go interpreter/decorators.go, maybeBuildMapLiteral
            ExprKind::Map(entries) => {
                let mut map = BTreeMap::new();
                for entry in entries {
                    let (key, value) = (self.folded_value(&entry.key)?, self.folded_value(&entry.value)?);
                    if entry.optional {
                        return None;
                    }
                    map.insert(key.to_key()?, value);
                }
                Some(Value::from_entries(map))
            }
            // cel-go interpreter/decorators.go, maybeOptimizeConstUnary
            ExprKind::Call { function, receiver: None, args } if Self::is_conversion(function) => {
                let [arg] = args.as_slice() else { return None };
                let arg = self.folded_value(arg)?;
                Self::convert_constant(function, arg).ok()
            }
            _ => None,
        }
    }

    // cel-go interpreter/planner.go, planCheckedIdent: the name of a type is a constant
    fn type_name(&self, expr: &Expr) -> Option<Value> {
        let name = match &expr.kind {
            ExprKind::Ident(name) if TYPES.contains(&name.as_str()) => name.clone(),
            ExprKind::Select { field, .. } if TYPES.iter().any(|it| it.ends_with(field.as_str())) => {
                expr.qualified_name().filter(|name| TYPES.contains(&name.as_str()))?
            }
            _ => return None,
        };
        let root = name.split('.').next()?;
        let shadowed =
            self.locals.iter().any(|local| local.name == root) || self.scope.variables.contains_key(root);
        (!shadowed).then(|| Value::Type(name.into()))
    }
}
