//! Constraint templates as policies, and the objects that a constraint matches.

use crate::verdicts::KnownResources;
use kvrules_kubernetes::keywords::PRESERVE_UNKNOWN_FIELDS;
use serde_json::{Value, json};

use super::template_name;
use crate::document::{field, is_present, list_items, metadata_text, text_field};
use crate::model::CaseInput;

/// Engine of templates in CEL.
const ENGINE: &str = "K8sNativeValidation";

/// Returns a template as a policy whose parameter is the constraint.
///
/// # Errors
///
/// The engines of a template that is not in CEL.
pub(super) fn to_policy(template: &Value, constraint: &Value) -> Result<Value, String> {
    let target = template.pointer("/spec/targets/0").unwrap_or(&Value::Null);
    let code = list_items(field(target, "code")).find(|code| text_field(code, "engine") == ENGINE);
    let Some(source) = code.map(|code| field(code, "source")) else {
        let engines = list_items(field(target, "code")).map(|code| text_field(code, "engine"));
        let engines: Vec<&str> = engines.chain(target.get("rego").map(|_| "Rego")).collect();
        return Err(format!("the template has no code for {ENGINE}, only for {}", engines.join(", ")));
    };
    let variables: Vec<Value> =
        given_variables().into_iter().chain(list_items(field(source, "variables")).cloned()).collect();
    let matching = field(field(constraint, "spec"), "match");
    let everything =
        json!({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]});
    let mut constraints = json!({"resourceRules": [everything]});
    if let Some(fields) = constraints.as_object_mut() {
        for (name, own) in [("objectSelector", "labelSelector"), ("namespaceSelector", "namespaceSelector")] {
            if let Some(selector) = matching.get(own) {
                fields.insert(name.to_owned(), selector.clone());
            }
        }
    }
    let failure_policy = field(source, "failurePolicy").as_str().unwrap_or("Fail");
    let conditions: Vec<Value> = list_items(field(source, "matchConditions")).cloned().collect();
    Ok(json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": template_name(template)},
        "spec": {
            "failurePolicy": failure_policy,
            "paramKind": {"apiVersion": field(constraint, "apiVersion"), "kind": field(constraint, "kind")},
            "matchConstraints": constraints,
            "matchConditions": conditions,
            "variables": variables,
            "validations": field(source, "validations"),
        },
    }))
}

/// Returns the definition that Gatekeeper makes of a template, for the version that a constraint names.
// frameworks constraint/pkg/client/crds/schema.go, CreateSchema; gatekeeper pkg/target/matchcrd_constant.go and pkg/mutation/match
pub(super) fn to_definition(template: &Value, constraint: &Value) -> Value {
    let api_version = text_field(constraint, "apiVersion");
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("constraints.gatekeeper.sh", api_version));
    let of_template = field(field(field(template, "spec"), "crd"), "spec");
    let kind = text_field(field(of_template, "names"), "kind");
    let plural = kind.to_lowercase();
    let mut spec = json!({"match": match_schema(), "enforcementAction": {"type": "string"}});
    let parameters = field(of_template, "validation").get("openAPIV3Schema").filter(|it| it.is_object());
    if let (Some(parameters), Some(fields)) = (parameters, spec.as_object_mut()) {
        fields.insert("parameters".to_owned(), parameters.clone());
    }
    let schema = json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}}},
        "spec": {"type": "object", "properties": spec, PRESERVE_UNKNOWN_FIELDS: true},
        "status": {"type": "object", PRESERVE_UNKNOWN_FIELDS: true},
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Cluster",
            "names": {"plural": plural, "singular": plural, "kind": kind, "listKind": format!("{kind}List")},
            "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

/// The schema of `match`.
fn match_schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    // gatekeeper pkg/util/wildcard.go, Wildcard
    let names = json!({"type": "array", "items": {"type": "string",
        "pattern": r"^(\*|\*-)?[a-z0-9]([-:a-z0-9]*[a-z0-9])?(\*|-\*)?$"}});
    let selector = json!({"type": "object", "properties": {
        "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
        "matchExpressions": {"type": "array", "items": {"type": "object", "required": ["key", "operator"], "properties": {
            "key": {"type": "string"}, "operator": {"type": "string"}, "values": texts,
        }}},
    }});
    json!({"type": "object", PRESERVE_UNKNOWN_FIELDS: true, "properties": {
        "kinds": {"type": "array", "items": {"type": "object", "properties": {"apiGroups": texts, "kinds": texts}}},
        "scope": {"type": "string"},
        "source": {"type": "string", "enum": ["All", "Generated", "Original"]},
        "name": {"type": "string", "pattern": r"^(\*|\*-)?[a-z0-9]([-:a-z0-9]*[a-z0-9])?(\*|-\*)?$"},
        "namespaces": names, "excludedNamespaces": names,
        "labelSelector": selector, "namespaceSelector": selector,
    }})
}

/// Returns the binding of the policy with the constraint as its parameter.
pub(super) fn to_binding(policy: &Value, constraint: &Value) -> Value {
    json!({
        "metadata": {"name": metadata_text(constraint, "name")},
        "spec": {
            "policyName": metadata_text(policy, "name"),
            "validationActions": ["Deny"],
            "paramRef": {"name": "constraint", "parameterNotFoundAction": "Deny"},
        },
    })
}

/// Returns the variables that the engine puts before those of a template.
// frameworks constraint/pkg/client/drivers/k8scel/schema/schema.go: bindParamsV1Beta1 and ObjectName
fn given_variables() -> [Value; 2] {
    let any =
        r#"has(request.operation) && request.operation == "DELETE" && object == null ? oldObject : object"#;
    let params = "!has(params.spec) ? null : !has(params.spec.parameters) ? null : params.spec.parameters";
    [json!({"name": "anyObject", "expression": any}), json!({"name": "params", "expression": params})]
}

/// True if a constraint is about an object: by kind, namespace, name and scope. Selectors are those of the policy.
// gatekeeper pkg/mutation/match/match.go, Matches
pub(super) fn matches_object(constraint: &Value, input: &CaseInput) -> bool {
    let matching = field(field(constraint, "spec"), "match");
    let object = if input.object.is_null() { &input.old_object } else { &input.object };
    let api_version = text_field(object, "apiVersion");
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let kind = text_field(object, "kind");
    let has = |value: &Value, list: &str, wanted: &str| {
        let mut items = list_items(field(value, list)).filter_map(Value::as_str).peekable();
        items.peek().is_none() || items.any(|it| it == wanted || it == "*")
    };
    let mut kinds = list_items(field(matching, "kinds")).peekable();
    let is_of_kind =
        kinds.peek().is_none() || kinds.any(|it| has(it, "apiGroups", group) && has(it, "kinds", kind));
    let namespace =
        if kind == "Namespace" { metadata_text(object, "name") } else { metadata_text(object, "namespace") };
    let names = |list: &str| list_items(field(matching, list)).filter_map(Value::as_str);
    let is_namespaced =
        KnownResources::new().find_resource(api_version, kind).is_none_or(|(_, namespaced)| namespaced);
    let has_namespace = is_namespaced || kind == "Namespace";
    let is_included = names("namespaces").next().is_none()
        || (has_namespace && names("namespaces").any(|it| matches_wildcard(it, namespace)));
    let is_excluded = has_namespace
        && !namespace.is_empty()
        && names("excludedNamespaces").any(|it| matches_wildcard(it, namespace));
    let is_in_scope = match text_field(matching, "scope") {
        "Cluster" => !is_namespaced,
        "Namespaced" => is_namespaced,
        _ => true,
    };
    let name = Some(text_field(matching, "name")).filter(is_present);
    let is_named = name.is_none_or(|it| matches_wildcard(it, metadata_text(object, "name")));
    is_of_kind && is_included && !is_excluded && is_in_scope && is_named
}

/// True if a name matches a text with `*` at one end or both.
// gatekeeper pkg/util/wildcard.go, Matches
fn matches_wildcard(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constraint_matches_by_kind_namespace_and_scope() {
        let pod = |namespace: &str| CaseInput {
            object: json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": namespace}}),
            ..CaseInput::default()
        };
        let constraint = |matching: Value| json!({"spec": {"match": matching}});
        for (matching, namespace, expected) in [
            (json!({}), "a", true),
            (json!({"kinds": [{"apiGroups": [""], "kinds": ["Pod"]}]}), "a", true),
            (json!({"kinds": [{"apiGroups": ["apps"], "kinds": ["*"]}]}), "a", false),
            (json!({"namespaces": ["kube-*"]}), "kube-system", true),
            (json!({"namespaces": ["kube-*"]}), "a", false),
            (json!({"excludedNamespaces": ["*-system"]}), "kube-system", false),
            (json!({"scope": "Cluster"}), "a", false),
            (json!({"name": "b*"}), "a", false),
        ] {
            assert_eq!(
                matches_object(&constraint(matching.clone()), &pod(namespace)),
                expected,
                "{matching}"
            );
        }
    }
}
