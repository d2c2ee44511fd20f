//! `matchConstraints` and `matchResources`: rules of resources, selectors.

use kvrules_cel::names;
use serde_json::Value as Json;

use super::fields::{PolicyField, PolicyRejections};
use crate::object_meta;

/// Reviews the rules and the selectors.
// admissionregistration validation.go, validateMatchResources
pub(super) fn review_constraints(field: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    let policy = field.child("matchPolicy");
    if policy.is_there() {
        refusals.one_of(&policy, &["Equivalent", "Exact"]);
    }
    for list in ["resourceRules", "excludeResourceRules"] {
        for rule in field.items(list) {
            resource_rule(&rule, refusals);
        }
    }
    for name in ["namespaceSelector", "objectSelector"] {
        review_selector(&field.child(name), refusals);
    }
}

// admissionregistration validation.go, validateNamedRuleWithOperations and validateRuleWithOperations
fn resource_rule(rule: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    for (name, what) in
        [("apiGroups", "API groups"), ("apiVersions", "API versions"), ("operations", "operations")]
    {
        review_list(rule, name, what, refusals);
    }
    for operation in rule.items("operations") {
        refusals.one_of(&operation, &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]);
    }
    review_resources(rule, refusals);
    let scope = rule.child("scope");
    if scope.is_there() {
        refusals.one_of(&scope, &["*", "Cluster", "Namespaced"]);
    }
    let mut seen = Vec::new();
    for name in rule.items("resourceNames") {
        refusals.reject_each(&name, &object_meta::path_segment(name.text()));
        if seen.contains(&name.text()) {
            refusals.reject_duplicate(&name, name.text());
        }
        seen.push(name.text());
    }
}

/// At least one; a star stands alone.
fn review_list(rule: &PolicyField<'_>, name: &str, what: &str, refusals: &mut PolicyRejections) {
    let items = rule.items(name);
    if items.is_empty() {
        refusals.reject_missing(&rule.child(name), "");
    }
    if items.len() > 1 && items.iter().any(|it| it.text() == "*") {
        refusals
            .reject_invalid(&rule.child(name), &format!("if '*' is present, must not specify other {what}"));
    }
    if name == "apiVersions" {
        for item in items.iter().filter(|it| it.text().is_empty()) {
            refusals.reject_missing(item, "");
        }
    }
}

// admissionregistration validation.go, validateResources
fn review_resources(rule: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    let field = rule.child("resources");
    let items = rule.items("resources");
    if items.is_empty() {
        refusals.reject_missing(&field, "");
    }
    let all: Vec<&str> = items.iter().map(PolicyField::text).collect();
    for (index, item) in items.iter().enumerate() {
        let Some((resource, sub)) = item.text().split_once('/') else {
            if item.text().is_empty() {
                refusals.reject_missing(item, "");
            }
            continue;
        };
        let whole = format!("{resource}/*");
        let every = format!("*/{sub}");
        // The server collects the entries while it goes through them, so only earlier ones count.
        let before = |wanted: &str| all.iter().take(index).any(|it| *it == wanted);
        if before(&whole) {
            refusals
                .reject_invalid(item, &format!("if '{whole}' is present, must not specify {}", item.text()));
        }
        if before(&every) {
            refusals
                .reject_invalid(item, &format!("if '{every}' is present, must not specify {}", item.text()));
        }
    }
    if all.len() > 1 && all.contains(&"*/*") {
        refusals.reject_invalid(&field, "if '*/*' is present, must not specify other resources");
    }
    // The last one without a subresource decides, as in the server.
    let last = all.iter().rev().find(|it| !it.is_empty() && !it.contains('/'));
    if all.contains(&"*") && last.is_some_and(|it| *it != "*") {
        refusals.reject_invalid(
            &field,
            "if '*' is present, must not specify other resources without subresources",
        );
    }
}

/// Labels and expressions on labels.
// apimachinery meta/v1/validation/validation.go, ValidateLabelSelector
pub(super) fn review_selector(field: &PolicyField<'_>, refusals: &mut PolicyRejections) {
    for expression in field.items("matchExpressions") {
        let (key, operator, values) =
            (expression.child("key"), expression.child("operator"), expression.items("values"));
        let list = expression.child("values");
        match operator.text() {
            "In" | "NotIn" if values.is_empty() => {
                refusals.reject_missing(&list, "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                refusals.reject_forbidden(
                    &list,
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                );
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            text => refusals.invalid_value(&operator, &Json::from(text), "not a valid selector operator"),
        }
        refusals.problems_with(&key, &names::qualified_name(key.text()));
        for value in &values {
            refusals.reject_each(value, &names::label_value(value.text()));
        }
    }
    let labels = field.child("matchLabels");
    let metadata = Json::Object([("labels".to_owned(), labels.json().clone())].into_iter().collect());
    refusals.extend_from(object_meta::label_violations(&metadata, labels.path()));
}
