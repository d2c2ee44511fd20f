//! Policies with the rules of CustomResourceDefinitions: one file for each served version.

use std::collections::HashSet;

use kvrules_apiserver::definition::{AuthoredObjects, PolicyParameters, RequestSelection, ResourceVersion};
use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_ir::Severity;
use serde_json::{Value, json};

use super::{
    EMITTER, build_binding, build_document, failure_policy, join_documents, oldest_server, policy_name,
    served_api, severity_action,
};
use crate::cel::{to_comment, version_comment};
use crate::resource_policy::{ResourcePolicy, SharedValidations, convert_rules_for, share_parts};
use crate::resource_schema::KEYWORDS;
use crate::{Emission, EmitError, Fidelity, OutputFile, Request, RuleFidelity};

/// Bytes of validations in one policy. A server stores no object of more than 1.5 MiB.
// etcd: --max-request-bytes
const MOST_BYTES: usize = 512 * 1024;

const NO_REQUESTS: &str =
    "the subject is a JSON Schema, whose documents no server receives; use `json-schema` or `openapi`";

const IGNORED_ERRORS: &str = "the policy accepts an object on which the rule ends in an error";

pub(super) fn emit_resources(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    let mut taken = HashSet::new();
    let api = served_api(request.servers).map_err(|message| EmitError { message })?;
    for version in request.resources.iter().filter(|version| version.is_served) {
        let mut made = convert_rules_for(version, request.servers.oldest());
        let of_documents = version.is_of_documents().then(|| NO_REQUESTS.to_owned());
        if let Some(cause) = of_documents.or_else(|| missing_conditions(version, request.servers.oldest())) {
            made.validations.clear();
            made.fidelity.iter_mut().for_each(|entry| entry.fidelity = Fidelity::Unsupported(cause.clone()));
        }
        if request.option_value(&EMITTER, "failure-policy") == "ignore" {
            made.fidelity.iter_mut().for_each(ignore_errors);
        }
        if request.only_claims.is_none() && !made.validations.is_empty() {
            let name = policy_name(&version.file_stem(), &mut taken);
            let documents = build_policies(request, version, &made, &name);
            let text = header_comment(version, &made, oldest_server(api, made.validations.iter()))
                + &join_documents(&documents)?;
            emission.files.push(OutputFile { path: format!("{}.yaml", version.file_stem()), text });
        }
        emission.fidelity.extend(made.fidelity);
        emission.restated.extend(made.restated);
    }
    Ok(emission)
}

/// The cause if a server has no match conditions, which select users.
// kubernetes 1.27, KEP-3716 for ValidatingAdmissionPolicy
fn missing_conditions(version: &ResourceVersion, oldest: KubernetesVersion) -> Option<String> {
    let is_needed = version.selection().is_some_and(RequestSelection::selects_users);
    (is_needed && oldest.minor() < 27).then(|| "`matchConditions` needs Kubernetes 1.27 or newer".to_owned())
}

/// The claim if an error does not reject an object.
fn ignore_errors(entry: &mut RuleFidelity) {
    entry.fidelity = match &entry.fidelity {
        Fidelity::Exact => Fidelity::Wider(IGNORED_ERRORS.to_owned()),
        Fidelity::Wider(cause) => Fidelity::Wider(format!("{cause}; {IGNORED_ERRORS}")),
        Fidelity::Narrower(cause) | Fidelity::Incomparable(cause) => {
            Fidelity::Incomparable(format!("{cause}; {IGNORED_ERRORS}"))
        }
        Fidelity::Unsupported(cause) => Fidelity::Unsupported(cause.clone()),
    };
}

/// The policies of a version with their bindings.
fn build_policies(
    request: &Request<'_>,
    version: &ResourceVersion,
    made: &ResourcePolicy,
    name: &str,
) -> Vec<Value> {
    let parts = split_validations(&made.validations);
    let is_single = parts.len() == 1;
    let severity = if version.rejects() { Severity::Error } else { Severity::Warning };
    let action = match version.authored.as_ref().map(|authored| authored.severity) {
        Some("audit") => "Audit",
        Some("warn") => "Warn",
        _ => severity_action(request, severity),
    };
    let build = |(index, validations): (usize, Vec<Value>)| {
        // The rules of a definition stay as their author wrote them.
        let shared = match version.authored {
            Some(_) => share_parts(&version.schema, &validations),
            None => SharedValidations { variables: Vec::new(), validations },
        };
        let name = if is_single { format!("{name}.rules") } else { format!("{name}.rules-{}", index + 1) };
        let parameters = version.parameters();
        let mut spec = json!({
            "failurePolicy": failure_policy(request, Severity::Error),
            "matchConstraints": match_constraints(version),
        });
        let conditions = version.selection().map(RequestSelection::match_conditions).unwrap_or_default();
        if let Some(fields) = spec.as_object_mut() {
            if let Some(parameters) = parameters {
                fields.insert("paramKind".to_owned(), parameters.kind.clone());
            }
            if !conditions.is_empty() {
                fields.insert("matchConditions".to_owned(), conditions.into());
            }
            if !shared.variables.is_empty() {
                fields.insert("variables".to_owned(), shared.variables.into());
            }
            fields.insert("validations".to_owned(), shared.validations.into());
        }
        let mut binding = build_binding(&name, action);
        if let (Some(parameters), Some(fields)) =
            (parameters, binding.get_mut("spec").and_then(Value::as_object_mut))
        {
            fields.insert("paramRef".to_owned(), parameter_reference(version, parameters));
        }
        [build_document("ValidatingAdmissionPolicy", &name, &spec), binding]
    };
    parts.into_iter().enumerate().flat_map(build).collect()
}

/// The reference to the parameters. Without them the server denies the request whatever the actions of the binding are, so a rule
/// that only reports is not evaluated then.
// admission/plugin/policy/validating/dispatcher.go, Dispatch, addConfigError
fn parameter_reference(version: &ResourceVersion, parameters: &PolicyParameters) -> Value {
    let mut reference = parameters.reference.clone();
    if let Some(fields) = reference.as_object_mut().filter(|_| !version.rejects()) {
        fields.insert("parameterNotFoundAction".to_owned(), "Allow".into());
    }
    reference
}

/// Groups of validations that fit into one policy.
fn split_validations(validations: &[Value]) -> Vec<Vec<Value>> {
    let mut parts: Vec<Vec<Value>> = Vec::new();
    let mut bytes = 0;
    for validation in validations {
        let size = validation.to_string().len();
        bytes += size;
        if let Some(part) = parts.last_mut().filter(|_| bytes <= MOST_BYTES) {
            part.push(validation.clone());
        } else {
            parts.push(vec![validation.clone()]);
            bytes = size;
        }
    }
    parts
}

/// Writes of objects in this version. The rules of a definition are those of one version, and other versions have other rules; rules
/// that are written elsewhere are about objects, in whatever version a request has them.
fn match_constraints(version: &ResourceVersion) -> Value {
    let evaluated = version.written_subresources().filter(|written| written.is_evaluated);
    let evaluated = evaluated.map(|written| version.subresource_name(written));
    let resources: Vec<String> = std::iter::once(version.plural.clone()).chain(evaluated).collect();
    let selection = version.selection();
    if version.authored_objects() == AuthoredObjects::OfAnyKind {
        return match_any_kind(selection);
    }
    let operations = selection.map_or(vec!["CREATE", "UPDATE"], RequestSelection::listed_operations);
    let match_policy = if version.authored.is_some() { "Equivalent" } else { "Exact" };
    let mut constraints = json!({
        "matchPolicy": match_policy,
        "resourceRules": [{
            "apiGroups": [version.group],
            "apiVersions": [version.version],
            "operations": operations,
            "resources": resources,
        }],
    });
    if let (Some(fields), Some(selection)) = (constraints.as_object_mut(), selection) {
        fields.extend(selection.selectors.clone());
    }
    constraints
}

/// Writes of objects of all selected resources in all versions.
fn match_any_kind(selection: Option<&RequestSelection>) -> Value {
    let every = [("*".to_owned(), "*".to_owned())];
    let selected = selection.map(|selection| selection.resources.as_slice()).filter(|list| !list.is_empty());
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (group, plural) in selected.unwrap_or(&every) {
        match groups.iter_mut().find(|(known, _)| known == group) {
            Some((_, plurals)) => plurals.push(plural),
            None => groups.push((group, vec![plural])),
        }
    }
    let operations = selection.map_or(vec!["CREATE", "UPDATE"], RequestSelection::listed_operations);
    let rule = |(group, resources): (&str, Vec<&str>)| json!({"apiGroups": [group], "apiVersions": ["*"], "operations": operations, "resources": resources});
    let rules: Vec<Value> = groups.into_iter().map(rule).collect();
    // The same object may be written in several versions of a group, each of which matches.
    let mut constraints = json!({"matchPolicy": "Exact", "resourceRules": rules});
    if let (Some(fields), Some(selection)) = (constraints.as_object_mut(), selection) {
        fields.extend(selection.selectors.clone());
    }
    constraints
}

fn header_comment(version: &ResourceVersion, made: &ResourcePolicy, oldest: KubernetesVersion) -> String {
    let subject = match version.authored_objects() {
        AuthoredObjects::OfVersion => format!("{} in {}", version.definition, version.version),
        _ => version.objects_name(),
    };
    let title = match &version.authored {
        Some(authored) => format!("RuleSet {}, for {subject}", authored.name),
        None => format!("rules of {subject}"),
    };
    let mut head = to_comment(&title);
    head.push_str(&version_comment(oldest));
    for RuleFidelity { rule, fidelity, .. } in &made.fidelity {
        if let Some(cause) = fidelity.cause().filter(|_| rule != KEYWORDS) {
            let rule = version.shown_rule_name(rule);
            head.push_str(&to_comment(&format!("{rule}: {}: {cause}", fidelity.as_str())));
        }
    }
    for restated in &made.restated {
        head.push_str(&to_comment(&restated.describe(version.shown_rule_name(&restated.rule))));
    }
    head
}
