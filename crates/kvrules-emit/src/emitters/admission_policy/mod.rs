//! ValidatingAdmissionPolicies and their bindings: for each rule set a file, which evaluates the machines that were made from
//! the templates of the set.
//!
//! The binding decides the outcome for an object that violates a rule, for all rules of a policy at once. So rules
//! that reject and rules that only warn are in policies of their own.

mod matching;
mod resources;
mod validations;

use std::collections::HashSet;

use kvrules_apiserver::needs::{first_version, validation_needs};
use kvrules_apiserver::server::POLICY_APIS;
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_ir::{ElaboratedSet, Severity};
use serde_json::{Map, Value, json};

use crate::cel::header_comment;
use crate::policy::{PolicyResource, RESOURCE, policy_resource, policy_resources};
use kvrules_pages::names;

use crate::{
    Artefact, Emission, EmitError, Emitter, OutputFile, Request, ResourceEmitter, RuleFidelity,
    RuleSetEmitter, TargetOption, yaml,
};
use resources::emit_resources;
use validations::PolicyParts;

/// The version of the API of the policies that are made.
const API_VERSION: &str = "admissionregistration.k8s.io/v1";

/// One file a rule set.
pub(crate) static EMITTER: Emitter = Emitter {
    name: "admission-policy",
    summary: "ValidatingAdmissionPolicies with their bindings",
    options: &[
        TargetOption {
            name: "match",
            values: &["label", "annotation", "none"],
            default: "label",
            summary: "where a virtual machine names its template; `none` validates every virtual machine",
        },
        TargetOption {
            name: "warnings",
            values: &["warn", "audit"],
            default: "warn",
            summary: "send warnings to the user or to the audit log",
        },
        TargetOption {
            name: "failure-policy",
            values: &["fail", "ignore"],
            default: "fail",
            summary: "reject or accept an object if a rejecting rule cannot be evaluated",
        },
        TargetOption {
            name: RESOURCE,
            values: &[],
            default: "",
            summary: "the resource to validate if the schema does not name it: `GROUP/VERSION/RESOURCE`, such as \
                      `apps/v1/deployments`",
        },
    ],
    rule_sets: Some(RuleSetEmitter {
        artefact: Artefact::Policies,
        unavailable: |request| served_api(request.servers).and_then(|_| policy_resource(request)).err(),
        emit: emit_policies,
    }),
    extra_specs: None,
    resources: Some(ResourceEmitter::new(emit_resources)),
    authored: Some(ResourceEmitter::new(emit_resources)),
};

/// Returns the first version of Kubernetes that serves the API of the policies that are made; an error if not all servers do.
fn served_api(servers: KubernetesVersions) -> Result<KubernetesVersion, String> {
    let first = POLICY_APIS.iter().find(|api| api.name == API_VERSION).map(|api| api.first);
    let first = first.unwrap_or(KubernetesVersion::NEWEST);
    if servers.oldest() < first {
        return Err(format!("`{API_VERSION}` needs Kubernetes {first} or newer"));
    }
    Ok(first)
}

/// The first version of Kubernetes that takes the validations of policies.
fn oldest_server<'v>(
    api: KubernetesVersion,
    validations: impl Iterator<Item = &'v Value>,
) -> KubernetesVersion {
    let needs: Vec<_> = validations.flat_map(validation_needs).collect();
    first_version(&needs).unwrap_or(KubernetesVersion::NEWEST).max(api)
}

fn emit_policies(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    let mut taken = HashSet::new();
    let api = served_api(request.servers).map_err(|message| EmitError { message })?;
    let resource = policy_resource(request).map_err(|message| EmitError { message })?;
    for (set, stem) in request.sets.iter().zip(names::to_file_stems(request.sets)) {
        let (documents, fidelity) = build_policies(request, &resource, set, &policy_name(&stem, &mut taken));
        let validations =
            documents.iter().filter_map(|it| it.pointer("/spec/validations")?.as_array()).flatten();
        let oldest = oldest_server(api, validations);
        let text = header_comment(set, oldest, &fidelity) + &join_documents(&documents)?;
        emission.files.push(OutputFile { path: format!("{stem}.yaml"), text });
        emission.fidelity.extend(fidelity);
    }
    Ok(emission)
}

/// The policies of a rule set with their bindings, and how exactly they say each rule.
fn build_policies(
    request: &Request<'_>,
    resource: &PolicyResource,
    set: &ElaboratedSet,
    name: &str,
) -> (Vec<Value>, Vec<RuleFidelity>) {
    let mut documents = Vec::new();
    let mut fidelity = Vec::new();
    for severity in [Severity::Error, Severity::Warning] {
        let generated = PolicyParts::of(set, severity, resource);
        if !generated.validations.is_empty() {
            let name = format!("{name}.{}", if severity == Severity::Error { "rules" } else { "warnings" });
            documents.push(build_policy(
                &PolicyInput { request, resource, set, severity },
                &generated,
                &name,
            ));
            documents.push(build_binding(&name, severity_action(request, severity)));
        }
        fidelity.extend(generated.fidelity);
    }
    fidelity.sort_by_key(|(position, _)| *position);
    (documents, fidelity.into_iter().map(|(_, fidelity)| fidelity).collect())
}

/// Everything that a policy is made for.
struct PolicyInput<'a> {
    request: &'a Request<'a>,
    resource: &'a PolicyResource,
    set: &'a ElaboratedSet,
    severity: Severity,
}

fn build_policy(whole: &PolicyInput<'_>, generated: &PolicyParts, name: &str) -> Value {
    let PolicyInput { request, resource, set, severity } = *whole;
    let rules: Vec<_> = set.rules.iter().filter(|rule| rule.severity == severity).collect();
    let mut spec = Map::new();
    let mut say = |key: &str, value: Value| spec.insert(key.to_owned(), value);
    say("failurePolicy", failure_policy(request, severity).into());
    say("matchConstraints", matching::match_constraints(resource, &policy_resources(resource, &rules)));
    if let Some(condition) = matching::match_condition(request, request.option_value(&EMITTER, "match"), set)
    {
        say("matchConditions", json!([condition]));
    }
    if !generated.variables.is_empty() {
        say("variables", generated.variables.clone().into());
    }
    say("validations", generated.validations.clone().into());
    build_document("ValidatingAdmissionPolicy", name, &spec.into())
}

fn build_binding(name: &str, action: &str) -> Value {
    let spec = json!({ "policyName": name, "validationActions": [action] });
    build_document("ValidatingAdmissionPolicyBinding", name, &spec)
}

fn build_document(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": API_VERSION,
        "kind": kind,
        "metadata": { "name": name, "labels": { "app.kubernetes.io/managed-by": "kvrules" } },
        "spec": spec,
    })
}

/// Returns the server's reaction if a rule fails to be evaluated. A warning is never worth a rejection, nor a line that
/// says only that it could not be given.
fn failure_policy(request: &Request<'_>, severity: Severity) -> &'static str {
    match (severity, request.option_value(&EMITTER, "failure-policy")) {
        (Severity::Warning, _) | (Severity::Error, "ignore") => "Ignore",
        (Severity::Error, _) => "Fail",
    }
}

/// Returns the server's action if a rule is violated.
fn severity_action(request: &Request<'_>, severity: Severity) -> &'static str {
    match (severity, request.option_value(&EMITTER, "warnings")) {
        (Severity::Error, _) => "Deny",
        (Severity::Warning, "audit") => "Audit",
        (Severity::Warning, _) => "Warn",
    }
}

/// A name that the server takes, of which each part between dots begins and ends with a letter or a digit.
fn policy_name(stem: &str, taken: &mut HashSet<String>) -> String {
    let dashed = stem.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
    let labels = dashed.split('.').map(|label| label.trim_matches('-')).filter(|label| !label.is_empty());
    let name = labels.collect::<Vec<_>>().join(".");
    let name = if name.is_empty() { "rules".to_owned() } else { name };
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
    let name = free.unwrap_or(name);
    taken.insert(name.clone());
    name
}

fn join_documents(documents: &[Value]) -> Result<String, EmitError> {
    let texts = documents.iter().map(yaml::to_yaml).collect::<Result<Vec<_>, _>>()?;
    Ok(texts.join("---\n"))
}
