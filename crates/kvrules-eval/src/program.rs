//! A rule, ready to evaluate many objects.

use kvrules_ir::{ElaboratedRule, Predicate, Severity};
use serde_json::Value;

use crate::interpret::Interpreter;
use crate::patterns::{CompiledPatterns, PatternError, patterns_of};
use crate::scope::EvalScope;

/// A rule with its regular expressions compiled.
///
/// Evaluating an object neither changes nor copies it, and allocates nothing unless a number is examined as text or
/// a quantity is unusual.
#[derive(Clone, Debug)]
pub struct Program {
    applies: Predicate,
    predicate: Predicate,
    severity: Severity,
    patterns: CompiledPatterns,
}

/// Result of a rule for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// Outcome for the object.
    pub outcome: Outcome,
    /// Severity of the rule.
    pub severity: Severity,
}

/// Outcome of a rule for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The object keeps the rule.
    Satisfied,
    /// The object violates the rule.
    Violated,
    /// The rule does not apply to the object.
    Skipped,
}

impl Verdict {
    /// True if the object is to be rejected.
    pub fn rejects_object(self) -> bool {
        self.outcome == Outcome::Violated && self.severity == Severity::Error
    }
}

impl Outcome {
    /// Returns its name as users see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::Violated => "violated",
            Self::Skipped => "skipped",
        }
    }
}

impl Program {
    /// Prepares a rule. This fails when a regular expression is none, or is too large to be compiled.
    pub fn new(rule: &ElaboratedRule) -> Result<Self, PatternError> {
        let mut patterns = CompiledPatterns::default();
        for pattern in patterns_of(&rule.applies).into_iter().chain(patterns_of(&rule.predicate)) {
            patterns.add_pattern(pattern)?;
        }
        Ok(Self {
            applies: rule.applies.clone(),
            predicate: rule.predicate.clone(),
            severity: rule.severity,
            patterns,
        })
    }

    /// Returns the verdict on an object.
    pub fn evaluate_object(&self, object: &Value) -> Verdict {
        let (interpreter, root) = (Interpreter { patterns: &self.patterns }, EvalScope::Root(object));
        let outcome = if !interpreter.holds_in(&self.applies, &root) {
            Outcome::Skipped
        } else if interpreter.holds_in(&self.predicate, &root) {
            Outcome::Satisfied
        } else {
            Outcome::Violated
        };
        Verdict { outcome, severity: self.severity }
    }
}
