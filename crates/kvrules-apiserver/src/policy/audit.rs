//! Annotations of audit events: failures of validations, and those that policies define.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::document::Binding;
use super::report::{Decision, DecisionOrigin};

/// Key of the failures of validations.
const FAILURE_KEY: &str = "validation.policy.admission.k8s.io/validation_failure";
/// Length of the longest value, in bytes.
// policy/validating/dispatcher.go, maxAuditAnnotationValueLength
const LONGEST_VALUE: usize = 10 * 1024;

/// The annotations of one policy, of all its bindings.
// policy/validating/dispatcher.go, auditAnnotationCollector
#[derive(Debug, Default)]
pub(super) struct AnnotationCollector(BTreeMap<String, Vec<String>>);

impl AnnotationCollector {
    /// Adds annotations; equal values of one key count once.
    pub(super) fn add_all(&mut self, annotations: &[(String, String)]) {
        for (key, value) in annotations {
            let value = cut_value(value);
            let values = self.0.entry(key.clone()).or_default();
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
    }

    /// Adds the annotations to those of the event.
    pub(super) fn publish(self, policy: &str, audit: &mut BTreeMap<String, String>) {
        for (key, values) in self.0 {
            audit.entry(format!("{policy}/{key}")).or_insert_with(|| values.join(", "));
        }
    }
}

/// A value without what is beyond the longest one; the server may cut a character in two.
fn cut_value(value: &str) -> &str {
    let end = (0..=LONGEST_VALUE).rev().find(|end| value.is_char_boundary(*end)).unwrap_or_default();
    if value.len() > LONGEST_VALUE { value.get(..end).unwrap_or(value) } else { value }
}

/// Returns a failed validation as the annotations of the event have it.
// policy/validating/dispatcher.go, ValidationFailureValue
pub(super) fn describe_failure(binding: &Binding, decision: &Decision) -> String {
    // validator.go, Validate: an error that replaces all decisions is the first of them.
    let index = match decision.origin {
        DecisionOrigin::Validation(index) => index,
        _ => 0,
    };
    let text = |text: &str| Json::from(text).to_string();
    let actions: Vec<_> = binding.actions.iter().map(|action| format!("\"{}\"", action.as_str())).collect();
    // The keys in the order of the fields of ValidationFailureValue.
    format!(
        "{{\"message\":{},\"policy\":{},\"binding\":{},\"expressionIndex\":{index},\"validationActions\":[{}]}}",
        text(&decision.message),
        text(&binding.policy),
        text(&binding.name),
        actions.join(",")
    )
}

/// Adds failed validations to the annotations of the event.
pub(super) fn publish_failures(failures: &[String], audit: &mut BTreeMap<String, String>) {
    if !failures.is_empty() {
        audit.insert(FAILURE_KEY.to_owned(), escape_html(&format!("[{}]", failures.join(","))));
    }
}

/// Writes characters of HTML as escapes.
// encoding/json, Marshal
fn escape_html(json: &str) -> String {
    let escaped = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    escaped.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
