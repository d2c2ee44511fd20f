//! Rules about Pods, for the controllers that make Pods.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::document::{field, list_items, text_field};

/// Controllers: the resource, its group, and true for the one with a job template.
// pkg/cel/autogen/config.go, ConfigsMap
const CONTROLLERS: [(&str, &str, bool); 6] = [
    ("cronjobs", "batch", true),
    ("daemonsets", "apps", false),
    ("deployments", "apps", false),
    ("jobs", "batch", false),
    ("replicasets", "apps", false),
    ("statefulsets", "apps", false),
];

/// Annotation of policies with the controllers, or `none`.
const ANNOTATION: &str = "pod-policies.kyverno.io/autogen-controllers";

/// Returns the policies that Kyverno adds to one about Pods.
// pkg/cel/policies/vpol/autogen/autogen.go, Autogen and generateRuleForControllers
pub(super) fn generate_policies(policy: &Value) -> Vec<Value> {
    let spec = field(policy, "spec");
    if !can_generate(field(spec, "matchConstraints")) {
        return Vec::new();
    }
    let wanted = wanted_controllers(policy);
    let mut generated = Vec::new();
    for is_job_template in [false, true] {
        let targets: Vec<(&str, &str)> = CONTROLLERS
            .iter()
            .filter(|(resource, _, of_job)| *of_job == is_job_template && wanted.contains(*resource))
            .map(|(resource, group, _)| (*resource, *group))
            .collect();
        if !targets.is_empty() {
            generated.push(generate_policy(policy, &targets, is_job_template));
        }
    }
    generated
}

/// True if rules for controllers are added: the policy is about Pods and nothing else, without selectors.
// pkg/cel/autogen/support.go, CanAutoGen
fn can_generate(constraints: &Value) -> bool {
    let is_empty = |selector: &str| {
        let selector = field(constraints, selector);
        let has_labels = field(selector, "matchLabels").as_object().is_some_and(|labels| !labels.is_empty());
        !has_labels && list_items(field(selector, "matchExpressions")).next().is_none()
    };
    let rules: Vec<&Value> = list_items(field(constraints, "resourceRules")).collect();
    let [rule] = rules.as_slice() else { return false };
    let is_only = |list: &str, wanted: &str| {
        let items: Vec<&str> = list_items(field(rule, list)).filter_map(Value::as_str).collect();
        items == [wanted]
    };
    is_empty("namespaceSelector")
        && is_empty("objectSelector")
        && list_items(field(constraints, "excludeResourceRules")).next().is_none()
        && list_items(field(rule, "resourceNames")).next().is_none()
        && is_only("apiGroups", "")
        && is_only("apiVersions", "v1")
        && is_only("resources", "pods")
}

/// Returns the controllers that a policy asks for; all of them by default.
fn wanted_controllers(policy: &Value) -> BTreeSet<String> {
    let listed = policy.pointer("/spec/autogen/podControllers/controllers").and_then(Value::as_array);
    if let Some(listed) = listed {
        return listed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let annotations = field(field(policy, "metadata"), "annotations");
    match field(annotations, ANNOTATION).as_str() {
        Some(listed) => listed.split(',').map(|it| it.trim().to_lowercase()).collect(),
        None => CONTROLLERS.iter().map(|(resource, ..)| (*resource).to_owned()).collect(),
    }
}

fn generate_policy(policy: &Value, targets: &[(&str, &str)], is_job_template: bool) -> Value {
    let operations = policy.pointer("/spec/matchConstraints/resourceRules/0/operations").cloned();
    let operations = operations.unwrap_or_else(|| json!(["*"]));
    let rules: Vec<Value> = targets
        .iter()
        .map(|(resource, group)| {
            json!({"apiGroups": [group], "apiVersions": ["v1"], "operations": operations, "resources": [resource]})
        })
        .collect();
    let mut generated = policy.clone();
    let template = if is_job_template { "spec.jobTemplate.spec.template" } else { "spec.template" };
    if let Some(spec) = generated.get_mut("spec") {
        move_fields(spec, "spec", &format!("{template}.spec"));
        move_fields(spec, "metadata", &format!("{template}.metadata"));
        if let Some(spec) = spec.as_object_mut() {
            spec.insert("matchConstraints".to_owned(), json!({"resourceRules": rules}));
        }
    }
    generated
}

/// Replaces a field of `object` and `oldObject` in every text.
// pkg/cel/autogen/replacement.go, Apply
fn move_fields(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) => {
            for root in ["object", "oldObject"] {
                *text = replace_field(text, &format!("{root}.{from}"), &format!("{root}.{to}"));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_fields(item, from, to)),
        Value::Object(fields) => fields.values_mut().for_each(|value| move_fields(value, from, to)),
        _ => {}
    }
}

/// Replaces a path, except before `.name` and `.namespace`, which stay those of the controller.
// replacement.go, replace and isProtected
fn replace_field(text: &str, from: &str, to: &str) -> String {
    let is_identifier = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_protected = |rest: &str| {
        [".namespace", ".name"]
            .iter()
            .any(|suffix| rest.strip_prefix(suffix).is_some_and(|after| !after.starts_with(is_identifier)))
    };
    let mut replaced = String::new();
    let mut parts = text.split(from);
    replaced.push_str(parts.next().unwrap_or_default());
    for rest in parts {
        replaced.push_str(if is_protected(rest) { from } else { to });
        replaced.push_str(rest);
    }
    replaced
}

/// Returns the kind of the document.
pub(super) fn is_validating_policy(policy: &Value) -> bool {
    matches!(text_field(policy, "kind"), "ValidatingPolicy" | "NamespacedValidatingPolicy")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_controller_are_kept() {
        let text = "object.metadata.name == 'a' && object.metadata.nameX && oldObject.spec.x";
        let mut value = json!(text);
        move_fields(&mut value, "spec", "spec.template.spec");
        move_fields(&mut value, "metadata", "spec.template.metadata");
        let expected = "object.metadata.name == 'a' && object.spec.template.metadata.nameX && oldObject.spec.template.spec.x";
        assert_eq!(value, expected);
    }
}
