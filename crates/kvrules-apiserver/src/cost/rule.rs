//! The fields of one entry of `x-kubernetes-validations`, and the server's errors about them.

use serde_json::Value;

use crate::field_error::{CostExcess, ErrorType, FieldError};
use crate::field_path;
use crate::server::ServerFeatures;
use crate::structural::find_unreadable_reason;

/// Reasons that an entry may give.
// apiextensions validation.go, supportedValidationReason
const REASONS: &[&str] =
    &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// One entry.
pub(super) struct RuleEntry<'a> {
    pub(super) entry: &'a Value,
    /// The path of the entry.
    pub(super) field: String,
}

impl<'a> RuleEntry<'a> {
    pub(super) fn text_field(&self, field: &str) -> &'a str {
        self.entry.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text_field("rule").trim().is_empty()
    }

    /// Returns whether `optionalOldSelf` is set, and its value.
    pub(super) fn optional_old_self(&self) -> (bool, bool) {
        let set = self.entry.get("optionalOldSelf").and_then(Value::as_bool);
        (set.is_some(), set.unwrap_or(false))
    }

    pub(super) fn new_error(
        &self,
        error_type: ErrorType,
        field: &str,
        detail: impl Into<String>,
    ) -> FieldError {
        FieldError::new(error_type, format!("{}.{field}", self.field), detail)
    }

    /// The error that an expression of the entry costs more than one may.
    pub(super) fn excess_error(&self, field: &str, detail: String) -> FieldError {
        FieldError::exceeding(CostExcess::Expression, format!("{}.{field}", self.field), detail)
    }

    /// Returns the errors of the fields, without checking the expressions.
    // apiextensions validation.go, ValidateCustomResourceDefinitionOpenAPISchema, the loop over XValidations
    pub(super) fn field_errors(&self, schema: &Value, server: &ServerFeatures) -> Vec<FieldError> {
        let mut errors: Vec<FieldError> = self.message_error(server).into_iter().collect();
        let expression = self.text_field("messageExpression");
        if !expression.is_empty() && expression.trim().is_empty() {
            errors.push(self.new_error(
                ErrorType::Required,
                "messageExpression",
                "messageExpression must be non-empty if specified",
            ));
        }
        if let Some(reason) = self.entry.get("reason").and_then(Value::as_str)
            && !REASONS.contains(&reason)
        {
            let known: Vec<String> = REASONS.iter().map(|reason| format!("\"{reason}\"")).collect();
            let detail = format!("supported values: {}", known.join(", "));
            errors.push(self.new_error(ErrorType::NotSupported, "reason", detail));
        }
        errors.extend(self.path_errors(schema, server));
        errors
    }

    /// An error in a part of a rule, whose text begins with its name on some servers.
    fn invalid_part(&self, part: &str, detail: &str, server: &ServerFeatures) -> FieldError {
        let named = server.definitions.names_rule_parts.then(|| format!("{part} {detail}"));
        self.new_error(ErrorType::Invalid, part, named.unwrap_or_else(|| detail.to_owned()))
    }

    fn message_error(&self, server: &ServerFeatures) -> Option<FieldError> {
        let (rule, message) = (self.text_field("rule").trim(), self.text_field("message"));
        let trimmed = message.trim();
        if rule.is_empty() {
            Some(self.new_error(ErrorType::Required, "rule", "rule is not specified"))
        } else if !message.is_empty() && trimmed.is_empty() {
            Some(self.invalid_part("message", "must be non-empty if specified", server))
        } else if has_line_break(trimmed) {
            Some(self.invalid_part("message", "must not contain line breaks", server))
        } else if has_line_break(rule) && trimmed.is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            Some(self.new_error(ErrorType::Required, "message", detail))
        } else {
            None
        }
    }

    fn path_errors(&self, schema: &Value, server: &ServerFeatures) -> Vec<FieldError> {
        let path = self.text_field("fieldPath");
        let wrong = [
            (!path.is_empty() && path.trim().is_empty(), "must be non-empty if specified"),
            (has_line_break(path), "must not contain line breaks"),
            (leads_nowhere(path, schema), "must be a valid path"),
        ];
        let wrong = wrong.into_iter().filter(|(is_wrong, _)| *is_wrong);
        wrong.map(|(_, detail)| self.invalid_part("fieldPath", detail, server)).collect()
    }
}

/// Below a node that cannot be read as a structural schema any path is right.
// apiextensions validation.go, pathValid
fn leads_nowhere(path: &str, schema: &Value) -> bool {
    field_path::find_schema_field(path, schema, true).is_err() && find_unreadable_reason(schema).is_none()
}

// apiextensions validation.go, hasNewlines
fn has_line_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
