//! Expressions that were compiled for one server, kept for the next that compiles them in the same way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kvrules_cel::Expressions;
use kvrules_cel::check::{CheckedExpression, TypeEnvironment};
use kvrules_cel::cost::expression_cost_in;
use kvrules_cel::kubernetes::{CostRegime, Dialect};
use kvrules_cel::types::{Type, TypeDeclaration};

use super::{CostError, compile_expression};

/// The results of reviews of one definition, for reviews of the same by other servers.
///
/// A definition that differs must have a memo of its own: results are found by the place of a rule and its text.
#[derive(Debug, Default)]
pub struct ReviewMemo {
    /// Parsed expressions.
    pub expressions: Expressions,
    compiled: Mutex<HashMap<CompileKey, Arc<Compiled>>>,
}

/// Everything that the result of a compilation depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CompileKey {
    /// The node, with the version before it.
    path: String,
    text: String,
    is_message: bool,
    has_optional_old_self: bool,
    dialect: Dialect,
}

/// A compiled expression, with the costs that were asked for.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) result: Result<CheckedExpression, CostError>,
    costs: Mutex<Vec<(CostRegime, u64)>>,
}

/// An expression at its place.
pub(super) struct ExpressionPlace<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) is_message: bool,
    pub(super) has_optional_old_self: bool,
}

impl Compiled {
    /// The cost of one evaluation by a regime, which is computed once for each.
    pub(super) fn cost(
        &self,
        checked: &CheckedExpression,
        decl: &TypeDeclaration,
        regime: CostRegime,
    ) -> u64 {
        let mut costs = self.costs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cost)) = costs.iter().find(|(known, _)| *known == regime) {
            return *cost;
        }
        let cost = expression_cost_in(checked, decl, regime);
        costs.push((regime, cost));
        cost
    }
}

impl ReviewMemo {
    /// Compiles an expression in a language, unless an earlier result holds there too.
    pub(super) fn compile(
        &self,
        place: &ExpressionPlace<'_>,
        env: &TypeEnvironment,
        dialect: Dialect,
    ) -> Arc<Compiled> {
        let newest = self.compile_once(place, env, Dialect::NEWEST);
        if dialect == Dialect::NEWEST {
            return newest;
        }
        let checked = newest.result.as_ref().ok();
        match checked.map_or(dialect, |checked| checked.dialect_to_check(dialect)) {
            Dialect::NEWEST => newest,
            dialect => self.compile_once(place, env, dialect),
        }
    }

    fn compile_once(
        &self,
        place: &ExpressionPlace<'_>,
        env: &TypeEnvironment,
        dialect: Dialect,
    ) -> Arc<Compiled> {
        let key = CompileKey {
            path: place.path.to_owned(),
            text: place.text.to_owned(),
            is_message: place.is_message,
            has_optional_old_self: place.has_optional_old_self,
            dialect,
        };
        let known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let parsed = self.expressions.parse_in(place.text, dialect);
            let wanted = if place.is_message { Type::String } else { Type::Bool };
            let env = env.clone().with_dialect(dialect);
            let result = compile_expression(place.text, &parsed, &env, &wanted, dialect);
            let compiled = Arc::new(Compiled { result, costs: Mutex::default() });
            let mut known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(key).or_insert(compiled))
        })
    }
}
