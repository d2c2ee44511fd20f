//! Policies of both kinds as policies of the server.

use kvrules_crd::notations::restate_value;
use serde_json::{Value, json};

use crate::document::{metadata_text, text_field};
use crate::format::is_kind;
use crate::policies::{BINDING, POLICY, is_binding_of};
use crate::subject::{PolicySubject, RuleOrigin, Subject};

/// Returns the subject of a policy with those that Kyverno adds for controllers. `others` are the bindings and exceptions of the
/// test.
///
/// # Errors
///
/// The kinds that only Kyverno's own engine has, by name.
pub(super) fn read_subject(origin: &RuleOrigin, policy: &Value, others: &[Value]) -> Result<Subject, String> {
    let kind = text_field(policy, "kind");
    let policy = &with_operations(policy);
    if kind == POLICY {
        let bindings = others.iter().filter(|it| is_kind(it, BINDING) && is_binding_of(it, policy));
        let own: Vec<Value> = bindings.map(with_deny).collect();
        return Ok(Subject::of_policies(
            PolicySubject::new(vec![(origin.clone(), policy.clone())], own).without_review(),
        ));
    }
    let restated = restate_value(policy, others)
        .ok_or_else(|| format!("policies of the kind {kind} are evaluated by Kyverno's own engine"))?;
    let (bindings, policies): (Vec<Value>, Vec<Value>) =
        restated.into_iter().partition(|it| is_kind(it, BINDING));
    // The policies for controllers are forms of the same policy, which the author names.
    let name = metadata_text(policy, "name");
    let named = |policy: Value| (origin.clone(), with_name(policy, name));
    let documents = policies.into_iter().map(named).collect();
    let bindings = bindings.iter().filter(|it| is_binding_of(it, policy)).map(with_deny).collect();
    let policies = PolicySubject::new(documents, bindings).without_review();
    Ok(Subject::of_policies(policies.into_restated()))
}

/// Returns a policy whose rules all have operations: without any, a rule is about all of them.
fn with_operations(policy: &Value) -> Value {
    let mut policy = policy.clone();
    for list in ["resourceRules", "excludeResourceRules"] {
        let rules =
            policy.pointer_mut(&format!("/spec/matchConstraints/{list}")).and_then(Value::as_array_mut);
        for rule in rules.into_iter().flatten().filter_map(Value::as_object_mut) {
            let is_given = rule.get("operations").and_then(Value::as_array).is_some_and(|it| !it.is_empty());
            if !is_given {
                rule.insert("operations".to_owned(), json!(["*"]));
            }
        }
    }
    policy
}

/// Returns a policy with another name.
fn with_name(mut policy: Value, name: &str) -> Value {
    if let Some(metadata) = policy.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("name".to_owned(), name.into());
    }
    policy
}

/// The command line reports what violates a policy, whatever its bindings do.
fn with_deny(binding: &Value) -> Value {
    let mut binding = binding.clone();
    if let Some(spec) = binding.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("validationActions".to_owned(), json!(["Deny"]));
    }
    binding
}
