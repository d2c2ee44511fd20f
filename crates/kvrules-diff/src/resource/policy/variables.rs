//! Expressions of a policy with its variables put in.

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_lift::inline_variables;
use serde_json::Value;

use crate::schema::canonical_spelling;

/// All expressions that decide, with variables put in.
pub(super) fn all_expressions(content: &Value) -> Vec<String> {
    let found =
        ["matchConditions", "validations", "auditAnnotations"].iter().flat_map(|key| entries(content, key));
    found.map(|entry| entry.inlined).collect()
}

/// An entry of a list with an expression.
#[derive(Clone, Debug)]
pub(super) struct ExpressionEntry<'v> {
    pub(super) index: usize,
    pub(super) value: &'v Value,
    /// The expression with variables put in.
    pub(super) inlined: String,
    /// The spelling that all expressions of the same form have.
    pub(super) spelling: String,
}

/// The entries of a list of a policy.
pub(super) fn entries<'v>(content: &'v Value, key: &str) -> Vec<ExpressionEntry<'v>> {
    let list = content.pointer(&format!("/spec/{key}")).and_then(Value::as_array).into_iter().flatten();
    let policy = Policy::from_json(content);
    let written = if key == "auditAnnotations" { "valueExpression" } else { "expression" };
    let text =
        |value: &Value| value.get(written).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let entry = |(index, value): (usize, &'v Value)| {
        let expression = match key {
            "matchConditions" => PolicyExpression::MatchCondition(index),
            "auditAnnotations" => PolicyExpression::AuditAnnotation(index),
            _ => PolicyExpression::Validation(index),
        };
        let inlined = inline_variables(&policy, expression).map(|expression| expression.source);
        let inlined = inlined.unwrap_or_else(|_| text(value));
        ExpressionEntry { index, value, spelling: canonical_spelling(&inlined), inlined }
    };
    list.enumerate().map(entry).collect()
}
