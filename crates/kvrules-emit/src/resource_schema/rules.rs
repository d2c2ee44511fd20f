//! The rules in CEL: those whose formula has a counterpart in keywords are expressed exactly, the others not at all.

use std::collections::HashMap;

use kvrules_apiserver::crd::with_object_meta;
use kvrules_apiserver::definition::{ExpressionErrors, PolicyOrigin, ResourceVersion, keyword_value};
use kvrules_apiserver::policy::Policy;
use kvrules_diagnostics::Exactness;
use kvrules_ir::Formula;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{
    DefinitionRule, LiftedExpression, PolicyLifter, PolicySubject, ValuesSchema, may_end_in_error,
    value_rules,
};
use serde_json::{Map, Value};

use super::Converter;
use super::lifted_rules::{CONFIRMED_ON, RuleSchema};
use super::lowering::Lowering;
use super::objects::add_conjunct;

impl Converter {
    /// Adds the rules of a node that keywords can express.
    pub(super) fn add_rules(&mut self, schema: &Value, made: &mut Map<String, Value>) {
        let rules = keyword_value(schema, VALIDATIONS).and_then(Value::as_array);
        let Some(rules) = rules.filter(|rules| !rules.is_empty()) else { return };
        let is_root = self.path.is_empty();
        if let Some(cause) = self.policy_only {
            for index in 0..rules.len() {
                let separator = if is_root { "" } else { "." };
                let name = format!("{}{separator}{VALIDATIONS}[{index}]", self.path.concat());
                self.rules.insert(name, (Exactness::Unsupported, cause.to_owned()));
            }
            return;
        }
        let mut rule_schema = None;
        let values = if is_root { with_object_meta(schema).into() } else { ValuesSchema::Borrowed(schema) };
        for rule in value_rules(&values, is_root) {
            let separator = if is_root { "" } else { "." };
            let name = || format!("{}{separator}{VALIDATIONS}[{}]", self.path.concat(), rule.index);
            let rule_schema = rule_schema.get_or_insert_with(|| RuleSchema::of_rule(&rule));
            match self.lower_rule(&rule, rule_schema) {
                Ok(LoweredRule { schema, accepts_errors, left_out }) => {
                    if let Some(loss) = to_loss(accepts_errors, left_out) {
                        self.rules.insert(name(), loss);
                    }
                    if schema.as_object().is_none_or(|schema| !schema.is_empty()) {
                        add_conjunct(made, schema);
                    }
                }
                Err(cause) => {
                    self.rules.insert(name(), (Exactness::Unsupported, cause));
                }
            }
        }
    }

    fn lower_rule(&self, rule: &DefinitionRule, rule_schema: &RuleSchema) -> Result<LoweredRule, String> {
        if rule.source.is_transition_rule() {
            return Err("a schema does not know the stored object".to_owned());
        }
        let formulas = match self.policy_formulas.as_ref().and_then(|all| all.get(rule.index)) {
            Some(of_policy) => of_policy.clone()?,
            None => rule_schema.lift_known_rule(rule)?,
        };
        let rejects_errors = self.errors == ExpressionErrors::Reject;
        let accepted = if rejects_errors {
            formulas.holds.clone()
        } else {
            Formula::negation_of(formulas.fails.clone())
        };
        let lowering = Lowering::new(self.options, &rule.schema);
        let lowered = lowering.lower_rule(&accepted);
        self.depends_on_dialect.set(self.depends_on_dialect.get() || lowering.depends_on_dialect.get());
        let schema = lowered?;
        let accepts_errors = self.errors == ExpressionErrors::Unknown && may_end_in_error(rule, &formulas);
        Ok(LoweredRule { schema, accepts_errors, left_out: lowering.left_out() })
    }
}

/// Lifts the validations of a policy that are the rules of a version, in the order of the rules. Policies evaluate expressions
/// without types, so that they may be about several kinds of objects.
pub(super) fn lift_validations(
    version: &ResourceVersion,
    origin: &PolicyOrigin,
) -> Vec<Result<LiftedExpression, String>> {
    let (policy, subject) = (Policy::from_json(&origin.document), PolicySubject::of_version(version));
    let lifter = PolicyLifter::new(&origin.document, &policy, &subject);
    let rules = version.schema.get(VALIDATIONS).and_then(Value::as_array).map_or(0, Vec::len);
    let validation = |index: usize| origin.validations.get(&format!("{VALIDATIONS}[{index}]"));
    let lift = |index: usize| match validation(index) {
        Some(validation) => lifter.lift_for_object(*validation, CONFIRMED_ON),
        None => Err("the policy has no such validation".to_owned()),
    };
    (0..rules).map(lift).collect()
}

/// The keywords for a rule.
struct LoweredRule {
    schema: Value,
    /// True if they accept objects for which the rule ends in an error, and it is not known if servers accept these.
    accepts_errors: bool,
    /// The values that they reject although the rule accepts them, in a phrase.
    left_out: Option<String>,
}

/// The relation of keywords to the rule that they express, with its cause; `None` if they are exact.
fn to_loss(accepts_errors: bool, left_out: Option<String>) -> Option<(Exactness, String)> {
    let rejects = left_out.map(|phrase| format!("the schema rejects {phrase}"));
    match (accepts_errors, rejects) {
        (false, None) => None,
        (false, Some(rejects)) => Some((Exactness::Narrower, rejects)),
        (true, None) => Some((Exactness::Wider, FILLED_IN.to_owned())),
        (true, Some(rejects)) => Some((Exactness::Incomparable, format!("{rejects}; {FILLED_IN}"))),
    }
}

/// The cause for rules of which errors are not expressed.
const FILLED_IN: &str =
    "objects for which the expression ends in an error pass: servers fill in fields before they evaluate it";

/// Returns an entry for each rule of a schema. `inexact` has the reasons for which rules are not expressed exactly, by their names.
pub(super) fn rule_entries(
    schema: &Value,
    inexact: &HashMap<String, (Exactness, String)>,
) -> Vec<(String, Exactness, String)> {
    let mut names = Vec::new();
    collect_names(schema, "", &mut names);
    let entry = |name: String| match inexact.get(&name) {
        Some((exactness, cause)) => (name, *exactness, cause.clone()),
        None => (name, Exactness::Exact, String::new()),
    };
    names.into_iter().map(entry).collect()
}

fn collect_names(node: &Value, path: &str, found: &mut Vec<String>) {
    let Some(keywords) = node.as_object() else { return };
    let rules = node.get(VALIDATIONS).and_then(Value::as_array).map_or(0, Vec::len);
    let separator = if path.is_empty() { "" } else { "." };
    found.extend((0..rules).map(|index| format!("{path}{separator}{VALIDATIONS}[{index}]")));
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    collect_names(property, &format!("{path}{separator}{name}"), found);
                }
            }
            ("items" | "additionalProperties", schema) => collect_names(schema, &format!("{path}[*]"), found),
            _ => {}
        }
    }
}
