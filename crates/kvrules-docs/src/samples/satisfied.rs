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
}

/// Number of times that a value is made, unless one time takes all steps.
const ATTEMPTS: usize = 6;

/// Returns the rules of a schema that have formulas. `is_root` says that it is that of a whole object.
pub(super) fn place_rules(schema: &Json, is_root: bool) -> Vec<PlaceRule<'_>> {
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
    let is_evaluated = move |rule: &&PlaceRule<'_>| {
        let source = &rule.rule.source;
        !source.is_transition_rule() || source.optional_old_self || rule.steps.is_empty() && old.is_some()
    };
    let schema = rules.iter().find(is_excepted).map(|rule| &*rule.rule.schema);
    let others = rules.iter().filter(|rule| !is_excepted(rule)).filter(is_evaluated);
    let goals = others.map(|rule| FormulaGoal {
        place: &rule.steps,
        schema: &rule.rule.schema,
        formula: &rule.formulas.holds,
    });
    let rejects = except.zip(schema).map(|((_, formulas), schema)| FormulaGoal {
        place: &[],
        schema,
        formula: &formulas.fails,
    });
    let mut satisfier = FormulaSatisfier::new(goals.chain(rejects).collect());
    let attempt = move |_| (!satisfier.is_exhausted()).then(|| satisfier.change_value(value, old));
    (0..ATTEMPTS).map_while(attempt).flatten()
}
