//! Rules about Pods, for the controllers that make Pods.

use std::collections::BTreeSet;

use kvrules_syntax::Node;
use kvrules_syntax::restated::TreePart;
use serde_json::json;

use super::super::parts::{fields_without, made_field, node_at};

/// Controllers: the resource, its group, and true for the one with a job template.
// kyverno pkg/cel/autogen/data.go, ConfigsMap
const CONTROLLERS: [(&str, &str, bool); 6] = [
    ("cronjobs", "batch", true),
    ("daemonsets", "apps", false),
    ("deployments", "apps", false),
    ("jobs", "batch", false),
    ("replicasets", "apps", false),
    ("statefulsets", "apps", false),
];

/// Names of the controllers.
pub(super) fn controller_names() -> impl Iterator<Item = &'static str> {
    CONTROLLERS.iter().map(|(resource, ..)| *resource)
}

/// Rules that Kyverno adds to a policy about Pods.
#[derive(Debug)]
pub(super) struct GeneratedRules<'d> {
    /// `defaults` or `cronjobs`.
    pub(super) name: &'static str,
    /// Requests that they match.
    pub(super) constraints: TreePart<'d>,
    /// The path from a controller to the template of its Pods.
    template: &'static str,
}

impl<'d> GeneratedRules<'d> {
    /// Returns the rules that Kyverno adds to a policy.
    // kyverno pkg/cel/policies/vpol/autogen/autogen.go, Autogen and generateRuleForControllers
    pub(super) fn of_policy(policy: Node<'d>) -> Vec<Self> {
        let Some(constraints) = node_at(policy, &["spec", "matchConstraints"]) else { return Vec::new() };
        let Some(rule) = only_pods(constraints) else { return Vec::new() };
        let wanted = wanted_controllers(policy);
        let of_kind = |is_job_template: bool| {
            let groups: Vec<TreePart<'d>> = ["apps", "batch"]
                .into_iter()
                .filter_map(|group| resource_rule(rule, group, is_job_template, &wanted))
                .collect();
            if groups.is_empty() {
                return None;
            }
            let mut fields = fields_without(
                constraints,
                &["resourceRules", "excludeResourceRules", "objectSelector", "matchPolicy"],
            );
            fields.push(made_field("resourceRules", TreePart::List(groups, rule.span())));
            let (name, template) = if is_job_template {
                ("cronjobs", "spec.jobTemplate.spec.template")
            } else {
                ("defaults", "spec.template")
            };
            Some(Self { name, constraints: TreePart::Map(fields, constraints.span()), template })
        };
        [false, true].into_iter().filter_map(of_kind).collect()
    }

    /// A part of the policy, with the paths of the template in its expressions.
    pub(super) fn move_fields(&self, node: Node<'d>) -> TreePart<'d> {
        TreePart::with_texts(node, &|text| {
            let moved = move_fields(text, self.template);
            (moved != text).then_some(moved)
        })
    }
}

/// The only rule of constraints, if it is about Pods and nothing else, and no labels or names select some of them.
// kyverno pkg/cel/autogen/support.go, CanAutoGen
fn only_pods(constraints: Node<'_>) -> Option<Node<'_>> {
    let has_items = |node: Option<Node<'_>>| node.is_some_and(|node| node.items().next().is_some());
    let selector = constraints.get("objectSelector");
    let labels = selector.and_then(|it| it.get("matchLabels"));
    let is_selective = labels.is_some_and(|it| it.entries().next().is_some())
        || has_items(selector.and_then(|it| it.get("matchExpressions")));
    let mut rules = constraints.get("resourceRules").into_iter().flat_map(Node::items);
    let rule = rules.next().filter(|_| rules.next().is_none())?;
    let is_only = |list: &str, wanted: &str| {
        let items: Vec<&str> = rule.get(list).into_iter().flat_map(Node::items).map(Node::text).collect();
        items == [wanted]
    };
    let fits = !is_selective
        && !has_items(constraints.get("excludeResourceRules"))
        && !has_items(rule.get("resourceNames"))
        && is_only("apiGroups", "")
        && is_only("apiVersions", "v1")
        && is_only("resources", "pods");
    fits.then_some(rule)
}

/// Returns the controllers that a policy asks for; all of them by default.
fn wanted_controllers(policy: Node<'_>) -> BTreeSet<&str> {
    match node_at(policy, &["spec", "autogen", "podControllers", "controllers"]).filter(|it| it.is_list()) {
        Some(listed) => listed.items().map(Node::text).collect(),
        None => controller_names().collect(),
    }
}

/// The rule for the controllers of a group, with the operations of the rule about Pods.
fn resource_rule<'d>(
    rule: Node<'d>,
    group: &str,
    is_job_template: bool,
    wanted: &BTreeSet<&str>,
) -> Option<TreePart<'d>> {
    let resources: Vec<&str> = CONTROLLERS
        .iter()
        .filter(|(resource, of, is_job)| {
            *of == group && *is_job == is_job_template && wanted.contains(resource)
        })
        .map(|(resource, ..)| *resource)
        .collect();
    if resources.is_empty() {
        return None;
    }
    let span = rule.span();
    let operations = rule.get("operations").filter(|list| list.items().next().is_some());
    let operations = operations.map_or_else(|| TreePart::of_value(&json!(["*"]), span), TreePart::Written);
    Some(TreePart::made_map(
        [
            ("apiGroups", TreePart::of_value(&json!([group]), span)),
            ("apiVersions", TreePart::of_value(&json!(["v1"]), span)),
            ("operations", operations),
            ("resources", TreePart::of_value(&json!(resources), span)),
        ],
        span,
    ))
}

/// Replaces the fields of `object` and `oldObject` by those of the template.
// kyverno pkg/cel/autogen/replacement.go, Apply; data.go, ReplacementsMap
fn move_fields(text: &str, template: &str) -> String {
    let mut moved = text.to_owned();
    for field in ["spec", "metadata"] {
        for root in ["object", "oldObject"] {
            moved = replace_field(&moved, &format!("{root}.{field}"), &format!("{root}.{template}.{field}"));
        }
    }
    moved
}

/// Replaces a path, except before `.namespace`, which stays that of the controller.
// kyverno pkg/cel/autogen/replacement.go, replace and isProtected
fn replace_field(text: &str, from: &str, to: &str) -> String {
    let is_identifier = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_protected =
        |rest: &str| rest.strip_prefix(".namespace").is_some_and(|after| !after.starts_with(is_identifier));
    let mut replaced = String::new();
    let mut parts = text.split(from);
    replaced.push_str(parts.next().unwrap_or_default());
    for rest in parts {
        replaced.push_str(if is_protected(rest) { from } else { to });
        replaced.push_str(rest);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_namespace_of_the_controller_is_kept() {
        let text = "object.metadata.namespace == 'a' && object.metadata.namespaceX && oldObject.spec.x";
        let expected = "object.metadata.namespace == 'a' && object.spec.template.metadata.namespaceX && oldObject.spec.template.spec.x";
        assert_eq!(move_fields(text, "spec.template"), expected);
    }
}
