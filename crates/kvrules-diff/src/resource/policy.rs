//! Compares admission policies, bindings and webhooks as they are written.

use serde_json::{Value, json};

use super::differences::{Difference, differences};
use super::{Verdict, leaves, to_change};
use crate::report::{Comparison, Direction};

/// Compares two resources of the group `admissionregistration.k8s.io` of one kind. Expressions are compared by their text.
///
/// ```
/// use kvrules_diff::{Direction, resource::compare_policies};
/// use serde_json::json;
///
/// let with = |rules: &[&str]| {
///     let validations: Vec<_> = rules.iter().map(|rule| json!({"expression": rule})).collect();
///     json!({"kind": "ValidatingAdmissionPolicy", "spec": {"validations": validations}})
/// };
/// let changes = compare_policies(&with(&["a"]), &with(&["a", "b"])).changes;
/// assert_eq!((changes.len(), changes[0].direction), (1, Direction::Tightened));
/// ```
pub fn compare_policies(old: &Value, new: &Value) -> Comparison {
    let sides = (content(old), content(new));
    let found = differences(&sides.0, &sides.1);
    let changes = found.iter().map(|difference| to_change(difference, &verdict(difference)));
    Comparison { changes: changes.collect(), compared: leaves(&sides.0).max(leaves(&sides.1)), steps: 0 }
}

/// Returns a policy as a server stores it, without its metadata and with the defaults of admissionregistration's `defaults.go`
/// (SetDefaults_ValidatingAdmissionPolicySpec, SetDefaults_MatchResources).
fn content(policy: &Value) -> Value {
    let mut content = policy.clone();
    if let Some(map) = content.as_object_mut() {
        map.retain(|key, _| !["apiVersion", "kind", "metadata", "status"].contains(&key.as_str()));
    }
    let is_policy = policy.get("kind").and_then(Value::as_str) == Some("ValidatingAdmissionPolicy");
    let defaults: [(&str, &str, &str); 3] = [
        ("/spec", "failurePolicy", "Fail"),
        ("/spec/matchConstraints", "matchPolicy", "Equivalent"),
        ("/spec/matchResources", "matchPolicy", "Equivalent"),
    ];
    for (at, key, default) in defaults.into_iter().filter(|(_, key, _)| is_policy || *key != "failurePolicy")
    {
        if let Some(map) = content.pointer_mut(at).and_then(Value::as_object_mut) {
            map.entry(key).or_insert_with(|| json!(default));
        }
    }
    content
}

/// Returns the effect of a single difference on the requests that are admitted.
fn verdict(difference: &Difference<'_>) -> Verdict {
    use Direction::{Loosened, MessageOnly, Tightened, Unknown};
    let keys = difference.keys.get(1..).unwrap_or_default();
    let has = |side: Option<&Value>, action: &str| {
        side.and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == action))
    };
    let (before, after) = (difference.before, difference.after);
    match keys {
        // An entry of the list that only one side has; lists that differ as wholes are undecided.
        ["validations"] if before.is_none() => Verdict::new(Tightened, ""),
        ["validations"] if after.is_none() => Verdict::new(Loosened, ""),
        ["failurePolicy"] if after.is_some_and(|it| it == "Ignore") => {
            Verdict::new(Loosened, "on an error, requests are admitted")
        }
        ["failurePolicy"] if before.is_some_and(|it| it == "Ignore") => {
            Verdict::new(Tightened, "on an error, requests are denied")
        }
        ["validationActions"] if has(before, "Deny") && !has(after, "Deny") => Verdict::new(Loosened, ""),
        ["validationActions"] if !has(before, "Deny") && has(after, "Deny") => Verdict::new(Tightened, ""),
        ["validations", "message" | "messageExpression" | "reason"] | ["validationActions"] => {
            Verdict::new(MessageOnly, "")
        }
        _ => Verdict::new(Unknown, "compared by text, not by the requests that are admitted"),
    }
}
