//! Expressions that were compiled for one server, kept for the next that compiles them in the same way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kvrules_cel::Expressions;
use kvrules_cel::check::{CheckedExpression, Requirement, TypeEnvironment};
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
    requirements: OnceLock<Vec<Requirement>>,
    /// The languages that were asked about, and those to check the expression in for them.
    dialects: Mutex<Vec<(Dialect, Dialect)>>,
}

/// An expression at its place.
pub(super) struct ExpressionPlace<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) is_message: bool,
    pub(super) has_optional_old_self: bool,
}

impl Compiled {
    fn new(result: Result<CheckedExpression, CostError>) -> Self {
        Self { result, costs: Mutex::default(), requirements: OnceLock::new(), dialects: Mutex::default() }
    }

    /// Returns the constructs of the expression, whose text is given, that not every server has.
    pub(super) fn requirements(&self, text: &str) -> &[Requirement] {
        let find = || self.result.as_ref().map(|checked| checked.find_requirements(text)).unwrap_or_default();
        self.requirements.get_or_init(find)
    }

    /// Returns the language in which to check the expression, which is compiled in the newest, for another: that of the newest if its
    /// result holds there too.
    fn dialect_to_check(&self, other: Dialect) -> Dialect {
        let Ok(checked) = &self.result else { return other };
        let mut known = self.dialects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(asked, _)| *asked == other) {
            return *found;
        }
        let found = checked.dialect_to_check(other);
        known.push((other, found));
        found
    }

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
        match newest.dialect_to_check(dialect) {
            Dialect::NEWEST => newest,
            dialect => self.compile_once(place, env, dialect),
        }
    }

    /// True if a server with a language compiles every expression that was compiled so far as the newest does.
    pub(super) fn compiles_as_newest(&self, dialect: Dialect) -> bool {
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let of_newest = compiled.iter().filter(|(key, _)| key.dialect == Dialect::NEWEST);
        of_newest.map(|(_, compiled)| compiled.dialect_to_check(dialect)).all(|it| it == Dialect::NEWEST)
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
            let compiled = Arc::new(Compiled::new(result));
            let mut known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(key).or_insert(compiled))
        })
    }
}
