//! Cost of rules on a given schema. The server rejects a definition with a rule that may cost too much.

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, RuleSite};

use crate::Request;
use crate::crd::DefinitionSource;

/// The root of a schema, where the rules are to stand; nothing is known of costs without one.
pub(super) struct CostBudget(Option<RuleSite>);

impl CostBudget {
    /// Returns the budget of the given definition, in the version that the rules are about.
    pub(super) fn of(request: &Request<'_>) -> Self {
        let schema =
            request.schema.and_then(|file| DefinitionSource::new(file).selected_schema(request.subject));
        Self(schema.and_then(|schema| RuleSite::on_servers(&schema, "", request.servers).ok()))
    }

    /// The share of the budget that a rule needs; the cause where the server would not take it.
    pub(super) fn share(&self, rule: &str) -> Result<Option<String>, String> {
        let Some(site) = &self.0 else { return Ok(None) };
        let cost =
            site.rule_cost(rule).map_err(|error| format!("the server rejects it: {}", first_line(&error)))?;
        if !cost.is_accepted() {
            let total = cost.total;
            return Err(format!("estimated rule cost {total} exceeds the limit of {EXPRESSION_LIMIT}"));
        }
        // In hundredths of a percent, rounded up, so that a cost is never understated.
        let parts = cost.total.saturating_mul(10_000).div_ceil(EXPRESSION_LIMIT);
        Ok(Some(format!("{}.{:02}%", parts / 100, parts % 100)))
    }

    /// True if the server accepts the expression for an answer.
    pub(super) fn has_room_for(&self, answer: &str) -> bool {
        let cost = self.0.as_ref().map(|site| site.message_expression(answer));
        cost.is_none_or(|cost| cost.is_ok_and(|cost| cost <= EXPRESSION_LIMIT))
    }
}

/// The first line of an error, which has a picture of the expression below.
fn first_line(error: &impl ToString) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
