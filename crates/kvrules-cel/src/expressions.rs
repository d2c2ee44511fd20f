//! The expressions of a definition, each parsed once however many ask for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::ast::Expression;
use crate::parse::{ParseError, parse};

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
pub struct Expressions(Mutex<HashMap<Box<str>, Slot>>);

impl Expressions {
    /// Returns the expression with this text. It is parsed on first use.
    pub fn parse(&self, source: &str) -> Arc<Parsed> {
        let slot = self.slot(source);
        // Not under the lock: another thread may need another expression meanwhile.
        Arc::clone(slot.get_or_init(|| Arc::new(parse(source))))
    }

    fn slot(&self, source: &str) -> Slot {
        // No operation leaves the map inconsistent, so it can be used after a panic.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = known.get(source) {
            return Arc::clone(slot);
        }
        Arc::clone(known.entry(source.into()).or_default())
    }
}
