//! Taking apart what is asked of an object, until only demands on single places are left.

use kvrules_ir::{Operand, OperandRelation, Place, Predicate, ValueTest};
use num_bigint::BigInt;

use crate::address::{Scope, locate};
use crate::case::Case;
use crate::goal::{Agenda, Choice, Goal};
use crate::term_comparison::{Order, Term};
use crate::unknown_reason::Conflict;
use crate::value_facts::Fact;

/// Notes one goal in a case, or puts what it comes down to on the agenda.
pub(crate) fn decompose_goal<'p>(
    goal: Goal<'p>,
    case: &mut Case<'p>,
    agenda: &mut Agenda<'p>,
) -> Result<(), Conflict> {
    match goal {
        Goal::Holds(predicate, holds, scope) => predicate_goal(predicate, holds, scope, case, agenda),
        Goal::Absent(place, scope) => match locate(place, &scope) {
            Some(address) => case.lacks(&address),
            None => Ok(()),
        },
        Goal::Value(place, scope, fact) => {
            let address = locate(place, &scope).ok_or(Conflict)?;
            case.learn(place, address, fact, agenda)
        }
        Goal::Ordered(left, order, right, scope) => ordered(left, order, right, &scope, case, agenda),
    }
}

fn predicate_goal<'p>(
    predicate: &'p Predicate,
    holds: bool,
    scope: Scope<'p>,
    case: &mut Case<'p>,
    agenda: &mut Agenda<'p>,
) -> Result<(), Conflict> {
    match (predicate, holds) {
        (Predicate::True, true) | (Predicate::False, false) => {}
        (Predicate::True, false) | (Predicate::False, true) => return Err(Conflict),
        (Predicate::All(parts), true) | (Predicate::Any(parts), false) => {
            agenda.goals.extend(parts.iter().map(|part| Goal::Holds(part, holds, scope.clone())));
        }
        (Predicate::All(parts), false) | (Predicate::Any(parts), true) => {
            agenda.choices.push(parts.iter().map(|part| Goal::Holds(part, holds, scope.clone())).collect());
        }
        (Predicate::Not(inner), _) => agenda.goals.push(Goal::Holds(inner, !holds, scope)),
        (Predicate::Each { list, holds: inner }, true) | (Predicate::Some { list, holds: inner }, false) => {
            if let Some(address) = locate(list, &scope) {
                case.every(address, inner, holds, scope, agenda);
            }
        }
        (Predicate::Some { list, holds: inner }, true) | (Predicate::Each { list, holds: inner }, false) => {
            let address = locate(list, &scope).ok_or(Conflict)?;
            let element = case.element(address, agenda)?;
            let inside = scope.into_iter().chain([element]).collect();
            agenda.goals.push(Goal::Holds(inner, holds, inside));
        }
        (Predicate::Present(place), true) => {
            let address = locate(place, &scope).ok_or(Conflict)?;
            case.has(place, &address, agenda)?;
        }
        (Predicate::Present(place), false) => agenda.goals.push(Goal::Absent(place, scope)),
        (Predicate::Test { place, test }, true) => {
            agenda.goals.push(Goal::Value(place, scope, Fact::passes(test)));
        }
        (Predicate::Test { place, test }, false) => agenda.choices.extend(fails(place, test, &scope)),
        (Predicate::Compare { left, relation, right }, true) => {
            agenda.goals.push(Goal::Ordered(left, Order::of(*relation), right, scope));
        }
        (Predicate::Compare { left, relation, right }, false) => {
            agenda.choices.extend(not_compared(left, *relation, right, &scope));
        }
    }
    Ok(())
}

/// The ways in which a place has no value that passes; none where it never has one.
fn fails<'p>(place: &'p Place, test: &'p ValueTest, scope: &Scope<'p>) -> Option<Choice<'p>> {
    if !place.value_type.is_scalar() {
        return None;
    }
    let value = |fact: Fact<'p>| Goal::Value(place, scope.clone(), fact);
    let mut ways = vec![Goal::Absent(place, scope.clone())];
    match test {
        ValueTest::Integer(interval) => {
            ways.extend(interval.min.as_ref().map(|min| value(Fact::Integer(None, Some(min - 1)))));
            ways.extend(interval.max.as_ref().map(|max| value(Fact::Integer(Some(max + 1), None))));
            ways.push(value(Fact::NotInteger));
        }
        ValueTest::Length(interval) => {
            ways.extend(interval.min.as_ref().map(|min| value(Fact::Length(None, Some(min - 1)))));
            ways.extend(interval.max.as_ref().map(|max| value(Fact::Length(Some(max + 1), None))));
            ways.push(value(Fact::NoText));
        }
        ValueTest::OneOf(_) | ValueTest::Matches(_) => {
            ways.push(value(Fact::Fails(test)));
            ways.push(value(Fact::NoText));
        }
    }
    Some(ways)
}

/// The ways in which a comparison does not hold; none where it never holds.
fn not_compared<'p>(
    left: &'p Operand,
    relation: OperandRelation,
    right: &'p Operand,
    scope: &Scope<'p>,
) -> Option<Choice<'p>> {
    if !comparable(left, right) {
        return None;
    }
    let mut ways = Vec::new();
    for operand in [left, right] {
        let (place, scope) = (operand.place(), scope.clone());
        ways.push(Goal::Absent(place, scope.clone()));
        let without = if matches!(operand, Operand::Integer(_)) { Fact::NotInteger } else { Fact::NoText };
        ways.push(Goal::Value(place, scope, without));
    }
    let is_text = matches!(left, Operand::Text(_));
    let opposites: &[Order] = match relation {
        OperandRelation::AtLeast => &[Order::Less],
        OperandRelation::AtMost => &[Order::More],
        OperandRelation::Equal if is_text => &[Order::Different],
        OperandRelation::Equal => &[Order::Less, Order::More],
    };
    ways.extend(opposites.iter().map(|order| Goal::Ordered(left, *order, right, scope.clone())));
    Some(ways)
}

/// True if both are numbers, or both are texts of scalars.
fn comparable(left: &Operand, right: &Operand) -> bool {
    let is_text = |operand: &Operand| matches!(operand, Operand::Text(_));
    let is_scalar = |operand: &Operand| operand.place().value_type.is_scalar();
    is_text(left) == is_text(right) && is_scalar(left) && is_scalar(right)
}

fn ordered<'p>(
    left: &'p Operand,
    order: Order,
    right: &'p Operand,
    scope: &Scope<'p>,
    case: &mut Case<'p>,
    agenda: &mut Agenda<'p>,
) -> Result<(), Conflict> {
    if !comparable(left, right) {
        return Err(Conflict);
    }
    let mut term = |operand: &'p Operand| {
        let place = operand.place();
        let address = locate(place, scope).ok_or(Conflict)?;
        let (fact, term) = match operand {
            Operand::Integer(_) => (Fact::Integer(None, None), Term::Integer(address.clone())),
            Operand::Length(_) => (Fact::Length(Some(BigInt::ZERO), None), Term::Length(address.clone())),
            Operand::Text(_) => (Fact::Length(Some(BigInt::ZERO), None), Term::Text(address.clone())),
        };
        case.learn(place, address, fact, agenda)?;
        Ok(term)
    };
    let (left, right) = (term(left)?, term(right)?);
    case.compare(left, order, right);
    Ok(())
}
