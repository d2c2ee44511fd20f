//! Expressions that were compiled for one server, kept for the next that compiles them in the same way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kvrules_cel::Expressions;
use kvrules_cel::check::{CheckedExpression, Requirement, TypeEnvironment};
use kvrules_cel::cost::expression_cost_in;
use kvrules_cel::kubernetes::{CostRegime, Dialect};
use kvrules_cel::types::{Type, TypeDeclaration};

use super::{CostError, compile_expression};

/// The results of reviews of one definition, for reviews of its other versions and by other servers.
///
/// A result is found by the text of an expression and by the types that it may name, so that places that declare the same share it.
#[derive(Debug, Default)]
pub struct ReviewMemo {
    /// Parsed expressions.
    pub expressions: Expressions,
    compiled: Mutex<HashMap<Box<str>, Vec<KnownCompilation>>>,
}

/// A compiled expression with everything else that the result depends on.
#[derive(Debug)]
struct KnownCompilation {
    mode: CompileMode,
    decl: Arc<TypeDeclaration>,
    compiled: Arc<CompiledExpression>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CompileMode {
    is_message: bool,
    has_optional_old_self: bool,
    dialect: Dialect,
}

/// A compiled expression, with the costs that were asked for.
#[derive(Debug)]
pub struct CompiledExpression {
    pub(super) result: Result<CheckedExpression, CostError>,
    costs: Mutex<Vec<KnownCost>>,
    requirements: OnceLock<Vec<Requirement>>,
    /// The languages that were asked about, and those to check the expression in for them.
    dialects: Mutex<Vec<(Dialect, Dialect)>>,
}

/// The cost by a regime, where `self` has the sizes of a declaration.
#[derive(Debug)]
struct KnownCost {
    regime: CostRegime,
    decl: Arc<TypeDeclaration>,
    cost: u64,
}

/// An expression of a node.
pub(super) struct NodeExpression<'a> {
    pub(super) text: &'a str,
    /// The declaration of `self`.
    pub(super) decl: &'a Arc<TypeDeclaration>,
    pub(super) is_message: bool,
    pub(super) has_optional_old_self: bool,
}

impl CompiledExpression {
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

    /// Returns the expression with its types; `None` if the server rejects it.
    pub fn checked(&self) -> Option<&CheckedExpression> {
        self.result.as_ref().ok()
    }

    /// The cost of one evaluation by a regime, which is computed once for each and for equal sizes.
    pub(super) fn cost(
        &self,
        checked: &CheckedExpression,
        decl: &Arc<TypeDeclaration>,
        regime: CostRegime,
    ) -> u64 {
        let mut costs = self.costs.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &&KnownCost| {
            known.regime == regime && (Arc::ptr_eq(&known.decl, decl) || known.decl == *decl)
        };
        if let Some(known) = costs.iter().find(is_same) {
            return known.cost;
        }
        let cost = expression_cost_in(checked, decl, regime);
        costs.push(KnownCost { regime, decl: Arc::clone(decl), cost });
        cost
    }
}

impl ReviewMemo {
    /// Returns a rule as the newest server compiles it. `decl` declares `self`; `oldSelf` is an optional if `has_optional_old_self`
    /// is set.
    ///
    /// ```
    /// use kvrules_apiserver::cost::ReviewMemo;
    /// use kvrules_cel::types::declare_schema;
    ///
    /// let decl = std::sync::Arc::new(declare_schema(&serde_json::json!({"type": "integer"}), false).unwrap());
    /// let memo = ReviewMemo::default();
    /// let is_rule = |text| memo.compile_rule(text, false, &decl).checked().is_some();
    /// assert!(is_rule("self > 1") && !is_rule("self + 1"));
    /// ```
    pub fn compile_rule(
        &self,
        text: &str,
        has_optional_old_self: bool,
        decl: &Arc<TypeDeclaration>,
    ) -> Arc<CompiledExpression> {
        self.compile_once(
            &NodeExpression { text, decl, is_message: false, has_optional_old_self },
            Dialect::NEWEST,
        )
    }

    /// Compiles an expression in a language, unless an earlier result holds there too.
    pub(super) fn compile(
        &self,
        expression: &NodeExpression<'_>,
        dialect: Dialect,
    ) -> Arc<CompiledExpression> {
        let newest = self.compile_once(expression, Dialect::NEWEST);
        if dialect == Dialect::NEWEST {
            return newest;
        }
        match newest.dialect_to_check(dialect) {
            Dialect::NEWEST => newest,
            dialect => self.compile_once(expression, dialect),
        }
    }

    /// True if a server with a language compiles every expression that was compiled so far as the newest does.
    pub(super) fn compiles_as_newest(&self, dialect: Dialect) -> bool {
        let known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let of_newest = known.values().flatten().filter(|known| known.mode.dialect == Dialect::NEWEST);
        of_newest.map(|known| known.compiled.dialect_to_check(dialect)).all(|it| it == Dialect::NEWEST)
    }

    fn compile_once(&self, expression: &NodeExpression<'_>, dialect: Dialect) -> Arc<CompiledExpression> {
        let NodeExpression { text, decl, is_message, has_optional_old_self } = *expression;
        let mode = CompileMode { is_message, has_optional_old_self, dialect };
        if let Some(known) = self.find_compiled(text, mode, decl) {
            return known;
        }
        let parsed = self.expressions.parse_in(text, dialect);
        let wanted = if is_message { Type::String } else { Type::Bool };
        let env = TypeEnvironment::for_rule(decl, has_optional_old_self).with_dialect(dialect);
        let result = compile_expression(text, &parsed, &env, &wanted, dialect);
        let compiled = Arc::new(CompiledExpression::new(result));
        let found = KnownCompilation { mode, decl: Arc::clone(decl), compiled: Arc::clone(&compiled) };
        let mut known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(text.into()).or_default().push(found);
        compiled
    }

    fn find_compiled(
        &self,
        text: &str,
        mode: CompileMode,
        decl: &Arc<TypeDeclaration>,
    ) -> Option<Arc<CompiledExpression>> {
        let known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &&KnownCompilation| {
            known.mode == mode && (Arc::ptr_eq(&known.decl, decl) || known.decl.has_types_of(decl))
        };
        known.get(text)?.iter().find(is_same).map(|known| Arc::clone(&known.compiled))
    }
}
