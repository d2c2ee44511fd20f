//! The rules in CEL: those whose formula has a counterpart in keywords are expressed exactly, the others not at all.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_diagnostics::Exactness;
use kvrules_generate::PlaceStep;
use kvrules_lift::{DefinitionRule, lift_rule};
use serde_json::{Map, Value};

use super::Converter;
use super::lowering::Lowering;
use super::objects::add_conjunct;

const KEYWORD: &str = "x-kubernetes-validations";

/// Number of objects on which the formula of a rule must agree with the server before a schema relies on it.
const CONFIRMED_ON: usize = 60;

impl Converter {
    /// Adds the rules of a node that keywords can express.
    pub(super) fn add_rules(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        let rules = node.get(KEYWORD).and_then(Value::as_array).filter(|rules| !rules.is_empty());
        let Some(rules) = rules else { return };
        let is_root = self.path.is_empty();
        if let Some(cause) = self.policy_only {
            for index in 0..rules.len() {
                let separator = if is_root { "" } else { "." };
                let name = format!("{}{separator}{KEYWORD}[{index}]", self.path.concat());
                self.rules.insert(name, cause.to_owned());
            }
            return;
        }
        let schema = Value::Object(node.clone());
        let schema = Arc::new(if is_root { with_object_meta(&schema) } else { schema });
        for (index, rule) in rules.iter().enumerate() {
            let rule = DefinitionRule {
                place: if is_root { Vec::new() } else { vec![PlaceStep::Any] },
                schema: Arc::clone(&schema),
                index,
                source: RuleSource::from_json(rule),
                constant_fields: Vec::new(),
            };
            match self.lower_rule(&rule) {
                Ok(Value::Object(lowered)) if lowered.is_empty() => {}
                Ok(lowered) => add_conjunct(made, lowered),
                Err(cause) => {
                    let separator = if is_root { "" } else { "." };
                    let name = format!("{}{separator}{KEYWORD}[{index}]", self.path.concat());
                    self.rules.insert(name, cause);
                }
            }
        }
    }

    fn lower_rule(&self, rule: &DefinitionRule) -> Result<Value, String> {
        if rule.source.is_transition_rule() {
            return Err("a schema does not know the stored object".to_owned());
        }
        let lifted = lift_rule(rule, CONFIRMED_ON).map_err(|opaque| opaque.to_string())?;
        Lowering::new(self.options, &rule.schema).lower_rule(&lifted.formulas.holds)
    }
}

/// Returns an entry for each rule of a schema. `omitted` has the reasons for which rules are not expressed, by their names.
pub(super) fn rule_entries(
    schema: &Value,
    omitted: &HashMap<String, String>,
) -> Vec<(String, Exactness, String)> {
    let mut names = Vec::new();
    collect_names(schema, "", &mut names);
    let entry = |name: String| match omitted.get(&name) {
        Some(cause) => (name, Exactness::Unsupported, cause.clone()),
        None => (name, Exactness::Exact, String::new()),
    };
    names.into_iter().map(entry).collect()
}

fn collect_names(node: &Value, path: &str, found: &mut Vec<String>) {
    let Some(keywords) = node.as_object() else { return };
    let rules = node.get(KEYWORD).and_then(Value::as_array).map_or(0, Vec::len);
    let separator = if path.is_empty() { "" } else { "." };
    found.extend((0..rules).map(|index| format!("{path}{separator}{KEYWORD}[{index}]")));
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
