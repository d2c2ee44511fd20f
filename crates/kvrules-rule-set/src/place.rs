//! Places of rules in a schema: as deep as the meaning allows, where a rule costs least and its message names the field.

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, RuleSite};
use kvrules_generate::{PlaceStep, schema_at_place, server_path};
use serde_json::{Value as Json, json};

use crate::condition::Condition;
use crate::lower::to_cel;
use crate::meaning::EvaluatedValue;
use crate::path::{PathStep, RulePath};
use crate::shape::{self, child_schema};
use crate::subject::RuleSubject;

/// A condition about the values at a place.
#[derive(Clone, Debug)]
pub(crate) struct PlacedCondition {
    /// The steps from the object.
    pub(crate) place: Vec<PlaceStep>,
    /// The condition, relative to the place.
    pub(crate) condition: Condition,
}

/// Returns the place for a condition about the values at `scope`: the deepest, where the message names the field, unless it is expensive
/// there; then the one with the lowest cost. A rule whose message shows the value is at the deepest place in any case.
pub(crate) fn choose_place(
    scope: &RulePath,
    condition: &Condition,
    subject: &RuleSubject,
    shows_value: bool,
) -> PlacedCondition {
    let schema = &subject.schema;
    let mut places = find_places(scope, condition, subject);
    let deepest =
        places.pop().unwrap_or_else(|| PlacedCondition { place: Vec::new(), condition: condition.clone() });
    let cost = |placed: &PlacedCondition| {
        let node = schema_at_place(schema, &placed.place)?;
        let site = RuleSite::new(schema, &server_path(schema, &placed.place)).ok()?;
        Some(site.rule_cost(&to_cel(&placed.condition, node)?).ok()?.total)
    };
    let of_deepest = cost(&deepest).unwrap_or(u64::MAX);
    // Only a server has a limit on costs.
    if shows_value || subject.is_of_documents() || of_deepest <= MODERATE_COST {
        return deepest;
    }
    // Of equal costs the deepest.
    let others = places.into_iter().rev().filter_map(|placed| Some((cost(&placed)?, placed)));
    match others.min_by_key(|(cost, _)| *cost) {
        Some((lowest, cheapest)) if lowest < of_deepest => cheapest,
        _ => deepest,
    }
}

/// Cost up to which a rule is at the deepest place: a hundredth of the limit for a rule.
const MODERATE_COST: u64 = EXPRESSION_LIMIT / 100;

/// Moves a condition about the values at `scope` down, and returns it at each place. A server evaluates a rule on the values at its place, so a rule may only
/// move to a value that is always there, or without which the condition holds.
fn find_places(scope: &RulePath, condition: &Condition, subject: &RuleSubject) -> Vec<PlacedCondition> {
    let schema = &subject.schema;
    let mut place: Vec<PlaceStep> = scope.0.iter().map(to_place_step).collect();
    let mut node = shape::schema_at(schema, scope).unwrap_or(schema);
    let mut condition = condition.clone();
    let mut places = Vec::new();
    loop {
        places.push(PlacedCondition { place: place.clone(), condition: condition.clone() });
        if let Condition::ForAll(list, inner) = &condition
            && list.0.is_empty()
        {
            let Some(items) = child_schema(node, &PathStep::Each) else { break };
            // No rule runs for an item that is null.
            if shape::is_nullable(items) && !holds_for(inner, &Json::Null) {
                break;
            }
            place.push(PlaceStep::Any);
            (node, condition) = (items, (**inner).clone());
            continue;
        }
        let Some(name) = common_step(&condition).filter(|_| !is_about_presence(&condition)) else { break };
        let is_root = place.is_empty() && !subject.is_of_documents();
        let Some(child) = next_schema(node, &name, &condition, is_root) else { break };
        condition = condition.below_first_step();
        place.push(PlaceStep::Field(name));
        node = child;
    }
    places
}

pub(crate) fn to_place_step(step: &PathStep) -> PlaceStep {
    match step {
        PathStep::Field(name) => PlaceStep::Field(name.clone()),
        PathStep::Each => PlaceStep::Any,
    }
}

/// True if a condition is about the presence of a field of the value, and not about its value: at the field it would be constant.
fn is_about_presence(condition: &Condition) -> bool {
    let mut paths = Vec::new();
    condition.visit_paths(&mut |path| paths.push(path));
    paths.iter().all(|path| path.0.len() == 1) && !condition.tests_values()
}

/// The field that all paths begin with.
fn common_step(condition: &Condition) -> Option<String> {
    if condition.has_cel() {
        return None;
    }
    let mut paths = Vec::new();
    condition.visit_paths(&mut |path| paths.push(path));
    let first = paths.first()?.0.first()?.clone();
    let PathStep::Field(name) = first else { return None };
    let is_common = |path: &&RulePath| path.0.first() == Some(&PathStep::Field(name.clone()));
    paths.iter().all(is_common).then_some(name)
}

/// The schema of a field to which a condition may move.
fn next_schema<'s>(node: &'s Json, name: &str, condition: &Condition, is_root: bool) -> Option<&'s Json> {
    // A rule within `metadata` is not allowed.
    // apiextensions schema/validation.go, validateMetadata
    if shape::is_map(node) || (is_root && name == "metadata") {
        return None;
    }
    let child = child_schema(node, &PathStep::Field(name.to_owned()))?;
    let holds_without =
        |condition: &Condition| !condition.reads_absent_stored() && holds_for(condition, &json!({}));
    (!shape::may_be_absent(node, name) || holds_without(condition)).then_some(child)
}

/// True if a condition without expressions holds for a value.
pub(crate) fn holds_for(condition: &Condition, value: &Json) -> bool {
    condition.holds_for(EvaluatedValue { value, stored: None, schema: None }, &|_, _| None)
}
