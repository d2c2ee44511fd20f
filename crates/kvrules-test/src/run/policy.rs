//! Requests that policies decide about.

use std::sync::OnceLock;

use crate::verdicts::KnownResources;
use kvrules_apiserver::policy::{
    Binding, BindingOutcome, Decision, DecisionOrigin, Policy, PolicyOutcome, PolicyReport, Request,
    answer_from_reports, report_request,
};
use kvrules_apiserver::server::ServerFeatures;
use serde_json::{Value, json};

use super::to_authorizer;
use crate::answer::{AnswerVerdict, AnswerWarning, CaseAnswer, Violation};
use crate::document::text_field;
use crate::model::CaseInput;
use crate::subject::{PolicySubject, validation_aliases};

/// Returns the answer of policies about a request; `definition` is that of the object, if it has one.
pub(super) fn answer_policies(
    subject: &PolicySubject,
    input: &CaseInput,
    definition: Option<&Value>,
) -> CaseAnswer {
    if let Some(refusal) = subject.list_refusals(input.server).first().filter(|_| !subject.is_unreviewed()) {
        return CaseAnswer::unevaluated(format!("the server refuses the policy: {refusal}"));
    }
    let request = to_request(input, definition);
    let reports = report_request(&subject.policies, &subject.bindings, &request);
    if let Some(reason) = unsupported_part(&reports) {
        return CaseAnswer::unevaluated(reason);
    }
    let answer = answer_from_reports(&subject.policies, &subject.bindings, &request, &reports);
    let documents: Vec<&Value> = subject.documents().map(|(_, document)| document).collect();
    let (mut violations, is_evaluated) = collect_violations(subject, &documents, &reports);
    let verdict = match &answer.denial {
        Some(_) => AnswerVerdict::Rejected,
        None if !answer.warnings.is_empty() => AnswerVerdict::Warned,
        None if !is_evaluated => AnswerVerdict::Skipped,
        None => AnswerVerdict::Accepted,
    };
    let warning = |text: String| {
        let message = text
            .split_once("': ")
            .map_or(text.as_str(), |(_, rest)| rest.split_once("': ").map_or(rest, |(_, message)| message));
        AnswerWarning { message: message.to_owned(), text }
    };
    if let (Some(denial), Some(first)) = (&answer.denial, violations.first_mut()) {
        first.texts.extend([denial.cause.clone(), denial.message.clone()]);
    }
    CaseAnswer {
        verdict,
        is_unmatched: verdict == AnswerVerdict::Skipped,
        object: input.object.clone(),
        violations,
        warnings: answer.warnings.into_iter().map(warning).collect(),
        audit: answer.audit,
        ..CaseAnswer::default()
    }
}

/// Returns the name of what the request does not specify, or the engine does not evaluate.
fn unsupported_part(reports: &[PolicyReport]) -> Option<String> {
    let of_report = |report: &PolicyReport| match &report.outcome {
        PolicyOutcome::Unsupported(what) => Some(what.clone()),
        PolicyOutcome::Bound(bound) => bound.iter().find_map(|binding| match &binding.outcome {
            BindingOutcome::Unsupported(what) => Some(what.clone()),
            _ => None,
        }),
        _ => None,
    };
    let what = reports.iter().find_map(of_report)?;
    let is_unknown = what.ends_with("is not supported here");
    Some(if is_unknown {
        format!("the evaluation is unknown: {what}")
    } else {
        format!("an expression needs {what}, which the case does not give")
    })
}

/// Returns the violations, and true if the validations of a policy were evaluated.
fn collect_violations(
    subject: &PolicySubject,
    documents: &[&Value],
    reports: &[PolicyReport],
) -> (Vec<Violation>, bool) {
    let (mut violations, mut is_evaluated) = (Vec::new(), false);
    for report in reports {
        let PolicyOutcome::Bound(bound) = &report.outcome else { continue };
        let Some(policy) = subject.policies.get(report.policy) else { continue };
        let document = documents.get(report.policy).copied().unwrap_or(&Value::Null);
        for one in bound {
            let binding = subject.bindings.get(one.binding);
            match &one.outcome {
                BindingOutcome::ParamError(decision) => {
                    is_evaluated = true;
                    violations.push(to_violation(policy, document, binding, decision));
                }
                BindingOutcome::Evaluated(params) => {
                    for param in params {
                        is_evaluated |= param.skipped_by.is_none();
                        let counted = param.decisions.iter().filter(|decision| !decision.is_ignored);
                        violations.extend(counted.map(|it| to_violation(policy, document, binding, it)));
                    }
                }
                _ => {}
            }
        }
    }
    (violations, is_evaluated)
}

fn to_violation(
    policy: &Policy,
    document: &Value,
    binding: Option<&Binding>,
    decision: &Decision,
) -> Violation {
    let mut rules = vec![policy.name.clone()];
    if let DecisionOrigin::Validation(index) = decision.origin {
        let validation = document.pointer(&format!("/spec/validations/{index}")).unwrap_or(&Value::Null);
        rules.push(format!("spec.validations[{index}]"));
        rules.extend(validation_aliases(&policy.name, index, validation));
    }
    let by = binding.map(|it| it.name.as_str()).unwrap_or_default();
    let whole = format!(
        "ValidatingAdmissionPolicy '{}' with binding '{by}' denied request: {}",
        policy.name, decision.message
    );
    Violation {
        field: String::new(),
        rules,
        texts: vec![decision.message.clone(), whole],
        is_error: decision.is_error,
    }
}

/// Creates the request of a case.
pub(super) fn to_request(input: &CaseInput, definition: Option<&Value>) -> Request {
    let of = if input.object.is_null() { &input.old_object } else { &input.object };
    let api_version = text_field(of, "apiVersion");
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let (plural, is_namespaced) = resource_of(input, definition, api_version, text_field(of, "kind"));
    let (object, old) = (input.object.clone(), input.old_object.clone());
    let mut request = match (object.is_null(), old.is_null()) {
        (false, true) => Request::for_creation(group, &plural, object),
        (true, _) => Request::for_deletion(group, &plural, old),
        (false, false) => Request::for_update(group, &plural, object, old),
    };
    if !input.operation.is_empty() {
        request.operation.clone_from(&input.operation);
    }
    request.subresource.clone_from(&input.subresource);
    if let Some(name) = &input.name {
        request.name.clone_from(name);
    }
    if let Some(namespace) = &input.namespace {
        request.namespace.clone_from(namespace);
    } else if is_namespaced && request.namespace.is_empty() && plural != "namespaces" {
        "default".clone_into(&mut request.namespace);
    }
    let has_object = !input.namespace_object.is_null();
    request.namespace_object = match (has_object, request.namespace.as_str()) {
        (true, _) => input.namespace_object.clone(),
        (false, "") => Value::Null,
        (false, name) => unlabelled_namespace(name),
    };
    for (name, value) in [("userInfo", &input.user), ("options", &input.options)] {
        if let Some(extra) = request.extra.as_object_mut().filter(|_| !value.is_null()) {
            extra.insert(name.to_owned(), value.clone());
        }
    }
    request.params.clone_from(&input.params);
    request.server = ServerFeatures::of_version(input.server);
    request.authorizer = input.decisions.as_deref().map(to_authorizer);
    request
}

/// The object of a namespace that a case does not describe. It has the label that every namespace has.
// apis/core/v1/defaults.go, SetDefaults_Namespace
fn unlabelled_namespace(name: &str) -> Value {
    let labels = json!({"kubernetes.io/metadata.name": name});
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
}

/// The resources of Kubernetes.
static KNOWN: OnceLock<KnownResources> = OnceLock::new();

/// The resource of an object, and true if its objects are in namespaces.
fn resource_of(
    input: &CaseInput,
    definition: Option<&Value>,
    api_version: &str,
    kind: &str,
) -> (String, bool) {
    if let Some(resource) = &input.resource {
        return (resource.clone(), true);
    }
    let declared = definition.and_then(|it| it.pointer("/spec/names/plural")).and_then(Value::as_str);
    if let Some(plural) = declared {
        let scope = definition.and_then(|it| it.pointer("/spec/scope")).and_then(Value::as_str);
        return (plural.to_owned(), scope == Some("Namespaced"));
    }
    let known = KNOWN.get_or_init(KnownResources::new).find_resource(api_version, kind);
    known.unwrap_or_else(|| (guess_plural(kind), true))
}

/// Returns the resource that a kind probably has.
// apimachinery meta/restmapper.go, UnsafeGuessKindToResource
fn guess_plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with("endpoints") => kind,
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}
