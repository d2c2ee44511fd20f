//! Kyverno's ValidatingPolicies and NamespacedValidatingPolicies, with the PolicyExceptions in the same input.

mod autogen;
mod exceptions;
mod shape;

use kvrules_syntax::Node;
use kvrules_syntax::restated::TreePart;
use serde_json::{Value, json};

use super::PolicyNotation;
use super::parts::{
    Field, fields_without, head_fields, head_span, made_field, named_metadata, node_at, text_at,
    written_field,
};
use autogen::GeneratedRules;
use exceptions::PolicyExceptions;

pub(super) static NOTATION: PolicyNotation = PolicyNotation {
    group: "policies.kyverno.io",
    is_known: |node| text_at(node, &["kind"]) == "PolicyException" || is_policy(node),
    is_restated: |node, _| is_policy(node),
    restate,
    findings: shape::written_findings,
};

fn is_policy(node: Node<'_>) -> bool {
    matches!(text_at(node, &["kind"]), "ValidatingPolicy" | "NamespacedValidatingPolicy")
}

/// Label that each namespace has with its name.
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// Fields that the spec of a ValidatingAdmissionPolicy has too, except for its constraints.
const SHARED: [&str; 5] =
    ["failurePolicy", "matchConditions", "variables", "validations", "auditAnnotations"];

/// A policy, with what its engine makes of it.
struct WrittenPolicy<'d> {
    node: Node<'d>,
    kind: &'d str,
    name: &'d str,
    exceptions: PolicyExceptions,
}

/// Restates a policy: itself with its binding, and those that Kyverno makes of it for the controllers of Pods.
fn restate<'d>(node: Node<'d>, objects: &[Node<'d>]) -> Vec<TreePart<'d>> {
    let (kind, name) = (text_at(node, &["kind"]), text_at(node, &["metadata", "name"]));
    let exceptions = PolicyExceptions::of_policy(objects, kind, name);
    let policy = WrittenPolicy { node, kind, name, exceptions };
    let mut restated = vec![policy.own_policy(), policy.binding(name)];
    for rules in GeneratedRules::of_policy(node) {
        let name = format!("{name}-autogen-{}", rules.name);
        restated.push(policy.generated_policy(&rules, &name));
        restated.push(policy.binding(&name));
    }
    restated
}

impl<'d> WrittenPolicy<'d> {
    fn spec(&self) -> Option<Node<'d>> {
        self.node.get("spec")
    }

    /// The origin of the policy.
    fn origin(&self, is_generated: bool) -> Value {
        let mut origin = json!({"engine": "Kyverno", "kind": self.kind});
        if let Some(fields) = origin.as_object_mut() {
            if is_generated {
                fields.insert("name".to_owned(), self.name.into());
                fields.insert("isGenerated".to_owned(), true.into());
            }
            let mode = text_at(self.node, &["spec", "evaluation", "mode"]);
            if !matches!(mode, "" | "Kubernetes") {
                let unknown =
                    format!("the evaluation mode `{mode}`, which is about no object of Kubernetes,");
                fields.insert("unknown".to_owned(), unknown.into());
            }
            if !self.exceptions.partial.is_empty() {
                fields.insert("exceptions".to_owned(), Value::Array(self.exceptions.partial.clone()));
            }
        }
        origin
    }

    fn own_policy(&self) -> TreePart<'d> {
        let mut fields = head_fields(self.node, "ValidatingAdmissionPolicy", &self.origin(false));
        fields.extend(self.metadata());
        if let Some(spec) = self.spec() {
            let own = |name: &str| written_field(spec, name);
            let mut found = vec![self.match_constraints(spec)];
            found.extend(SHARED.map(|name| match name {
                "matchConditions" => self.conditions(spec, &TreePart::Written),
                _ => own(name),
            }));
            let entry = self.node.entry("spec").map(|entry| TreePart::Written(entry.key));
            let key = entry.unwrap_or_else(|| TreePart::made_text("spec", spec.span()));
            fields.push((key, TreePart::Map(found.into_iter().flatten().collect(), spec.span())));
        }
        TreePart::Map(fields, self.node.span())
    }

    /// The metadata without the namespace, which a ValidatingAdmissionPolicy does not have.
    fn metadata(&self) -> Option<Field<'d>> {
        let entry = self.node.entry("metadata")?;
        let is_namespaced = self.kind.starts_with("Namespaced") && entry.value.is_map();
        if !is_namespaced {
            return Some((TreePart::Written(entry.key), TreePart::Written(entry.value)));
        }
        let fields = fields_without(entry.value, &["namespace"]);
        Some((TreePart::Written(entry.key), TreePart::Map(fields, entry.value.span())))
    }

    /// Requests that the policy matches. A rule without operations is about all of them.
    fn match_constraints(&self, spec: Node<'d>) -> Option<Field<'d>> {
        let Some(entry) = spec.entry("matchConstraints").filter(|entry| entry.value.is_map()) else {
            let is_kubernetes = matches!(text_at(spec, &["evaluation", "mode"]), "" | "Kubernetes");
            let everything = json!({"resourceRules": [
                {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]});
            let made =
                || made_field("matchConstraints", TreePart::of_value(&everything, head_span(self.node)));
            return (!is_kubernetes).then(made).or_else(|| written_field(spec, "matchConstraints"));
        };
        let lists = ["resourceRules", "excludeResourceRules"];
        let mut fields = fields_without(entry.value, &lists);
        for list in lists {
            let Some(rules) = entry.value.entry(list) else { continue };
            if !rules.value.is_list() {
                fields.push((TreePart::Written(rules.key), TreePart::Written(rules.value)));
                continue;
            }
            let items = rules.value.items().map(with_operations).collect();
            fields.push((TreePart::Written(rules.key), TreePart::List(items, rules.value.span())));
        }
        Some((TreePart::Written(entry.key), TreePart::Map(fields, entry.value.span())))
    }

    /// The match conditions with one for each exception: the policy does not apply if all conditions of an exception hold.
    fn conditions(&self, spec: Node<'d>, restate: &dyn Fn(Node<'d>) -> TreePart<'d>) -> Option<Field<'d>> {
        let node = spec.get("matchConditions");
        if self.exceptions.complete.is_empty() {
            let entry = spec.entry("matchConditions")?;
            return Some((TreePart::Written(entry.key), restate(entry.value)));
        }
        let mut items: Vec<_> = node.into_iter().flat_map(Node::items).map(restate).collect();
        items.extend(self.exceptions.complete.iter().map(|exception| {
            let named = [("name", exception.name.as_str()), ("expression", exception.expression.as_str())];
            let named = named.map(|(key, text)| (key, TreePart::made_text(text, exception.span)));
            TreePart::made_map(named, exception.span)
        }));
        let span = node.unwrap_or(spec).span();
        Some(made_field("matchConditions", TreePart::List(items, span)))
    }

    /// A policy for controllers: its expressions are about the template of their Pods.
    fn generated_policy(&self, rules: &GeneratedRules<'d>, name: &str) -> TreePart<'d> {
        let mut fields = head_fields(self.node, "ValidatingAdmissionPolicy", &self.origin(true));
        fields.push(named_metadata(name, self.name_span()));
        if let Some(spec) = self.spec() {
            let mut found = vec![made_field("matchConstraints", rules.constraints.clone())];
            for name in SHARED {
                let moved = |node: Node<'d>| rules.move_fields(node);
                found.extend(match (name, spec.entry(name)) {
                    ("matchConditions", _) => self.conditions(spec, &moved),
                    (_, Some(entry)) => Some((TreePart::Written(entry.key), moved(entry.value))),
                    (_, None) => None,
                });
            }
            fields.push(made_field("spec", TreePart::Map(found, spec.span())));
        }
        TreePart::Map(fields, self.node.span())
    }

    fn name_span(&self) -> kvrules_diagnostics::Span {
        node_at(self.node, &["metadata", "name"]).map_or_else(|| head_span(self.node), Node::span)
    }

    /// The binding of a policy: its actions, and the namespace of a policy that has one.
    fn binding(&self, name: &str) -> TreePart<'d> {
        let origin = json!({"engine": "Kyverno", "kind": self.kind});
        let mut fields = head_fields(self.node, "ValidatingAdmissionPolicyBinding", &origin);
        let span = self.name_span();
        fields.push(named_metadata(name, span));
        let mut spec = vec![made_field("policyName", TreePart::made_text(name, span)), self.actions()];
        if self.kind.starts_with("Namespaced") {
            let namespace = text_at(self.node, &["metadata", "namespace"]);
            let namespace = if namespace.is_empty() { "default" } else { namespace };
            let resources = json!({"namespaceSelector": {"matchLabels": {NAMESPACE_LABEL: namespace}}});
            spec.push(made_field("matchResources", TreePart::of_value(&resources, span)));
        }
        fields.push(made_field("spec", TreePart::Map(spec, span)));
        TreePart::Map(fields, self.node.span())
    }

    /// The actions: Deny by default. A policy that is not evaluated at admission only reports.
    // kyverno api policies.kyverno.io/v1beta1/validating_policy.go, ValidationActions and AdmissionEnabled
    fn actions(&self) -> Field<'d> {
        let admission = node_at(self.node, &["spec", "evaluation", "admission", "enabled"]);
        let made =
            |action: &str, span| made_field("validationActions", TreePart::of_value(&json!([action]), span));
        if let Some(enabled) = admission.filter(|it| it.kind() == kvrules_syntax::SyntaxKind::False) {
            return made("Audit", enabled.span());
        }
        let own = self.spec().and_then(|spec| {
            let is_set = spec.get("validationActions").is_some_and(|list| list.items().next().is_some());
            written_field(spec, "validationActions").filter(|_| is_set)
        });
        own.unwrap_or_else(|| made("Deny", head_span(self.node)))
    }
}

/// A rule of resources with operations.
fn with_operations(rule: Node<'_>) -> TreePart<'_> {
    let is_given = rule.get("operations").is_some_and(|list| list.items().next().is_some());
    if is_given || !rule.is_map() {
        return TreePart::Written(rule);
    }
    let mut fields = fields_without(rule, &["operations"]);
    fields.push(made_field("operations", TreePart::of_value(&json!(["*"]), rule.span())));
    TreePart::Map(fields, rule.span())
}
