//! Cost of a rule before any object is seen.

use kvrules_apiserver::cost;
use serde_json::Value;

use super::path::NodePath;

/// The most that one rule may cost.
pub(super) const RULE_LIMIT: u64 = cost::EXPRESSION_LIMIT;

/// The most that all rules of one version may cost.
pub(super) const SCHEMA_LIMIT: u64 = cost::SCHEMA_LIMIT;

/// The cost of a rule at a node, as the server estimates it: of one evaluation, times the number of values that a
/// schema allows there. An error is the server's reason not to take the rule at any cost.
pub(super) fn of_rule(schema: &Value, node: &NodePath, rule: &str) -> Result<u64, String> {
    match cost::cost_of_rule(schema, &node.server_name(), rule) {
        Ok(cost) => Ok(cost.total),
        Err(error) => Err(cost_error(&error.to_string())),
    }
}

/// Returns the server's error message, without its position in the expression and the excerpt.
fn cost_error(error: &str) -> String {
    let first = error.lines().next().unwrap_or_default();
    let placed = first.split_once("<input>:").map_or(first, |(_, rest)| rest);
    placed.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':' || c == ' ').to_owned()
}

/// The cost of the message of a validation at a node, which is an object; nothing if the server does not take it.
pub(super) fn of_message(schema: &Value, node: &NodePath, validation: Value) -> Option<u64> {
    let mut alone = node.find(schema)?.clone();
    alone.as_object_mut()?.insert("x-kubernetes-validations".to_owned(), Value::Array(vec![validation]));
    let found = cost::review_rules(&alone, "").rules.into_iter().next();
    found.filter(|rule| rule.path == "openAPIV3Schema" && rule.valid)?.message_expression_cost
}

/// The cost of the rules that a schema has.
pub(super) fn of_schema(schema: &Value) -> u64 {
    cost::review_rules(schema, "spec.validation").total_cost
}

/// A cost as the share of what one rule may cost.
pub(super) fn cost_share(cost: u64) -> String {
    // In hundredths of a percent, rounded up, so that a cost is never understated.
    let parts = cost.saturating_mul(100).div_ceil(RULE_LIMIT / 100);
    format!("{}.{:02}%", parts / 100, parts % 100)
}
