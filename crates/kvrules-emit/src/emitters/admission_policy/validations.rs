//! Rules as validations, with variables for what they share.

use kvrules_ir::{ElaboratedRule, ElaboratedSet, Predicate, Severity};
use serde_json::{Map, Value, json};

use crate::cel::{
    Dialect, Expr, SharedParts, explain_rule, lower_sharing, rule_message, rule_text, shared_variables,
    yaml_text,
};
use crate::policy::{PolicyResource, policy_fidelity};
use crate::{Fidelity, RuleFidelity};

const DIALECT: Dialect = Dialect::ADMISSION_POLICY;

/// Parts of a policy for the rules of one severity.
#[derive(Default)]
pub(super) struct PolicyParts {
    pub(super) variables: Vec<Value>,
    pub(super) validations: Vec<Value>,
    /// For each rule, its position in the set and its fidelity.
    pub(super) fidelity: Vec<(usize, RuleFidelity)>,
}

impl PolicyParts {
    pub(super) fn of(set: &ElaboratedSet, severity: Severity, resource: &PolicyResource) -> Self {
        let rules: Vec<(usize, &ElaboratedRule)> =
            set.rules.iter().enumerate().filter(|(_, rule)| rule.severity == severity).collect();
        // A rule that cannot be expressed must not add variables, which would then be unused.
        let is_expressible =
            |predicate: &&Predicate| lower_sharing(predicate, DIALECT, &SharedParts::default()).is_ok();
        let shared = SharedParts::of(rules.iter().map(|(_, rule)| &rule.predicate).filter(is_expressible));
        let generated = Self::sharing(set, &rules, &shared).evaluated(&rules, resource);
        // A variable with a single use is not worth a name.
        let is_needed = |name: &str| generated.count(name) > 1;
        if shared.start_name().is_none_or(is_needed) {
            return generated;
        }
        Self::sharing(set, &rules, &shared.without_start()).evaluated(&rules, resource)
    }

    /// With what follows from the requests that are evaluated.
    fn evaluated(mut self, rules: &[(usize, &ElaboratedRule)], resource: &PolicyResource) -> Self {
        for ((_, generated), (_, rule)) in self.fidelity.iter_mut().zip(rules) {
            generated.fidelity = policy_fidelity(generated.fidelity.clone(), resource, rule);
        }
        self
    }

    fn sharing(set: &ElaboratedSet, rules: &[(usize, &ElaboratedRule)], shared: &SharedParts) -> Self {
        let mut generated = Self::default();
        for (position, rule) in rules {
            let (validation, fidelity) = build_validation(rule, shared);
            generated.validations.extend(validation);
            let (set, rule) = (set.name.clone(), rule.name.clone());
            generated.fidelity.push((*position, RuleFidelity { set, rule, fidelity }));
        }
        generated.variables = used_variables(shared, &generated.validations);
        generated
    }

    /// Returns the number of expressions that use a variable.
    fn count(&self, name: &str) -> usize {
        let fields = self.validations.iter().chain(&self.variables).filter_map(Value::as_object);
        let texts = fields.flat_map(Map::values).filter_map(Value::as_str);
        texts.filter(|text| mentions_variable(text, name)).count()
    }
}

/// The validation of a rule, if any, and the fidelity.
fn build_validation(rule: &ElaboratedRule, shared: &SharedParts) -> (Option<Value>, Fidelity) {
    let lowered = match lower_sharing(&rule.predicate, DIALECT, shared) {
        Ok(lowered) => lowered,
        Err(unsupported) => return (None, Fidelity::Unsupported(unsupported.cause)),
    };
    if lowered.expression == Expr::Bool(true) {
        return (None, lowered.fidelity);
    }
    let expression = match rule_text(&lowered.expression) {
        Ok(expression) => expression,
        Err(fidelity) => return (None, fidelity),
    };
    let mut validation = Map::new();
    let mut say = |key: &str, value: String| validation.insert(key.to_owned(), value.into());
    say("expression", expression);
    say("message", rule_message(rule));
    if let Some(Ok(explained)) = explain_rule(rule, DIALECT, shared).map(|text| rule_text(&text)) {
        say("messageExpression", explained);
    }
    say("reason", "Invalid".to_owned());
    (Some(validation.into()), lowered.fidelity)
}

/// The variables that validations use, each after those that it uses itself.
fn used_variables(shared: &SharedParts, validations: &[Value]) -> Vec<Value> {
    let mut texts: Vec<String> = validations.iter().map(Value::to_string).collect();
    let mut used = Vec::new();
    for (name, expression) in shared_variables(shared, DIALECT).unwrap_or_default().into_iter().rev() {
        if texts.iter().any(|text| mentions_variable(text, &name)) {
            let expression = yaml_text(&expression);
            texts.push(expression.clone());
            used.push(json!({ "name": name, "expression": expression }));
        }
    }
    used.reverse();
    used
}

fn mentions_variable(text: &str, name: &str) -> bool {
    let after = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.split("variables.").skip(1).any(|rest| rest.strip_prefix(name).is_some_and(after))
}
