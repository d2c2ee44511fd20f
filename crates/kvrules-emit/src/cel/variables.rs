//! Definitions of shared names, as the `variables` of a policy.

use kvrules_ir::{Place, PlaceBase, ValueType};

use super::dialect::Dialect;
use super::expr::Expr;
use super::place::PlaceRoots;
use super::shared::SharedParts;
use super::unsupported::UnsupportedReason;

/// The names with what they stand for, each after those that it needs.
pub(crate) fn shared_variables(
    shared: &SharedParts,
    dialect: Dialect,
) -> Result<Vec<(String, Expr)>, UnsupportedReason> {
    let nothing = SharedParts::default();
    let mut variables = Vec::new();
    if let Some(start) = &shared.start {
        let steps = start.steps.clone();
        let place = Place { base: PlaceBase::Root, steps, value_type: ValueType::Object, default: None };
        let scope = PlaceRoots { dialect, shared: &nothing, variables: &[] };
        variables.push((start.name.clone(), or_else(scope, &place, Expr::EmptyMap)?));
    }
    let beginning = SharedParts { start: shared.start.clone(), lists: Vec::new() };
    let scope = PlaceRoots { dialect, shared: &beginning, variables: &[] };
    for (list, name) in &shared.lists {
        variables.push((name.clone(), or_else(scope, list, Expr::List(Vec::new()))?));
    }
    Ok(variables)
}

/// A value where the object spells it out, else another.
fn or_else(scope: PlaceRoots<'_>, place: &Place, otherwise: Expr) -> Result<Expr, UnsupportedReason> {
    let reading = scope.read(place)?;
    let guards = Expr::all_of(reading.guards());
    Ok(reading.value.if_then_else(guards, otherwise))
}
