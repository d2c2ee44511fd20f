//! PolicyExceptions in the input of a policy.
// kyverno pkg/cel/policies/vpol/compiler/policy.go, evaluateWithData; pkg/cel/policies/vpol/engine/provider.go, NewProvider

use kvrules_diagnostics::Span;
use kvrules_syntax::Node;
use serde_json::{Value, json};

use super::super::parts::{head_span, node_at, text_at};

/// The exceptions from a policy.
#[derive(Debug, Default)]
pub(super) struct PolicyExceptions {
    /// Those from all of the policy.
    pub(super) complete: Vec<CompleteException>,
    /// Those that allow images and values.
    pub(super) partial: Vec<Value>,
}

/// An exception from all of a policy, as a match condition.
#[derive(Debug)]
pub(super) struct CompleteException {
    pub(super) name: String,
    pub(super) expression: String,
    /// The exception in the text.
    pub(super) span: Span,
}

impl PolicyExceptions {
    pub(super) fn of_policy(objects: &[Node<'_>], kind: &str, name: &str) -> Self {
        let mut found = Self::default();
        for object in objects.iter().copied().filter(|object| is_exception_from(*object, kind, name)) {
            let conditions = node_at(object, &["spec", "matchConditions"]);
            let conditions: Vec<&str> = conditions
                .into_iter()
                .flat_map(Node::items)
                .map(|condition| text_at(condition, &["expression"]).trim())
                .collect();
            let texts = |field: &str| -> Vec<&str> {
                node_at(object, &["spec", field]).into_iter().flat_map(Node::items).map(Node::text).collect()
            };
            let (images, values) = (texts("images"), texts("allowedValues"));
            if images.is_empty() && values.is_empty() {
                let name = format!("exception-{}", text_at(object, &["metadata", "name"]));
                let expression = negate_conditions(&conditions);
                found.complete.push(CompleteException { name, expression, span: head_span(object) });
            } else {
                found
                    .partial
                    .push(json!({"conditions": conditions, "images": images, "allowedValues": values}));
            }
        }
        found
    }
}

fn is_exception_from(object: Node<'_>, kind: &str, name: &str) -> bool {
    let is_exception = text_at(object, &["kind"]) == "PolicyException"
        && text_at(object, &["apiVersion"]).starts_with("policies.kyverno.io/");
    let references = node_at(object, &["spec", "policyRefs"]).filter(|_| is_exception);
    references
        .into_iter()
        .flat_map(Node::items)
        .any(|reference| text_at(reference, &["name"]) == name && text_at(reference, &["kind"]) == kind)
}

/// The condition that not all of these hold. A comment may end one.
fn negate_conditions(conditions: &[&str]) -> String {
    match conditions {
        [] => "false".to_owned(),
        several => {
            let several: Vec<String> = several.iter().map(|it| format!("({it}\n)")).collect();
            format!("!({})", several.join(" && "))
        }
    }
}
