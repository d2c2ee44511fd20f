//! The expressions of a definition, each parsed once however many ask for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::ast::Expression;
use crate::kubernetes::{Dialect, GateSet};
use crate::parse::{ParseError, parse_in, used_gates};

/// An expression, or its errors.
pub type Parsed = Result<Expression, ParseError>;

/// The place of an expression, which the first thread that asks for it fills.
type Slot = Arc<OnceLock<Arc<Parsed>>>;

/// The expressions that were parsed so far, by their text. Threads may share it.
///
/// ```
/// use kvrules_cel::Expressions;
///
/// let expressions = Expressions::default();
/// let [one, other] = [(); 2].map(|()| expressions.parse("self > 1"));
/// assert!(one.is_ok() && std::sync::Arc::ptr_eq(&one, &other));
/// ```
#[derive(Debug, Default)]
pub struct Expressions {
    newest: Mutex<HashMap<Box<str>, Slot>>,
    /// Expressions that other servers read in another way.
    others: Mutex<HashMap<(Box<str>, Dialect), Slot>>,
}

impl Expressions {
    /// Returns the expression with this text. It is parsed on first use.
    pub fn parse(&self, source: &str) -> Arc<Parsed> {
        let slot = self.slot(source);
        // Not under the lock: another thread may need another expression meanwhile.
        Arc::clone(slot.get_or_init(|| Arc::new(parse_in(source, Dialect::NEWEST))))
    }

    /// Returns the expression with this text in the language of a server. It is parsed again only if it may mean something else
    /// there.
    pub fn parse_in(&self, source: &str, dialect: Dialect) -> Arc<Parsed> {
        let newest = self.parse(source);
        if dialect == Dialect::NEWEST || newest.as_ref().as_ref().is_ok_and(|it| is_same_in(it, dialect)) {
            return newest;
        }
        let mut known = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(known.entry((source.into(), dialect.syntax_only())).or_default());
        drop(known);
        Arc::clone(slot.get_or_init(|| Arc::new(parse_in(source, dialect))))
    }

    fn slot(&self, source: &str) -> Slot {
        // No operation leaves the map inconsistent, so it can be used after a panic.
        let mut known = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = known.get(source) {
            return Arc::clone(slot);
        }
        Arc::clone(known.entry(source.into()).or_default())
    }
}

/// True if a dialect has all syntax of an expression.
fn is_same_in(expression: &Expression, dialect: Dialect) -> bool {
    let used: GateSet = used_gates(expression);
    used.common_gates(dialect.gates) == used
        && (dialect.parses_quoted_names || !expression.source.contains('`'))
}
