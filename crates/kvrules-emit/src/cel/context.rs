//! State on the way down a predicate, and the deviations noted there.

use super::dialect::Dialect;
use super::place::PlaceRoots;
use super::shared::SharedParts;
use crate::Fidelity;

/// Position of a predicate above or below a negation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NegationContext {
    Plain,
    Negated,
}

impl NegationContext {
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Plain => Self::Negated,
            Self::Negated => Self::Plain,
        }
    }
}

/// Deviations of expressions from the predicate.
#[derive(Default)]
pub(super) struct Deviation {
    wider: Vec<String>,
    narrower: Vec<String>,
}

impl Deviation {
    /// Notes that a test lets values through that it should stop: `them`.
    pub(super) fn lets_in(&mut self, standing: NegationContext, them: &str) {
        let notes = if standing == NegationContext::Plain { &mut self.wider } else { &mut self.narrower };
        if !notes.iter().any(|note| note == them) {
            notes.push(them.to_owned());
        }
    }

    /// Returns the fidelity that results for the expression.
    pub(super) fn fidelity(&self) -> Fidelity {
        let (wider, narrower) = (self.wider.join(" and "), self.narrower.join(" and "));
        match (wider.is_empty(), narrower.is_empty()) {
            (true, true) => Fidelity::Exact,
            (false, true) => Fidelity::Wider(format!("accepts {wider}")),
            (true, false) => Fidelity::Narrower(format!("rejects {narrower}")),
            (false, false) => {
                Fidelity::Incomparable(format!("accepts {wider}, and elsewhere rejects {narrower}"))
            }
        }
    }
}

/// A lowering under way.
pub(super) struct PredicateLowering<'a> {
    pub(super) dialect: Dialect,
    /// The parts with a name of their own.
    pub(super) shared: &'a SharedParts,
    /// The loop variables, the innermost last.
    pub(super) variables: Vec<String>,
    pub(super) deviation: Deviation,
}

impl<'a> PredicateLowering<'a> {
    pub(super) fn new(dialect: Dialect, shared: &'a SharedParts) -> Self {
        Self { dialect, shared, variables: Vec::new(), deviation: Deviation::default() }
    }

    pub(super) fn scope(&self) -> PlaceRoots<'_> {
        PlaceRoots { dialect: self.dialect, shared: self.shared, variables: &self.variables }
    }
}
