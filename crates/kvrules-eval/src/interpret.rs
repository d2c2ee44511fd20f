//! The meaning of predicates.

use std::borrow::Cow;
use std::cmp::Ordering;

use kvrules_ir::{Interval, Operand, OperandRelation, Predicate, ValueTest};
use serde_json::Value;

use crate::patterns::{CompiledPatterns, patterns_of};
use crate::scope::EvalScope;
use crate::value::{EffectiveValue, IntegerValue};

/// True if a predicate is true for an object.
///
/// This compiles the regular expressions again each time; a [`CompiledPredicate`] and a [`Program`](crate::Program) keep them.
/// One that cannot be compiled matches nothing here, where a program refuses to be made.
pub fn predicate_holds(predicate: &Predicate, object: &Value) -> bool {
    CompiledPredicate::new(predicate).holds_for(object)
}

/// A predicate with its regular expressions compiled, for those who ask it about several objects.
///
/// ```
/// use kvrules_eval::CompiledPredicate;
/// use kvrules_ir::Predicate;
///
/// assert!(CompiledPredicate::new(&Predicate::True).holds_for(&serde_json::json!({})));
/// ```
#[derive(Clone, Debug)]
pub struct CompiledPredicate<'p> {
    predicate: &'p Predicate,
    patterns: CompiledPatterns,
}

impl<'p> CompiledPredicate<'p> {
    /// Compiles the regular expressions. One that cannot be compiled matches nothing.
    pub fn new(predicate: &'p Predicate) -> Self {
        let mut patterns = CompiledPatterns::default();
        for pattern in patterns_of(predicate) {
            let _matches_nothing_on_error = patterns.add_pattern(pattern);
        }
        Self { predicate, patterns }
    }

    /// True if it is true for an object.
    pub fn holds_for(&self, object: &Value) -> bool {
        Interpreter { patterns: &self.patterns }.holds_in(self.predicate, &EvalScope::Root(object))
    }
}

/// Interprets predicates whose regular expressions are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Interpreter<'p> {
    /// The expressions.
    pub(crate) patterns: &'p CompiledPatterns,
}

impl Interpreter<'_> {
    /// True if a predicate is true in a scope.
    pub(crate) fn holds_in(self, predicate: &Predicate, scope: &EvalScope) -> bool {
        match predicate {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::All(parts) => parts.iter().all(|part| self.holds_in(part, scope)),
            Predicate::Any(parts) => parts.iter().any(|part| self.holds_in(part, scope)),
            Predicate::Not(inner) => !self.holds_in(inner, scope),
            Predicate::Each { list, holds } => scope
                .elements(list)
                .all(|(_, element)| self.holds_in(holds, &EvalScope::Element(element, scope))),
            Predicate::Some { list, holds } => scope
                .elements(list)
                .any(|(_, element)| self.holds_in(holds, &EvalScope::Element(element, scope))),
            Predicate::Present(place) => scope.find_place(place).is_some(),
            Predicate::Test { place, test } => {
                scope.effective_value(place).is_some_and(|datum| self.passes_test(datum, test))
            }
            Predicate::Compare { left, relation, right } => compare_operands(scope, left, right)
                .is_some_and(|ordering| ordering_satisfies(ordering, *relation)),
        }
    }

    /// True if a value passes a test.
    pub(crate) fn passes_test(self, datum: EffectiveValue, test: &ValueTest) -> bool {
        match test {
            ValueTest::Integer(interval) => {
                datum.integer().is_some_and(|number| interval_contains(interval, &number))
            }
            ValueTest::Length(interval) => {
                datum.length().is_some_and(|length| interval_contains(interval, &length))
            }
            ValueTest::OneOf(texts) => datum.text().is_some_and(|text| texts.contains(text.as_ref())),
            ValueTest::Matches(pattern) => {
                datum.text().is_some_and(|text| self.patterns.is_match(pattern, &text))
            }
        }
    }
}

fn interval_contains(interval: &Interval, number: &IntegerValue) -> bool {
    interval.min.as_ref().is_none_or(|min| number.compare(min) != Ordering::Less)
        && interval.max.as_ref().is_none_or(|max| number.compare(max) != Ordering::Greater)
}

fn ordering_satisfies(ordering: Ordering, relation: OperandRelation) -> bool {
    match relation {
        OperandRelation::AtLeast => ordering.is_ge(),
        OperandRelation::AtMost => ordering.is_le(),
        OperandRelation::Equal => ordering.is_eq(),
    }
}

/// The value of an operand.
enum ComparableValue<'v> {
    Number(IntegerValue),
    Text(Cow<'v, str>),
}

/// Compares two operands if both have a value and both are numbers or both strings. Strings are ordered by their
/// code points.
fn compare_operands(scope: &EvalScope, left: &Operand, right: &Operand) -> Option<Ordering> {
    match (comparable_value(scope, left)?, comparable_value(scope, right)?) {
        (ComparableValue::Number(left), ComparableValue::Number(right)) => Some(left.compare_whole(&right)),
        (ComparableValue::Text(left), ComparableValue::Text(right)) => Some(left.cmp(&right)),
        _ => None,
    }
}

fn comparable_value<'v>(scope: &EvalScope<'_, 'v>, operand: &'v Operand) -> Option<ComparableValue<'v>> {
    let datum = scope.effective_value(operand.place())?;
    match operand {
        Operand::Integer(_) => datum.integer().map(ComparableValue::Number),
        Operand::Length(_) => datum.length().map(ComparableValue::Number),
        Operand::Text(_) => datum.text().map(ComparableValue::Text),
    }
}
