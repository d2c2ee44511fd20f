//! Policies of both kinds as policies of the server.

use std::collections::BTreeSet;

use kvrules_apiserver::policy::acceptance::review_policy;
use kvrules_cel::ast::{Expr, ExprKind};
use serde_json::{Map, Value, json};

use super::autogen::{generate_policies, is_validating_policy};
use crate::document::{field, list_items, metadata_text, text_field};
use crate::policies::{POLICY, is_binding_of};
use crate::subject::{PolicySubject, RuleOrigin, Subject, deny_binding};

/// Returns the subject of a policy with those that Kyverno adds for controllers.
///
/// # Errors
///
/// The kinds and libraries that only Kyverno's own engine has, by name.
pub(super) fn read_subject(
    origin: &RuleOrigin,
    policy: &Value,
    bindings: &[Value],
) -> Result<Subject, String> {
    let kind = text_field(policy, "kind");
    let policy = &with_operations(policy);
    if kind == POLICY {
        let own: Vec<Value> = bindings.iter().filter(|it| is_binding_of(it, policy)).map(with_deny).collect();
        return Ok(Subject::of_policies(
            PolicySubject::new(vec![(origin.clone(), policy.clone())], own).without_review(),
        ));
    }
    if !is_validating_policy(policy) {
        return Err(format!("policies of the kind {kind} are evaluated by Kyverno's own engine"));
    }
    let mode = policy.pointer("/spec/evaluation/mode").and_then(Value::as_str).unwrap_or("Kubernetes");
    if mode != "Kubernetes" {
        return Err(format!("the evaluation mode {mode} is Kyverno's own"));
    }
    let restated = restate_policy(policy);
    let own = own_libraries(&restated);
    if !own.is_empty() {
        let names: Vec<String> = own.iter().map(|name| format!("`{name}`")).collect();
        return Err(format!("the policy uses {}, which only Kyverno's own engine has", names.join(", ")));
    }
    let all = std::iter::once(policy.clone()).chain(generate_policies(policy));
    let documents: Vec<(RuleOrigin, Value)> = all.map(|it| (origin.clone(), restate_policy(&it))).collect();
    let binding = deny_binding(metadata_text(policy, "name"));
    let policies = PolicySubject::new(documents, vec![binding]).without_review();
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

/// The command line reports what violates a policy, whatever its bindings do.
fn with_deny(binding: &Value) -> Value {
    let mut binding = binding.clone();
    if let Some(spec) = binding.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("validationActions".to_owned(), json!(["Deny"]));
    }
    binding
}

/// Fields that both kinds of policies have.
const FIELDS: [&str; 6] =
    ["failurePolicy", "matchConstraints", "matchConditions", "variables", "validations", "auditAnnotations"];

/// Returns a ValidatingPolicy as a ValidatingAdmissionPolicy: the fields of both have the same names.
fn restate_policy(policy: &Value) -> Value {
    let given = field(policy, "spec");
    let mut spec = Map::new();
    for name in FIELDS {
        if let Some(value) = given.get(name).filter(|value| !value.is_null()) {
            spec.insert(name.to_owned(), value.clone());
        }
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": POLICY,
        "metadata": {"name": metadata_text(policy, "name")},
        "spec": spec,
    })
}

/// Names that expressions of the server see.
const ROOTS: [&str; 7] =
    ["object", "oldObject", "request", "params", "namespaceObject", "authorizer", "variables"];
/// Values and functions that Kyverno adds to the language.
// kyverno pkg/cel/libs; pkg/cel/policies/vpol/compiler/compiler.go, createBaseVpolEnv
const LIBRARIES: [&str; 28] = [
    "resource",
    "http",
    "image",
    "images",
    "globalContext",
    "time",
    "json",
    "yaml",
    "hash",
    "random",
    "x509",
    "user",
    "generator",
    "exceptions",
    "parseServiceAccount",
    "verifyImageSignatures",
    "verifyAttestationSignatures",
    "getImageData",
    "isImage",
    "imageData",
    "math",
    "gzip",
    "transform",
    "sha1",
    "sha256",
    "md5",
    "listObjToMap",
    "toMilli",
];

/// Returns the names of Kyverno's own libraries that the expressions of a policy use.
fn own_libraries(policy: &Value) -> BTreeSet<String> {
    let spec = field(policy, "spec");
    let mut found = BTreeSet::new();
    for list in ["matchConditions", "variables", "validations"] {
        for item in list_items(field(spec, list)) {
            for name in ["expression", "messageExpression"] {
                let Ok(expression) = kvrules_cel::parse(text_field(item, name).trim()) else { continue };
                collect_unknown(&expression.root, &mut Vec::new(), &mut found);
            }
        }
    }
    let undeclared = review_policy(policy).into_iter().filter_map(|refusal| {
        let (_, rest) = refusal.message.split_once("undeclared reference to '")?;
        Some(rest.split('\'').next().unwrap_or_default().to_owned())
    });
    found.extend(undeclared.filter(|name| LIBRARIES.contains(&name.as_str())));
    found
}

/// Adds the names that neither the server nor a loop of the expression declares.
fn collect_unknown(expr: &Expr, loops: &mut Vec<String>, found: &mut BTreeSet<String>) {
    let before = loops.len();
    match &expr.kind {
        ExprKind::Ident(name) => {
            let is_known = ROOTS.contains(&name.as_str()) || loops.contains(name);
            if !is_known && LIBRARIES.contains(&name.as_str()) {
                found.insert(name.clone());
            }
        }
        ExprKind::Call { function, receiver: None, .. } if LIBRARIES.contains(&function.as_str()) => {
            found.insert(function.clone());
        }
        kind => loops.extend(kind.declared_names().into_iter().map(str::to_owned)),
    }
    for child in expr.children() {
        collect_unknown(child, loops, found);
    }
    loops.truncate(before);
}
