//! Cost of a rule before any object is seen.

use kvrules_apiserver::cost::{self, RuleSite};
use kvrules_cel::kubernetes::KubernetesVersions;
use serde_json::Value;

use super::path::NodePath;

/// The most that one rule may cost.
pub(super) const RULE_LIMIT: u64 = cost::EXPRESSION_LIMIT;

/// The most that all rules of one version may cost.
pub(super) const SCHEMA_LIMIT: u64 = cost::SCHEMA_LIMIT;

/// The cost of a rule at a node, as the servers estimate it at most: of one evaluation, times the number of values that a
/// schema allows there. An error is a server's reason not to take the rule at any cost.
pub(super) fn of_rule(
    schema: &Value,
    node: &NodePath,
    rule: &str,
    servers: KubernetesVersions,
) -> Result<u64, String> {
    let site = RuleSite::on_servers(schema, &node.server_name(), servers);
    match site.and_then(|site| site.rule_cost(rule)) {
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

/// The cost of the message of a validation at a node, which is an object; nothing if a server does not take it.
pub(super) fn of_message(
    schema: &Value,
    node: &NodePath,
    text: &str,
    servers: KubernetesVersions,
) -> Option<u64> {
    let site = RuleSite::on_servers(schema, &node.server_name(), servers).ok()?;
    site.message_expression(text).ok()
}

/// The cost of the rules that a schema has, where it is the greatest.
pub(super) fn of_schema(schema: &Value, servers: KubernetesVersions) -> u64 {
    cost::greatest_total_cost(schema, "spec.validation", servers)
}

/// A cost as the share of what one rule may cost.
pub(super) fn cost_share(cost: u64) -> String {
    // In hundredths of a percent, rounded up, so that a cost is never understated.
    let parts = cost.saturating_mul(100).div_ceil(RULE_LIMIT / 100);
    format!("{}.{:02}%", parts / 100, parts % 100)
}
