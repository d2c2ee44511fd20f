//! Constraints as bindings, with themselves as parameters.

use kvrules_kubernetes::types::{find_resources, kubernetes_groups};
use kvrules_syntax::Node;
use kvrules_syntax::restated::TreePart;
use kvrules_syntax::value::ValueReader;
use serde_json::{Map, Value, json};

use super::super::parts::{fields_without, head_fields, made_field, node_at, text_at, written_field};
use super::{CONSTRAINT_VERSION, binding_name, constraint_kind, find_source, is_set, operations_of};

/// API group of constraints.
pub(super) const GROUP: &str = "constraints.gatekeeper.sh";

/// The template of a constraint.
pub(super) fn find_template<'d>(constraint: Node<'d>, objects: &[Node<'d>]) -> Option<Node<'d>> {
    let kind = text_at(constraint, &["kind"]);
    let is_own = |object: &Node<'d>| {
        text_at(*object, &["kind"]) == "ConstraintTemplate"
            && text_at(*object, &["apiVersion"]).starts_with("templates.gatekeeper.sh/")
            && constraint_kind(*object) == kind
            && find_source(*object).is_some()
    };
    objects.iter().copied().find(is_own)
}

/// Restates a constraint as the binding of the policy, and as its parameter.
// gatekeeper pkg/drivers/k8scel/transform/make_vap_objects.go, ConstraintToBinding
pub(super) fn restate<'d>(node: Node<'d>, objects: &[Node<'d>]) -> Vec<TreePart<'d>> {
    let Some(template) = find_template(node, objects) else { return vec![TreePart::Written(node)] };
    let matching = node_at(node, &["spec", "match"]);
    let mut origin = json!({"engine": "Gatekeeper", "kind": text_at(node, &["kind"])});
    let read = |node: Node<'_>| ValueReader::for_kubernetes().with_lenient_reading().read_value(node).ok();
    let parts = [("match", matching), ("parameters", node_at(node, &["spec", "parameters"]))];
    if let Some(fields) = origin.as_object_mut() {
        let parts = parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), read(part?)?)));
        fields.extend(parts);
    }
    let mut fields = head_fields(node, "ValidatingAdmissionPolicyBinding", &origin);
    fields.push(binding_name(node));
    let name = text_at(node, &["metadata", "name"]);
    let name_span = node_at(node, &["metadata", "name"]).unwrap_or(node).span();
    let reference = json!({"name": name, "parameterNotFoundAction": "Deny"});
    let spec = vec![
        made_field("policyName", TreePart::made_text(text_at(template, &["metadata", "name"]), name_span)),
        made_field("paramRef", TreePart::of_value(&reference, name_span)),
        made_field("validationActions", actions(node)),
        made_field(
            "matchResources",
            match_resources(node, matching.filter(|it| is_set(*it)), &operations_of(template)),
        ),
    ];
    fields.push(made_field("spec", TreePart::Map(spec, node.get("spec").unwrap_or(node).span())));
    let binding = TreePart::Map(fields, node.span());
    vec![binding, parameter(node)]
}

/// The constraint in the version that the policy names: all versions have the same fields.
fn parameter(node: Node<'_>) -> TreePart<'_> {
    if text_at(node, &["apiVersion"]) == CONSTRAINT_VERSION {
        return TreePart::Written(node);
    }
    let mut fields = fields_without(node, &["apiVersion"]);
    let span = node.get("apiVersion").unwrap_or(node).span();
    fields.push(made_field("apiVersion", TreePart::made_text(CONSTRAINT_VERSION, span)));
    TreePart::Map(fields, node.span())
}

/// The actions of a constraint: Deny by default. `scoped` has them in `scopedEnforcementActions`.
// gatekeeper pkg/util/enforcement_action.go
fn actions(constraint: Node<'_>) -> TreePart<'_> {
    let written = node_at(constraint, &["spec", "enforcementAction"]).filter(|it| is_set(*it));
    let span = written.unwrap_or(constraint).span();
    let to_action = |action: &str| match action {
        "warn" => "Warn",
        "dryrun" => "Audit",
        _ => "Deny",
    };
    let scoped = node_at(constraint, &["spec", "scopedEnforcementActions"]);
    let action = written.map(Node::text).unwrap_or_default();
    let actions: Vec<&str> = match (action, scoped) {
        ("scoped", Some(scoped)) => {
            let mut actions: Vec<&str> =
                scoped.items().map(|item| to_action(text_at(item, &["action"]))).collect();
            actions.sort_unstable();
            actions.dedup();
            actions
        }
        (action, _) => vec![to_action(action)],
    };
    TreePart::of_value(&json!(actions), span)
}

/// The selection of a constraint as far as a binding expresses it; the rest is in the origin.
fn match_resources<'d>(
    constraint: Node<'d>,
    matching: Option<Node<'d>>,
    operations: &[String],
) -> TreePart<'d> {
    let span = matching.unwrap_or(constraint).span();
    let rules = resource_rules(constraint, operations);
    let mut fields = vec![made_field("resourceRules", TreePart::of_value(&json!(rules), span))];
    let Some(matching) = matching else { return TreePart::Map(fields, span) };
    if let Some((_, selector)) = written_field(matching, "labelSelector") {
        fields.push(made_field("objectSelector", selector));
    }
    if let Some((_, selector)) = written_field(matching, "namespaceSelector") {
        fields.push(made_field("namespaceSelector", selector));
    }
    TreePart::Map(fields, span)
}

/// A rule for all resources.
pub(super) fn any_resource(operations: &[String]) -> Value {
    json!({"apiGroups": ["*"], "apiVersions": ["*"], "operations": operations, "resources": ["*"]})
}

/// The resources of the kinds that a constraint matches.
// gatekeeper pkg/mutation/match/match.go, kindsMatch
pub(super) fn resource_rules(constraint: Node<'_>, operations: &[String]) -> Vec<Value> {
    let kinds = node_at(constraint, &["spec", "match", "kinds"]);
    let entries: Vec<Node<'_>> = kinds.into_iter().flat_map(Node::items).collect();
    if entries.is_empty() {
        return vec![any_resource(operations)];
    }
    let scope = match text_at(constraint, &["spec", "match", "scope"]) {
        scope @ ("Cluster" | "Namespaced") => scope,
        _ => "*",
    };
    entries.into_iter().flat_map(|entry| kind_rules(entry, operations, scope)).collect()
}

/// The rules for an entry of `kinds`. The resources of unknown kinds are named as Kubernetes guesses them.
fn kind_rules(entry: Node<'_>, operations: &[String], scope: &str) -> Vec<Value> {
    let texts = |name: &str| -> Vec<&str> {
        entry.get(name).into_iter().flat_map(Node::items).map(Node::text).collect()
    };
    let (groups, kinds) = (texts("apiGroups"), texts("kinds"));
    let is_any = |list: &[&str]| list.is_empty() || list.contains(&"*");
    let rule = |group: &str, version: &str, resources: &Value| {
        let mut rule = Map::new();
        rule.insert("apiGroups".to_owned(), json!([group]));
        rule.insert("apiVersions".to_owned(), json!([version]));
        rule.insert("operations".to_owned(), json!(operations));
        rule.insert("resources".to_owned(), resources.clone());
        if scope != "*" {
            rule.insert("scope".to_owned(), scope.into());
        }
        Value::Object(rule)
    };
    if is_any(&kinds) {
        let groups = if is_any(&groups) { vec!["*"] } else { groups };
        return groups.into_iter().map(|group| rule(group, "*", &json!(["*"]))).collect();
    }
    let searched: Vec<&str> = if is_any(&groups) { kubernetes_groups() } else { groups.clone() };
    let mut rules = Vec::new();
    for group in searched {
        for version in versions_with(group, &kinds) {
            let of_version =
                find_resources(group).filter(|it| it.version == version && kinds.contains(&it.kind));
            let mut resources: Vec<&str> = of_version.map(|it| it.plural).collect();
            resources.sort_unstable();
            resources.dedup();
            rules.push(rule(group, version, &json!(resources)));
        }
        let unknown = kinds.iter().filter(|kind| !find_resources(group).any(|it| it.kind == **kind));
        let guessed: Vec<String> = unknown.map(|kind| guess_resource(kind)).collect();
        if !guessed.is_empty() && !is_any(&groups) {
            rules.push(rule(group, "*", &json!(guessed)));
        }
    }
    if is_any(&groups) {
        let is_known = |kind: &str| {
            kubernetes_groups().into_iter().any(|group| find_resources(group).any(|it| it.kind == kind))
        };
        let guessed: Vec<String> =
            kinds.iter().filter(|kind| !is_known(kind)).map(|kind| guess_resource(kind)).collect();
        if !guessed.is_empty() {
            rules.push(rule("*", "*", &json!(guessed)));
        }
    }
    rules
}

/// The versions in which a group has one of the kinds.
fn versions_with(group: &str, kinds: &[&str]) -> Vec<&'static str> {
    let mut versions: Vec<&str> =
        find_resources(group).filter(|it| kinds.contains(&it.kind)).map(|it| it.version).collect();
    versions.sort_unstable();
    versions.dedup();
    versions
}

/// The name of the resource of a kind.
// apimachinery pkg/api/meta/restmapper.go, UnsafeGuessKindToResource
fn guess_resource(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.chars().last() {
        _ if singular.ends_with("endpoints") => singular,
        Some('s') => format!("{singular}es"),
        Some('y') => format!("{}ies", singular.strip_suffix('y').unwrap_or(&singular)),
        _ => format!("{singular}s"),
    }
}
