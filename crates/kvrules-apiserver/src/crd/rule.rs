//! One rule: its fields in the document, and its parsed expressions.

use std::sync::Arc;

use kvrules_cel::ast::{Expr, ExprKind, Expression};
use kvrules_cel::{Expressions, Parsed};
use serde_json::Value as Json;

use crate::server::ServerFeatures;

/// The fields of an entry of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSource {
    /// `rule`
    pub rule: String,
    /// `message`; empty if missing.
    pub message: String,
    /// `messageExpression`; empty if missing.
    pub message_expression: String,
    /// `reason`; empty if missing.
    pub reason: String,
    /// `fieldPath`; empty if missing.
    pub field_path: String,
    /// `optionalOldSelf`
    pub optional_old_self: bool,
}

/// A rule that has been parsed.
#[derive(Debug)]
pub struct Rule {
    /// The rule as written in the document.
    pub source: RuleSource,
    /// The rule itself.
    pub expression: Arc<Parsed>,
    /// The message's expression, if there is one.
    pub message: Option<Arc<Parsed>>,
    /// True if it is a transition rule: the rule itself names `oldSelf`.
    pub uses_old_self: bool,
    /// Field of reported failures, below the node of the rule.
    pub field: Option<String>,
}

impl RuleSource {
    /// Reads an entry of `x-kubernetes-validations`.
    pub fn from_json(json: &Json) -> Self {
        let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        Self {
            rule: text("rule"),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason: text("reason"),
            field_path: text("fieldPath"),
            optional_old_self: json.get("optionalOldSelf").and_then(Json::as_bool).unwrap_or(false),
        }
    }

    /// True if it is a transition rule: the rule itself names `oldSelf`.
    ///
    /// ```
    /// use kvrules_apiserver::crd::RuleSource;
    /// use serde_json::json;
    ///
    /// let is_transition = |rule: &str| RuleSource::from_json(&json!({ "rule": rule })).is_transition_rule();
    /// assert!(is_transition("self >= oldSelf") && !is_transition("self.all(oldSelf, oldSelf > 0)"));
    /// ```
    pub fn is_transition_rule(&self) -> bool {
        // Most rules are decided without reading them.
        self.rule.contains("oldSelf")
            && kvrules_cel::parse(&self.rule).is_ok_and(|rule| mentions_free_variable(&rule.root, "oldSelf"))
    }

    /// The text by which messages refer to the rule.
    // schema/cel/validation.go, ruleErrorString
    pub(super) fn display_text(&self) -> &str {
        let message = self.message.trim();
        if message.is_empty() { self.rule.trim() } else { message }
    }

    /// The message of a failure that computes none.
    // schema/cel/validation.go, ruleMessageOrDefault
    pub(super) fn message_or_default(&self, server: &ServerFeatures) -> String {
        let message = self.message.trim();
        if !server.objects.trims_messages && !message.is_empty() {
            return self.message.clone();
        }
        if message.is_empty() { format!("failed rule: {}", self.rule.trim()) } else { message.to_owned() }
    }
}

impl Rule {
    pub(super) fn new(json: &Json, schema: &Json, expressions: &Expressions) -> Self {
        let source = RuleSource::from_json(json);
        let expression = expressions.parse(&source.rule);
        let message = Some(&source.message_expression).filter(|text| !text.is_empty());
        let message = message.map(|text| expressions.parse(text));
        // schema/cel/compilation.go, compileRule, takes UsesOldSelf from the references of the rule, not of the message.
        let uses_old_self =
            expression.as_ref().as_ref().is_ok_and(|it| mentions_free_variable(&it.root, "oldSelf"));
        let field = crate::field_path::normalize_field_path(&source.field_path, schema);
        Self { source, expression, message, uses_old_self, field }
    }

    /// Returns the message's expression, if there is one and it parses.
    pub(super) fn message(&self) -> Option<&Expression> {
        self.message.as_deref()?.as_ref().ok()
    }
}

/// True if an expression names a variable that no loop of its own declares.
// The server has the checker's references; here the expression may be unchecked, so scopes are followed.
fn mentions_free_variable(expr: &Expr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Ident(ident) => ident.trim_start_matches('.') == name,
        ExprKind::Comprehension(it) => {
            let shadowed = it.variable_names().any(|variable| variable == name);
            let inner =
                || it.condition.iter().chain([&it.body]).any(|expr| mentions_free_variable(expr, name));
            mentions_free_variable(&it.range, name) || !shadowed && inner()
        }
        _ => expr.children().into_iter().any(|child| mentions_free_variable(child, name)),
    }
}
