//! Comparison of the meaning of rules with the evaluation of their expressions.

use kvrules_generate::ObjectGenerator;
use kvrules_lift::{DefinitionRule, RuleValues, lift_expression};
use serde_json::{Value as Json, json};

use crate::meaning::EvaluatedValue;
use crate::review::placed_rules;
use crate::rule_set::RuleSet;
use crate::violations::evaluate_on;

/// Result of the comparison for one rule.
#[derive(Clone, Debug, Default)]
pub struct RuleConfirmation {
    /// The name of the rule.
    pub rule: String,
    /// Number of values that were compared.
    pub values: usize,
    /// Number of those that violate the rule.
    pub violating: usize,
    /// A value for which they differ.
    pub departure: Option<MeaningDeparture>,
}

/// A value for which the meaning of a rule and its expression differ.
#[derive(Clone, Debug)]
pub struct MeaningDeparture {
    /// The value at the place of the rule.
    pub value: Json,
    /// The stored value, in an update.
    pub stored: Option<Json>,
    /// True if the condition holds.
    pub holds: bool,
    /// The result of the expression; `None` for an error.
    pub expression: Option<bool>,
}

/// The object with the metadata that every object has, if a rule is about the whole object.
fn with_metadata(mut value: Json, rule: &DefinitionRule<'_>) -> Json {
    let has_metadata = rule.place.is_empty() && rule.schema.pointer("/properties/metadata").is_some();
    if let Some(fields) = value.as_object_mut().filter(|_| has_metadata) {
        fields.entry("metadata").or_insert_with(|| json!({}));
    }
    value
}

/// Compares the meaning of each rule with the evaluation of its expression on so many values that the schema accepts.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_rule_set::{SubjectDefinitions, confirm_meaning, read_rule_set};
///
/// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
///     subject: {apiVersion: apps/v1, kind: Deployment}\n  \
///     rules: [{name: replicas, path: spec.replicas, integer: {min: 2}}]\n";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut Vec::new()).unwrap();
/// let confirmed = confirm_meaning(&set, 100);
/// assert!(confirmed[0].values > 50 && confirmed[0].violating > 0 && confirmed[0].departure.is_none());
/// ```
pub fn confirm_meaning(set: &RuleSet, values: usize) -> Vec<RuleConfirmation> {
    let mut confirmed = Vec::new();
    for (rule, placed) in placed_rules(set) {
        let mut result = RuleConfirmation { rule: rule.name.clone(), ..RuleConfirmation::default() };
        let Ok((expression, checked)) = placed.check_types() else {
            confirmed.push(result);
            continue;
        };
        let lifted = lift_expression(&expression, &checked, &[]).ok();
        let mut made = lifted.map(|formulas| RuleValues::new(&placed, &formulas));
        let mut generator = ObjectGenerator::new(&placed.schema);
        let is_transition = placed.source.is_transition_rule();
        for index in 0..values {
            let pair = match &mut made {
                Some(made) => made.next_pair(index),
                None if is_transition => {
                    Some((generator.generate_valid(index), Some(generator.generate_valid(index / 2))))
                }
                None => Some((generator.generate_valid(index), None)),
            };
            let Some((value, stored)) = pair else { continue };
            let complete = |value: Json| with_metadata(value, &placed);
            let (value, stored) = (complete(value), stored.map(complete));
            let given =
                EvaluatedValue { value: &value, stored: stored.as_ref(), schema: Some(&placed.schema) };
            let actual = evaluate_on(&expression, given, &placed.schema);
            let by_text = |text: &str, given: EvaluatedValue<'_>| {
                let own = kvrules_cel::parse(text).ok()?;
                evaluate_on(&own, given, &placed.schema)
            };
            let holds = rule.placed.holds_for(given, &by_text);
            result.values += 1;
            result.violating += usize::from(!holds);
            if actual != Some(holds) && result.departure.is_none() && (holds || !rule.placed.may_fail()) {
                result.departure = Some(MeaningDeparture {
                    value: value.clone(),
                    stored: stored.clone(),
                    holds,
                    expression: actual,
                });
            }
        }
        confirmed.push(result);
    }
    confirmed
}
