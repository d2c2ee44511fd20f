//! Decomposes goals for an object until only requirements on single places are left.

use kvrules_ir::{Operand, OperandRelation, Place, Predicate, ValueTest};
use num_bigint::BigInt;

use crate::address::{Scope, locate_place};
use crate::case::SearchCase;
use crate::goal::{GoalAgenda, GoalChoice, SearchGoal};
use crate::term_comparison::{ComparedTerm, TermOrder};
use crate::unknown_reason::Conflict;
use crate::value_facts::ValueFact;

/// Notes one goal in a case, or puts what it comes down to on the agenda.
pub(crate) fn decompose_goal<'p>(
    goal: SearchGoal<'p>,
    case: &mut SearchCase<'p>,
    agenda: &mut GoalAgenda<'p>,
) -> Result<(), Conflict> {
    match goal {
        SearchGoal::Holds(predicate, holds, scope) => predicate_goal(predicate, holds, scope, case, agenda),
        SearchGoal::Absent(place, scope) => match locate_place(place, &scope) {
            Some(address) => case.forbid_address(&address),
            None => Ok(()),
        },
        SearchGoal::Value(place, scope, fact) => {
            let address = locate_place(place, &scope).ok_or(Conflict)?;
            case.learn_fact(place, address, fact, agenda)
        }
        SearchGoal::Ordered(left, order, right, scope) => add_order(left, order, right, &scope, case, agenda),
    }
}

fn predicate_goal<'p>(
    predicate: &'p Predicate,
    holds: bool,
    scope: Scope<'p>,
    case: &mut SearchCase<'p>,
    agenda: &mut GoalAgenda<'p>,
) -> Result<(), Conflict> {
    match (predicate, holds) {
        (Predicate::True, true) | (Predicate::False, false) => {}
        (Predicate::True, false) | (Predicate::False, true) => return Err(Conflict),
        (Predicate::All(parts), true) | (Predicate::Any(parts), false) => {
            agenda.goals.extend(parts.iter().map(|part| SearchGoal::Holds(part, holds, scope.clone())));
        }
        (Predicate::All(parts), false) | (Predicate::Any(parts), true) => {
            agenda
                .choices
                .push(parts.iter().map(|part| SearchGoal::Holds(part, holds, scope.clone())).collect());
        }
        (Predicate::Not(inner), _) => agenda.goals.push(SearchGoal::Holds(inner, !holds, scope)),
        (Predicate::Each { list, holds: inner }, true) | (Predicate::Some { list, holds: inner }, false) => {
            if let Some(address) = locate_place(list, &scope) {
                case.require_each_element(address, inner, holds, scope, agenda);
            }
        }
        (Predicate::Some { list, holds: inner }, true) | (Predicate::Each { list, holds: inner }, false) => {
            let address = locate_place(list, &scope).ok_or(Conflict)?;
            let element = case.require_element(address, agenda)?;
            let inside = scope.into_iter().chain([element]).collect();
            agenda.goals.push(SearchGoal::Holds(inner, holds, inside));
        }
        (Predicate::Present(place), true) => {
            let address = locate_place(place, &scope).ok_or(Conflict)?;
            case.require_place(place, &address, agenda)?;
        }
        (Predicate::Present(place), false) => agenda.goals.push(SearchGoal::Absent(place, scope)),
        (Predicate::Test { place, test }, true) => {
            agenda.goals.push(SearchGoal::Value(place, scope, ValueFact::from_test(test)));
        }
        (Predicate::Test { place, test }, false) => agenda.choices.extend(ways_to_fail(place, test, &scope)),
        (Predicate::Compare { left, relation, right }, true) => {
            agenda.goals.push(SearchGoal::Ordered(left, TermOrder::from_relation(*relation), right, scope));
        }
        (Predicate::Compare { left, relation, right }, false) => {
            agenda.choices.extend(not_compared(left, *relation, right, &scope));
        }
    }
    Ok(())
}

/// The ways in which a place has no value that passes; none if it never has one.
fn ways_to_fail<'p>(place: &'p Place, test: &'p ValueTest, scope: &Scope<'p>) -> Option<GoalChoice<'p>> {
    if !place.value_type.is_scalar() {
        return None;
    }
    let value = |fact: ValueFact<'p>| SearchGoal::Value(place, scope.clone(), fact);
    let mut ways = vec![SearchGoal::Absent(place, scope.clone())];
    match test {
        ValueTest::Integer(interval) => {
            ways.extend(interval.min.as_ref().map(|min| value(ValueFact::Integer(None, Some(min - 1)))));
            ways.extend(interval.max.as_ref().map(|max| value(ValueFact::Integer(Some(max + 1), None))));
            ways.push(value(ValueFact::NotInteger));
        }
        ValueTest::Length(interval) => {
            ways.extend(interval.min.as_ref().map(|min| value(ValueFact::Length(None, Some(min - 1)))));
            ways.extend(interval.max.as_ref().map(|max| value(ValueFact::Length(Some(max + 1), None))));
            ways.push(value(ValueFact::NoText));
        }
        ValueTest::OneOf(_) | ValueTest::Matches(_) => {
            ways.push(value(ValueFact::Fails(test)));
            ways.push(value(ValueFact::NoText));
        }
    }
    Some(ways)
}

/// The ways in which a comparison does not hold; none if it never holds.
fn not_compared<'p>(
    left: &'p Operand,
    relation: OperandRelation,
    right: &'p Operand,
    scope: &Scope<'p>,
) -> Option<GoalChoice<'p>> {
    if !is_comparable(left, right) {
        return None;
    }
    let mut ways = Vec::new();
    for operand in [left, right] {
        let (place, scope) = (operand.place(), scope.clone());
        ways.push(SearchGoal::Absent(place, scope.clone()));
        let without =
            if matches!(operand, Operand::Integer(_)) { ValueFact::NotInteger } else { ValueFact::NoText };
        ways.push(SearchGoal::Value(place, scope, without));
    }
    let is_text = matches!(left, Operand::Text(_));
    let opposites: &[TermOrder] = match relation {
        OperandRelation::AtLeast => &[TermOrder::Less],
        OperandRelation::AtMost => &[TermOrder::More],
        OperandRelation::Equal if is_text => &[TermOrder::Different],
        OperandRelation::Equal => &[TermOrder::Less, TermOrder::More],
    };
    ways.extend(opposites.iter().map(|order| SearchGoal::Ordered(left, *order, right, scope.clone())));
    Some(ways)
}

/// True if both are numbers, or both are texts of scalars.
fn is_comparable(left: &Operand, right: &Operand) -> bool {
    let is_text = |operand: &Operand| matches!(operand, Operand::Text(_));
    let is_scalar = |operand: &Operand| operand.place().value_type.is_scalar();
    is_text(left) == is_text(right) && is_scalar(left) && is_scalar(right)
}

fn add_order<'p>(
    left: &'p Operand,
    order: TermOrder,
    right: &'p Operand,
    scope: &Scope<'p>,
    case: &mut SearchCase<'p>,
    agenda: &mut GoalAgenda<'p>,
) -> Result<(), Conflict> {
    if !is_comparable(left, right) {
        return Err(Conflict);
    }
    let mut term = |operand: &'p Operand| {
        let place = operand.place();
        let address = locate_place(place, scope).ok_or(Conflict)?;
        let (fact, term) = match operand {
            Operand::Integer(_) => (ValueFact::Integer(None, None), ComparedTerm::Integer(address.clone())),
            Operand::Length(_) => {
                (ValueFact::Length(Some(BigInt::ZERO), None), ComparedTerm::Length(address.clone()))
            }
            Operand::Text(_) => {
                (ValueFact::Length(Some(BigInt::ZERO), None), ComparedTerm::Text(address.clone()))
            }
        };
        case.learn_fact(place, address, fact, agenda)?;
        Ok(term)
    };
    let (left, right) = (term(left)?, term(right)?);
    case.add_comparison(left, order, right);
    Ok(())
}
