//! Gatekeeper's ConstraintTemplates with code for K8sNativeValidation, with the constraints of their kinds in the same input.

mod constraint;
mod definition;
mod shape;

use kvrules_syntax::restated::TreePart;
use kvrules_syntax::{Node, SyntaxKind};
use serde_json::{Value, json};

use super::PolicyNotation;
use super::parts::{
    Field, head_fields, head_span, made_field, named_metadata, node_at, text_at, written_field,
};

pub(super) static TEMPLATES: PolicyNotation = PolicyNotation {
    group: "templates.gatekeeper.sh",
    is_known: |node| text_at(node, &["kind"]) == "ConstraintTemplate",
    is_restated: |node, _| find_source(node).is_some(),
    restate,
    findings: shape::template_findings,
};

pub(super) static CONSTRAINTS: PolicyNotation = PolicyNotation {
    group: constraint::GROUP,
    is_known: |node| !text_at(node, &["kind"]).is_empty(),
    is_restated: |node, objects| constraint::find_template(node, objects).is_some(),
    restate: constraint::restate,
    findings: shape::constraint_findings,
};

/// Engine of code in CEL.
const ENGINE: &str = "K8sNativeValidation";

/// Version of constraints that policies name.
// gatekeeper pkg/drivers/k8scel/transform/make_vap_objects.go, TemplateToPolicyDefinitionWithWebhookConfig
const CONSTRAINT_VERSION: &str = "constraints.gatekeeper.sh/v1beta1";

/// The code of a template in CEL; `None` for a template that has none.
// gatekeeper pkg/drivers/k8scel/schema/schema.go, GetSourceFromTemplate: a template has one target
fn find_source(template: Node<'_>) -> Option<Node<'_>> {
    let mut targets = node_at(template, &["spec", "targets"])?.items();
    let code = targets.next().filter(|_| targets.next().is_none())?.get("code")?;
    code.items().find(|code| text_at(*code, &["engine"]) == ENGINE)?.get("source")
}

/// Kind of the constraints of a template.
fn constraint_kind(template: Node<'_>) -> &str {
    text_at(template, &["spec", "crd", "spec", "names", "kind"])
}

/// Variables that the engine puts before those of a template, in its own words.
// gatekeeper pkg/drivers/k8scel/transform/cel_snippets.go, BindObjectV1Beta1 and BindParamsV1Beta1
const GIVEN_VARIABLES: [(&str, &str); 2] = [
    (
        "anyObject",
        r#"has(request.operation) && request.operation == "DELETE" && object == null ? oldObject : object"#,
    ),
    ("params", "!has(params.spec) ? null : !has(params.spec.parameters) ? null: params.spec.parameters"),
];

/// Restates a template as a policy whose parameters are the constraints.
fn restate<'d>(node: Node<'d>, objects: &[Node<'d>]) -> Vec<TreePart<'d>> {
    let Some(source) = find_source(node) else { return vec![TreePart::Written(node)] };
    let mut origin = json!({"engine": "Gatekeeper", "kind": "ConstraintTemplate"});
    if let Some(fields) = origin.as_object_mut() {
        fields.insert("definition".to_owned(), definition::constraint_definition(node));
    }
    let mut fields = head_fields(node, "ValidatingAdmissionPolicy", &origin);
    fields.extend(written_field(node, "metadata"));
    let kind = constraint_kind(node);
    let kind_node = node_at(node, &["spec", "crd", "spec", "names", "kind"]);
    let param_kind = TreePart::made_map(
        [
            ("apiVersion", TreePart::made_text(CONSTRAINT_VERSION, kind_node.unwrap_or(node).span())),
            ("kind", TreePart::made_text(kind, kind_node.unwrap_or(node).span())),
        ],
        kind_node.unwrap_or(node).span(),
    );
    let spec = [
        Some(made_field("paramKind", param_kind)),
        Some(match_constraints(node, objects)),
        written_field(source, "failurePolicy"),
        written_field(source, "matchCondition").map(|(_, value)| made_field("matchConditions", value)),
        Some(variables(node, source)),
        written_field(source, "validations"),
    ];
    fields.push(made_field("spec", TreePart::Map(spec.into_iter().flatten().collect(), source.span())));
    vec![TreePart::Map(fields, node.span())]
}

/// Requests that the policy matches: those that its constraints in the input match, and all if there are none. The webhook is about
/// creations and updates unless the template names its operations.
// gatekeeper charts/gatekeeper/values.yaml, validatingWebhookOperations; pkg/drivers/k8scel/transform/make_vap_objects.go,
// buildDefaultMatchConstraints
fn match_constraints<'d>(template: Node<'d>, objects: &[Node<'d>]) -> Field<'d> {
    let span = head_span(template);
    let kind = constraint_kind(template);
    let operations = operations_of(template);
    let of_template = |object: &Node<'d>| {
        text_at(*object, &["kind"]) == kind
            && text_at(*object, &["apiVersion"]).starts_with(constraint::GROUP)
    };
    let mut rules: Vec<Value> = Vec::new();
    for constraint in objects.iter().copied().filter(|object| of_template(object)) {
        for rule in constraint::resource_rules(constraint, &operations) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    if rules.is_empty() {
        rules = vec![constraint::any_resource(&operations)];
    }
    made_field("matchConstraints", TreePart::of_value(&json!({"resourceRules": rules}), span))
}

/// The operations of a template.
fn operations_of(template: Node<'_>) -> Vec<String> {
    let targets = node_at(template, &["spec", "targets"]).into_iter().flat_map(Node::items);
    let listed = targets.filter_map(|target| target.get("operations")).flat_map(Node::items);
    let listed: Vec<String> = listed.map(|operation| operation.text().to_owned()).collect();
    if listed.is_empty() { vec!["*".to_owned()] } else { listed }
}

fn variables<'d>(template: Node<'d>, source: Node<'d>) -> Field<'d> {
    let span = head_span(template);
    let given = GIVEN_VARIABLES
        .map(|(name, expression)| TreePart::of_value(&json!({"name": name, "expression": expression}), span));
    let own = source.get("variables");
    let items = given.into_iter().chain(own.into_iter().flat_map(Node::items).map(TreePart::Written));
    made_field("variables", TreePart::List(items.collect(), own.unwrap_or(source).span()))
}

/// The name of a binding: that of the constraint.
fn binding_name(constraint: Node<'_>) -> Field<'_> {
    let name = node_at(constraint, &["metadata", "name"]);
    named_metadata(name.map_or("", Node::text), name.unwrap_or(constraint).span())
}

/// True for a field that is set.
fn is_set(node: Node<'_>) -> bool {
    !matches!(node.kind(), SyntaxKind::Null | SyntaxKind::Hole)
}
