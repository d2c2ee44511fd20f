//! Values that are changed until all rules of a place say what is wanted.

use std::sync::Arc;

use kvrules_apiserver::crd::with_object_meta;
use kvrules_emit::resource_schema::RuleSchema;
use kvrules_generate::PlaceStep;
use kvrules_lift::{
    DefinitionRule, FormulaGoal, FormulaSatisfier, LiftedExpression, ValuesSchema, rule_places, value_rules,
};
use serde_json::Value as Json;

/// A rule at or below a place, with its formulas.
#[derive(Debug)]
pub(crate) struct PlaceRule<'s> {
    /// The steps from the place to the values of the rule.
    pub(crate) steps: Vec<PlaceStep>,
    pub(crate) rule: DefinitionRule<'s>,
    pub(crate) formulas: Arc<LiftedExpression>,
}

impl PlaceRule<'_> {
    /// Returns the rule with a schema of its own.
    pub(super) fn into_owned(self) -> PlaceRule<'static> {
        PlaceRule { steps: self.steps, rule: self.rule.into_owned(), formulas: self.formulas }
    }

    /// Returns true if a server evaluates the rule when an object is created, or updated. The stored item that an item of a list replaces is
    /// not known.
    pub(crate) fn is_evaluated(&self, is_update: bool) -> bool {
        let source = &self.rule.source;
        !source.is_transition_rule() || source.optional_old_self || self.steps.is_empty() && is_update
    }

    /// Returns the goal that the rule holds.
    pub(crate) fn holding_goal(&self) -> FormulaGoal<'_> {
        FormulaGoal { place: &self.steps, schema: &self.rule.schema, formula: &self.formulas.holds }
    }
}

/// Number of times that a value is made, unless one time takes all steps.
const ATTEMPTS: usize = 6;

/// Returns the rules of a schema that have formulas. `is_root` says that it is that of a whole object.
pub(crate) fn place_rules(schema: &Json, is_root: bool) -> Vec<PlaceRule<'_>> {
    let mut found = Vec::new();
    for place in rule_places(schema) {
        let is_whole = is_root && place.steps.is_empty();
        let node =
            if is_whole { with_object_meta(place.node).into() } else { ValuesSchema::Borrowed(place.node) };
        let rule_schema = RuleSchema::of_values(&node, is_whole);
        for rule in value_rules(&node, is_whole) {
            if let Ok(formulas) = rule_schema.lift_known_rule(&rule) {
                found.push(PlaceRule { steps: place.steps.clone(), rule, formulas: Arc::new(formulas) });
            }
        }
    }
    found
}

/// Returns values for which all rules hold, made from one; `except` are the formulas of the rule of a number at the place itself, which is
/// to reject them. Without an old value, rules about updates do not count.
pub(super) fn satisfied_values<'a>(
    rules: &'a [PlaceRule<'a>],
    value: &'a Json,
    old: Option<&'a Json>,
    except: Option<(usize, &'a LiftedExpression)>,
) -> impl Iterator<Item = Json> + use<'a> {
    let is_excepted = move |rule: &&PlaceRule<'_>| {
        rule.steps.is_empty() && except.is_some_and(|(index, _)| index == rule.rule.index)
    };
    let schema = rules.iter().find(is_excepted).map(|rule| &*rule.rule.schema);
    let others = rules.iter().filter(move |rule| !is_excepted(rule) && rule.is_evaluated(old.is_some()));
    let goals = others.map(PlaceRule::holding_goal);
    let rejects = except.zip(schema).map(|((_, formulas), schema)| FormulaGoal {
        place: &[],
        schema,
        formula: &formulas.fails,
    });
    satisfying_values(goals.chain(rejects).collect(), value, old)
}

/// Returns values for which goals hold, made from one.
pub(crate) fn satisfying_values<'a>(
    goals: Vec<FormulaGoal<'a>>,
    value: &'a Json,
    old: Option<&'a Json>,
) -> impl Iterator<Item = Json> + use<'a> {
    let mut satisfier = FormulaSatisfier::new(goals);
    let attempt = move |_| (!satisfier.is_exhausted()).then(|| satisfier.change_value(value, old));
    (0..ATTEMPTS).map_while(attempt).flatten()
}
