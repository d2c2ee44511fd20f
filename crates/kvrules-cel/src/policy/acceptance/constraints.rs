//! `matchConstraints` and `matchResources`: rules of resources, selectors.

use serde_json::Value as Json;

use super::fields::{Field, Refusals};
use crate::names;
use crate::object_meta;

/// Reviews the rules and the selectors.
pub(super) fn review(field: &Field<'_>, refusals: &mut Refusals) {
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
        selector(&field.child(name), refusals);
    }
}

fn resource_rule(rule: &Field<'_>, refusals: &mut Refusals) {
    for (name, what) in
        [("apiGroups", "API groups"), ("apiVersions", "API versions"), ("operations", "operations")]
    {
        list(rule, name, what, refusals);
    }
    for operation in rule.items("operations") {
        refusals.one_of(&operation, &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]);
    }
    resources(rule, refusals);
    let scope = rule.child("scope");
    if scope.is_there() {
        refusals.one_of(&scope, &["*", "Cluster", "Namespaced"]);
    }
    let mut seen = Vec::new();
    for name in rule.items("resourceNames") {
        path_segment(&name, refusals);
        if seen.contains(&name.text()) {
            refusals.duplicate(&name, name.text());
        }
        seen.push(name.text());
    }
}

/// At least one; a star stands alone.
fn list(rule: &Field<'_>, name: &str, what: &str, refusals: &mut Refusals) {
    let items = rule.items(name);
    if items.is_empty() {
        refusals.required(&rule.child(name), "");
    }
    if items.len() > 1 && items.iter().any(|it| it.text() == "*") {
        refusals.invalid(&rule.child(name), &format!("if '*' is present, must not specify other {what}"));
    }
    if name == "apiVersions" {
        for item in items.iter().filter(|it| it.text().is_empty()) {
            refusals.required(item, "");
        }
    }
}

fn resources(rule: &Field<'_>, refusals: &mut Refusals) {
    let field = rule.child("resources");
    let items = rule.items("resources");
    if items.is_empty() {
        refusals.required(&field, "");
    }
    let all: Vec<&str> = items.iter().map(Field::text).collect();
    for (index, item) in items.iter().enumerate() {
        let Some((resource, sub)) = item.text().split_once('/') else {
            if item.text().is_empty() {
                refusals.required(item, "");
            }
            continue;
        };
        let whole = format!("{resource}/*");
        let every = format!("*/{sub}");
        let before = |wanted: &str| all.iter().take(index).any(|it| *it == wanted);
        if before(&whole) {
            refusals.invalid(item, &format!("if '{whole}' is present, must not specify {}", item.text()));
        }
        if before(&every) {
            refusals.invalid(item, &format!("if '{every}' is present, must not specify {}", item.text()));
        }
    }
    if all.len() > 1 && all.contains(&"*/*") {
        refusals.invalid(&field, "if '*/*' is present, must not specify other resources");
    }
    // The last one without a subresource decides, as in the server.
    let last = all.iter().rev().find(|it| !it.is_empty() && !it.contains('/'));
    if all.contains(&"*") && last.is_some_and(|it| *it != "*") {
        refusals.invalid(&field, "if '*' is present, must not specify other resources without subresources");
    }
}

/// A name that can stand in a URL.
pub(super) fn path_segment(field: &Field<'_>, refusals: &mut Refusals) {
    let text = field.text();
    if matches!(text, "." | "..") {
        refusals.invalid(field, &format!("may not be '{text}'"));
        return;
    }
    for part in ['/', '%'] {
        if text.contains(part) {
            refusals.invalid(field, &format!("may not contain '{part}'"));
        }
    }
}

/// Labels and expressions on labels.
pub(super) fn selector(field: &Field<'_>, refusals: &mut Refusals) {
    for expression in field.items("matchExpressions") {
        let (key, operator, values) =
            (expression.child("key"), expression.child("operator"), expression.items("values"));
        let list = expression.child("values");
        match operator.text() {
            "In" | "NotIn" if values.is_empty() => {
                refusals.required(&list, "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                refusals
                    .forbidden(&list, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            text => refusals.invalid_value(&operator, &Json::from(text), "not a valid selector operator"),
        }
        refusals.problems_with(&key, &names::qualified_name(key.text()));
        for value in &values {
            refusals.problems(value, &names::label_value(value.text()));
        }
    }
    let labels = field.child("matchLabels");
    let metadata = Json::Object([("labels".to_owned(), labels.json().clone())].into_iter().collect());
    refusals.extend(object_meta::label_violations(&metadata, labels.path()));
}
