//! The meaning of predicates.

use std::borrow::Cow;
use std::cmp::Ordering;

use kvrules_ir::{Interval, Operand, OperandRelation, Predicate, ValueTest};
use serde_json::Value;

use crate::patterns::{Patterns, patterns_of};
use crate::scope::Scope;
use crate::value::{Datum, Whole};

/// True if a predicate is true for an object.
///
/// This compiles the regular expressions anew each time; a [`CompiledPredicate`] and a [`Program`](crate::Program) keep them.
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
/// assert!(CompiledPredicate::new(&Predicate::True).holds(&serde_json::json!({})));
/// ```
#[derive(Clone, Debug)]
pub struct CompiledPredicate<'p> {
    predicate: &'p Predicate,
    patterns: Patterns,
}

impl<'p> CompiledPredicate<'p> {
    /// Compiles the regular expressions. One that cannot be compiled matches nothing.
    pub fn new(predicate: &'p Predicate) -> Self {
        let mut patterns = Patterns::default();
        for pattern in patterns_of(predicate) {
            let _matches_nothing_on_error = patterns.add(pattern);
        }
        Self { predicate, patterns }
    }

    /// True if it is true for an object.
    pub fn holds_for(&self, object: &Value) -> bool {
        Interpreter { patterns: &self.patterns }.holds_in(self.predicate, &Scope::Root(object))
    }
}

/// Interprets predicates whose regular expressions are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Interpreter<'p> {
    /// The expressions.
    pub(crate) patterns: &'p Patterns,
}

impl Interpreter<'_> {
    /// True if a predicate is true in a scope.
    pub(crate) fn holds_in(self, predicate: &Predicate, scope: &Scope) -> bool {
        match predicate {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::All(parts) => parts.iter().all(|part| self.holds_in(part, scope)),
            Predicate::Any(parts) => parts.iter().any(|part| self.holds_in(part, scope)),
            Predicate::Not(inner) => !self.holds_in(inner, scope),
            Predicate::Each { list, holds } => {
                scope.elements(list).all(|(_, element)| self.holds_in(holds, &Scope::Element(element, scope)))
            }
            Predicate::Some { list, holds } => {
                scope.elements(list).any(|(_, element)| self.holds_in(holds, &Scope::Element(element, scope)))
            }
            Predicate::Present(place) => scope.find(place).is_some(),
            Predicate::Test { place, test } => {
                scope.datum(place).is_some_and(|datum| self.passes(datum, test))
            }
            Predicate::Compare { left, relation, right } => {
                compare(scope, left, right).is_some_and(|ordering| stands(ordering, *relation))
            }
        }
    }

    /// True if a value passes a test.
    pub(crate) fn passes(self, datum: Datum, test: &ValueTest) -> bool {
        match test {
            ValueTest::Integer(interval) => datum.integer().is_some_and(|number| contains(interval, &number)),
            ValueTest::Length(interval) => datum.length().is_some_and(|length| contains(interval, &length)),
            ValueTest::OneOf(texts) => datum.text().is_some_and(|text| texts.contains(text.as_ref())),
            ValueTest::Matches(pattern) => {
                datum.text().is_some_and(|text| self.patterns.is_match(pattern, &text))
            }
        }
    }
}

fn contains(interval: &Interval, number: &Whole) -> bool {
    interval.min.as_ref().is_none_or(|min| number.compare(min) != Ordering::Less)
        && interval.max.as_ref().is_none_or(|max| number.compare(max) != Ordering::Greater)
}

fn stands(ordering: Ordering, relation: OperandRelation) -> bool {
    match relation {
        OperandRelation::AtLeast => ordering.is_ge(),
        OperandRelation::AtMost => ordering.is_le(),
        OperandRelation::Equal => ordering.is_eq(),
    }
}

/// The value of an operand.
enum Comparable<'v> {
    Number(Whole),
    Text(Cow<'v, str>),
}

/// Compares two operands if both have a value and both are numbers or both strings. Strings are ordered by their
/// code points.
fn compare(scope: &Scope, left: &Operand, right: &Operand) -> Option<Ordering> {
    match (comparable(scope, left)?, comparable(scope, right)?) {
        (Comparable::Number(left), Comparable::Number(right)) => Some(left.compare_whole(&right)),
        (Comparable::Text(left), Comparable::Text(right)) => Some(left.cmp(&right)),
        _ => None,
    }
}

fn comparable<'v>(scope: &Scope<'_, 'v>, operand: &'v Operand) -> Option<Comparable<'v>> {
    let datum = scope.datum(operand.place())?;
    match operand {
        Operand::Integer(_) => datum.integer().map(Comparable::Number),
        Operand::Length(_) => datum.length().map(Comparable::Number),
        Operand::Text(_) => datum.text().map(Comparable::Text),
    }
}
