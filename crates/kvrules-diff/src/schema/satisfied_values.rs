//! Values that are changed until all rules of a side hold at a place and below it.

use kvrules_generate::{ObjectGenerator, PlaceStep, schema_at_place};
use kvrules_ir::Formula;
use kvrules_lift::{FormulaGoal, FormulaSatisfier, PlacedFormula, RuleTiming};
use serde_json::Value;

use super::formulas::SideRules;

/// The most rules that are made to hold together.
const MOST_RULES: usize = 48;
/// Number of times that a value is made.
const ATTEMPTS: usize = 4;

/// Returns values of a place for which the rules hold that are evaluated at creation, and for which something else holds. The server
/// has not been asked about them.
pub(super) fn satisfied_values(
    side: &SideRules<'_>,
    place: &[PlaceStep],
    also: Option<&Formula>,
) -> Vec<Value> {
    let Some(node) = schema_at_place(side.schema, place) else { return Vec::new() };
    let inner = side.rules.iter().enumerate().filter(|(_, rule)| rule.place.starts_with(place));
    let inner: Vec<_> = inner.take(MOST_RULES + 1).collect();
    if inner.len() > MOST_RULES {
        return Vec::new();
    }
    let with_formula = |(index, rule)| Some((rule, side.rule_formula(index).ok()?));
    let known: Vec<(_, PlacedFormula)> = inner.into_iter().filter_map(with_formula).collect();
    let created = known.iter().filter(|(_, formula)| formula.timing == RuleTiming::Always);
    let rules = created.map(|(rule, formula)| FormulaGoal {
        place: rule.place.get(place.len()..).unwrap_or_default(),
        schema: &rule.schema,
        formula: &formula.formula,
    });
    let also = also.map(|formula| FormulaGoal { place: &[], schema: node, formula });
    let mut satisfier = FormulaSatisfier::new(rules.chain(also).collect());
    let start = ObjectGenerator::new(node).generate_valid(0);
    let mut found = Vec::new();
    for _ in 0..ATTEMPTS {
        found.extend(satisfier.change_value(&start, None));
        if satisfier.is_exhausted() {
            break;
        }
    }
    found
}
