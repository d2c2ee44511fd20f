//! The limits, and the server's words for what exceeds them.

/// The most one rule may cost, with its cardinality, and one messageExpression, without.
// apiextensions validation.go, StaticEstimatedCostLimit and StaticEstimatedCRDCostLimit
pub const EXPRESSION_LIMIT: u64 = 10_000_000;

/// The most all rules of one version's schema may cost.
pub const SCHEMA_LIMIT: u64 = 100_000_000;

/// The most one evaluation may really cost.
// apiserver apis/cel/config.go, PerCallLimit and RuntimeCELCostBudget
pub const RUNTIME_EXPRESSION_LIMIT: u64 = 1_000_000;

/// Rules cheaper than this are never named as those that make a schema too expensive.
// apiextensions validation/cel_validation.go, ObserveExpressionCost
pub(super) const NOTEWORTHY: u64 = SCHEMA_LIMIT / 100;

/// Maximum number of expensive rules that are named.
pub(super) const NAMED: usize = 4;

/// Server's message for the rules that it names.
pub(super) const CONTRIBUTED: &str =
    "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";

/// The server's words for a cost above its limit.
// apiextensions validation.go, getCostErrorMessage
pub(super) fn limit_exceeded_message(what: &str, cost: u64, limit: u64) -> String {
    let advice = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, \
                  and strings are declared";
    format!("{what} exceeds budget by factor of {} ({advice})", excess_factor(cost, limit))
}

#[expect(clippy::cast_precision_loss, reason = "the server computes in floats")]
fn excess_factor(cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    if factor > 100.0 {
        "more than 100x".to_owned()
    // Six digits, so that no cost exceeds its limit by a factor of 1.0.
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    }
}
