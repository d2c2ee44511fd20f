//! Entries of `x-kubernetes-validations`.

use kvrules_apiserver::needs::{first_version, rule_needs};
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_ir::ElaboratedRule;
use serde_json::{Map, Value};

use super::cost;
use super::dialect::DIALECT;
use super::path::NodePath;
use super::placement::PlacedPredicate;
use super::rebase;
use crate::cel::{Expr, SharedParts, explain_rule, field_path, rule_message, yaml_text};

/// One validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValidationEntry {
    /// The name of the rule that it is part of.
    pub(super) name: String,
    /// Cost as estimated by the server.
    pub(super) cost: u64,
    /// The expression, which may have several lines.
    rule: String,
    message: String,
    /// An expression for a message that names the value and the limit.
    message_expression: Option<String>,
    /// The same for servers without `format`.
    joined_message: Option<String>,
    /// Reason of a rejection, if it is not for a value.
    reason: Option<&'static str>,
    /// The field that the server names when it refuses, if that is not the one with the validation.
    field_path: Option<String>,
}

impl ValidationEntry {
    /// An expression for a part of a rule.
    pub(super) fn new(
        rule: &ElaboratedRule,
        placed: &PlacedPredicate,
        expression: &Expr,
        cost: u64,
        values: bool,
    ) -> Self {
        let seen = seen_from(rule, placed);
        let explained =
            seen.as_ref().filter(|seen| values && !seen.requirement.subject.leaf.steps.is_empty());
        let explained = explained.and_then(|seen| explain_rule(seen, DIALECT, &SharedParts::default()));
        Self {
            name: rule.name.clone(),
            cost,
            rule: yaml_text(expression),
            message: rule_message(rule),
            joined_message: explained.as_ref().and_then(Expr::without_format).map(|it| yaml_text(&it)),
            message_expression: explained.map(|explained| yaml_text(&explained)),
            reason: expression.asks_for_existence().then_some("FieldValueRequired"),
            field_path: seen.as_ref().and_then(field_path),
        }
    }

    /// Notes what the rule costs under the bounds that a schema has in the end.
    pub(super) fn price(&mut self, schema: &Value, node: &NodePath, servers: KubernetesVersions) {
        self.cost = cost::of_rule(schema, node, &self.rule, servers).unwrap_or(self.cost);
    }

    /// Does without a message that a server would not take; gives what the message costs.
    pub(super) fn fit_message(
        &mut self,
        schema: &Value,
        node: &NodePath,
        servers: KubernetesVersions,
    ) -> u64 {
        let forms = [self.message_expression.take(), self.joined_message.take()];
        for form in forms.into_iter().flatten() {
            let cost = cost::of_message(schema, node, &form, servers);
            if let Some(cost) = cost.filter(|cost| *cost <= cost::RULE_LIMIT) {
                self.message_expression = Some(form);
                return cost;
            }
        }
        0
    }

    /// As the schema has it.
    pub(super) fn value(&self) -> Value {
        let fields = [
            ("rule", Some(self.rule.as_str())),
            ("message", Some(self.message.as_str())),
            ("messageExpression", self.message_expression.as_deref()),
            ("reason", self.reason),
            ("fieldPath", self.field_path.as_deref()),
        ];
        let given = fields.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::from(text?))));
        Value::Object(given.collect::<Map<_, _>>())
    }

    /// True if a validation of a schema is this one, however its lines are broken.
    pub(super) fn is(&self, other: &Value) -> bool {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let text = |key: &str| other.get(key).and_then(Value::as_str).unwrap_or_default();
        words(text("rule")) == words(&self.rule) && text("message") == self.message
    }

    /// The first version of Kubernetes that takes all of it.
    pub(super) fn oldest(&self) -> KubernetesVersion {
        first_version(&rule_needs(&self.value())).unwrap_or(KubernetesVersion::NEWEST)
    }
}

/// The rule as it is seen from a node; nothing if what it evaluates is not below.
fn seen_from(rule: &ElaboratedRule, placed: &PlacedPredicate) -> Option<ElaboratedRule> {
    let PlacedPredicate { node, predicate } = placed;
    let from_here = |selector| rebase::rebase_selector(selector, node);
    let mut seen = rule.clone();
    seen.predicate = predicate.clone();
    seen.requirement.subject = from_here(&rule.requirement.subject)?;
    seen.requirement.guard = rule.requirement.guard.as_ref().and_then(from_here);
    Some(seen)
}
