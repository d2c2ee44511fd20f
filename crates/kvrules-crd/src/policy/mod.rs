//! ValidatingAdmissionPolicies and their bindings: what the server rejects in them.

mod condition_namespace;
mod kinds;
mod object_versions;
mod presence;
mod resources;
mod sense;
mod types;
mod unset;

use kvrules_apiserver::policy::acceptance::{
    PolicyRejection, binding_error, binding_refusals, policy_error, policy_refusals, variable_types,
};
use kvrules_apiserver::server::PolicyApi;
use kvrules_cel::Expressions;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_cel::types::Type;
use kvrules_diagnostics::{Diagnostic, Lint, Span};
use kvrules_syntax::kubernetes::{find_field, is_too_large};
use kvrules_syntax::value::request_value;
use kvrules_syntax::{Entry, Node};

use crate::cel;
use crate::cures::ExpressionView;
use crate::lints;
use crate::metadata::{self, MetadataError};
use crate::notations::is_restated;
use crate::resource::ResourceKind;
use crate::run_resources::RunResources;
use crate::schema_location::node_head_span;
use crate::server_versions::{VersionedPolicy, served_api_finding};
use crate::shape;
use crate::stored_resources::{StoredResources, as_stored};
use crate::text::{backtick_quotes, backtick_text, did_you_mean, server_words};

pub(crate) use kinds::object_schemas;
pub use kinds::{PolicySubject, has_unknown_subjects, policy_subjects};
pub use object_versions::policy_versions;
pub use unset::{fill_unset_fields, is_kubernetes_version};

/// Checks a policy or a binding, also as a replacement of a stored one.
pub(crate) fn check_policy(
    node: Node<'_>,
    kind: ResourceKind,
    stored: &StoredResources,
    run: &RunResources,
) -> Vec<Diagnostic> {
    if is_too_large(node) {
        let message = "document exceeds the request limit of the server";
        let span = node.get("kind").unwrap_or(node).span();
        return vec![lints::KUBERNETES_SHAPE.diagnostic_at(span, message).with_help("the limit is 3 MiB")];
    }
    let mut shaped = shape::check_shape(node, shape::of_kind(kind));
    let is_restated = is_restated(node);
    if is_restated {
        // The fields are those of the notation, which are checked as they are written.
        shaped.findings.clear();
    }
    let mut findings = shaped.findings;
    findings.extend(version_finding(node, run.versions));
    let Some(document) = request_value(node, &shaped.dropped) else { return findings };
    let old = stored.find_replaced(kind, &document).map(|old| as_stored(old, &document));
    let (decode_error, refusals, lint) = match kind {
        ResourceKind::Policy => {
            (policy_error(&document), policy_refusals(&document, old.as_ref()), &lints::ADMISSION_POLICY)
        }
        _ => (binding_error(&document), binding_refusals(&document, old.as_ref()), &lints::POLICY_BINDING),
    };
    findings.extend(shape::decode_finding(node, decode_error, &findings));
    let names = PolicyNames::of_policy(node);
    let what = if lint == &lints::ADMISSION_POLICY { "policy" } else { "binding" };
    findings.extend(metadata::namespace_finding(node, what));
    for refusal in &refusals {
        // A value that cannot be read has a finding already; it is not missing.
        let entry = find_field_entry(node, &refusal.field);
        if entry.is_some_and(|(entry, whole)| whole && shaped.dropped.contains(&entry.value.span())) {
            continue;
        }
        if refusal.field.starts_with("metadata.") {
            let (value, detail) = split_message(&refusal.message);
            let error = MetadataError { field: &refusal.field, value: &value, detail: &detail, what };
            let is_open = entry.is_some_and(|(entry, _)| entry.value.is_templated() || entry.value.is_open());
            let found = metadata::metadata_finding(node, &error).filter(|_| !is_open);
            findings.extend(
                found.map(|finding| finding.with_label(server_words(&crate::text::to_one_line(&detail)))),
            );
            continue;
        }
        let found = to_findings(node, lint, refusal, &names);
        findings.extend(found.into_iter().map(|finding| finding.with_field(&refusal.field)));
    }
    if kind == ResourceKind::Policy && !run.versions.is_newest_alone() && !is_restated {
        let policy = VersionedPolicy { node, document: &document, old: old.as_ref() };
        findings = policy.check_versions(run.versions, findings);
    }
    findings.extend(resources::unknown_resource_findings(node, run));
    if lint == &lints::ADMISSION_POLICY {
        findings.extend(expression_findings(node, &document, run, refusals.is_empty()));
    }
    findings
}

/// Findings about the types and the sense of a policy's expressions; the latter only if a server accepts the policy.
fn expression_findings(
    node: Node<'_>,
    document: &serde_json::Value,
    run: &RunResources,
    is_accepted: bool,
) -> Vec<Diagnostic> {
    let mut findings = optional_variable_findings(node, document);
    findings.extend(condition_namespace::condition_namespace_findings(node));
    let of_types = types::type_findings(node, document, run);
    if is_accepted && of_types.is_empty() {
        findings.extend(sense::sense_findings(node, document, run));
        findings.extend(types::unchecked_parameters_note(node, document, run));
    }
    findings.extend(of_types);
    findings
}

/// Variables that are optionals: what is in one has lost its type when it is read.
fn optional_variable_findings(node: Node<'_>, document: &serde_json::Value) -> Vec<Diagnostic> {
    let variables = node.get("spec").and_then(|spec| spec.get("variables"));
    let types = variable_types(document);
    let check_variable = |(item, ty): (Node<'_>, Option<Type>)| {
        let (Type::Optional(_), Some(name)) = (ty?, item.get("name")) else { return None };
        let expression = item.get("expression")?;
        let name = name.text();
        let message = format!("optional variable {} loses the type of its value", backtick_text(name));
        let finding = lints::OPTIONAL_VARIABLE.diagnostic_at(node_head_span(expression), message);
        let help = format!(
            "unwrap it here, with `orValue(…)`: `variables.{name}.?field` is always empty, and `string(variables.{name}.value())` \
             fails at each request"
        );
        Some(finding.with_help(help))
    };
    variables.into_iter().flat_map(Node::items).zip(types).filter_map(check_variable).collect()
}

/// The finding that a document is of a version of the API that servers do not serve.
fn version_finding(node: Node<'_>, servers: KubernetesVersions) -> Option<Diagnostic> {
    let entry = node.entry("apiVersion");
    let version = entry.map_or("", |entry| entry.value.text());
    if !is_restated(node) && !servers.is_newest_alone() && PolicyApi::find_api(version).is_some() {
        return served_api_finding(node, servers);
    }
    if version == "admissionregistration.k8s.io/v1" || entry.is_some_and(|entry| entry.value.is_templated()) {
        return None;
    }
    let span = entry.map_or_else(|| node_head_span(node), |entry| entry.value.span());
    let message = match version {
        "" => "missing `apiVersion` of the document".to_owned(),
        version => format!("unsupported API version {}", backtick_text(version)),
    };
    let help = "write `apiVersion: admissionregistration.k8s.io/v1`, which Kubernetes 1.30 and later serve";
    Some(lints::KUBERNETES_SHAPE.diagnostic_at(span, message).with_help(help))
}

/// The names that expressions of a policy may mean.
struct PolicyNames {
    /// All of them.
    all: Vec<String>,
    /// Those of the variables that it declares, in their order.
    variables: Vec<String>,
}

impl PolicyNames {
    fn of_policy(node: Node<'_>) -> Self {
        let variables = node.get("spec").and_then(|spec| spec.get("variables"));
        let declared = variables.into_iter().flat_map(Node::items).filter_map(|item| item.get("name"));
        let variables: Vec<String> = declared.map(|name| name.text().to_owned()).collect();
        let own = ["object", "oldObject", "request", "params", "variables", "namespaceObject", "authorizer"];
        Self { all: variables.iter().cloned().chain(own.map(str::to_owned)).collect(), variables }
    }
}

/// The entry that a field names, and whether it is written to its end.
fn find_field_entry<'d>(node: Node<'d>, field: &str) -> Option<(Entry<'d>, bool)> {
    let field = &written_field(field);
    let found = find_field(node, field);
    (found.steps > 0).then_some((found.entry, found.is_whole))
}

/// A field of the server's as documents have it: of bindings the server misspells one.
// admissionregistration validation.go, validateValidatingAdmissionPolicyBindingSpec
fn written_field(field: &str) -> String {
    field.replacen("spec.matchResouces", "spec.matchResources", 1)
}

fn to_findings(
    node: Node<'_>,
    lint: &'static Lint,
    refusal: &PolicyRejection,
    names: &PolicyNames,
) -> Vec<Diagnostic> {
    let found = find_field_entry(node, &refusal.field);
    let last = refusal.field.rsplit('.').next().unwrap_or_default();
    let whole = found.filter(|(_, whole)| *whole).map(|(entry, _)| entry);
    if let Some(finding) = whole.and_then(cel::tag_finding) {
        return vec![finding];
    }
    let text = whole.map(|entry| entry.value);
    if let Some(text) = text.filter(|_| refusal.message.contains("ERROR: <input>:")) {
        // The server cuts off the blanks around some expressions, and counts from what is left.
        // admissionregistration validation.go, validateMatchCondition and validateAuditAnnotation
        let is_trimmed = ["spec.matchConditions", "spec.auditAnnotations"];
        let is_trimmed = is_trimmed.iter().any(|list| refusal.field.starts_with(list));
        let source = if is_trimmed { text.text().trim() } else { text.text() };
        let view =
            ExpressionView { names: &names.all, variables: &names.variables, ..ExpressionView::default() };
        return cel::issue_findings(text, source, &refusal.message, view, &Expressions::default());
    }
    let (message, help) = reword_refusal(refusal, last, text.map(Node::text).unwrap_or_default());
    let span = finding_span(node, found, &refusal.field);
    let lint = if refusal.message.contains("must evaluate to") { &lints::EXPRESSION_TYPE } else { lint };
    let words = crate::text::to_one_line(&refusal.message);
    vec![lint.diagnostic_at(span, message).help_if(help).with_label(server_words(&words))]
}

/// A value that is there, or the head of what lacks one.
fn finding_span(node: Node<'_>, found: Option<(Entry<'_>, bool)>, field: &str) -> Span {
    let is_in_item = field.rsplit_once('.').is_some_and(|(parent, _)| parent.ends_with(']'));
    match found {
        Some((entry, true)) if !entry.value.span().to_range().is_empty() => node_head_span(entry.value),
        // If the field is missing in an item of a list, mark the item, not the list.
        Some((entry, false)) if is_in_item => node_head_span(entry.value),
        Some((entry, _)) => entry.key.span(),
        None => node.get("kind").unwrap_or(node).span(),
    }
}

/// The value and the detail of a refusal's message.
fn split_message(message: &str) -> (String, String) {
    let rest = message.split_once(": ").map_or("", |(_, rest)| rest);
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>();
    match values.next() {
        Some(Ok(_)) if message.starts_with("Invalid value: ") => {
            let (value, detail) = rest.split_at_checked(values.byte_offset()).unwrap_or((rest, ""));
            (value.to_owned(), detail.trim_start_matches(": ").to_owned())
        }
        _ => (String::new(), rest.to_owned()),
    }
}

/// A refusal in our words, and what to do.
fn reword_refusal(refusal: &PolicyRejection, last: &str, text: &str) -> (String, Option<String>) {
    let words = &refusal.message;
    if words.contains("must not contain both Deny and Warn") {
        let help = "keep one of them: both show the same message".to_owned();
        return ("`validationActions` has both `Deny` and `Warn`".to_owned(), Some(help));
    }
    let field = backtick_quotes(&format!("'{}'", written_field(&refusal.field)));
    if let Some(rest) = words.strip_prefix("Required value") {
        let why = rest.strip_prefix(": ").filter(|why| !why.ends_with("is not specified") && !why.is_empty());
        let why = why.map(|why| format!(": {}", backtick_quotes(why))).unwrap_or_default();
        let message = match why.strip_prefix(": must not exceed") {
            Some(rest) => format!("{field} is too long: it must not exceed{rest}"),
            None => format!("{field} is missing{why}"),
        };
        return (message, None);
    }
    if let Some(supported) = words.split_once("supported values: ").map(|(_, supported)| supported) {
        let supported: Vec<&str> = supported.split('"').skip(1).step_by(2).collect();
        let listed = supported.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
        let name = last.split('[').next().unwrap_or_default();
        let help =
            did_you_mean(text, supported.iter().copied()).unwrap_or_else(|| format!("write one of {listed}"));
        return (format!("invalid value {} for `{name}`", backtick_text(text)), Some(help));
    }
    if let Some(types) = words.rsplit_once("must evaluate to ").map(|(_, types)| types) {
        let (wanted, got) = types.split_once(" but got ").unwrap_or((types, ""));
        let wanted = match wanted {
            "bool" => "`bool`",
            "string" => "`string`",
            _ => "`string` or `null`",
        };
        let help = match got {
            "dyn" if wanted == "`bool`" => {
                Some("compare it, since its type is unknown: `… == true`".to_owned())
            }
            "dyn" => Some("write `string(…)`, since its type is unknown".to_owned()),
            _ => None,
        };
        return (format!("expression must evaluate to {wanted}, not `{got}`"), help);
    }
    let detail = words.strip_prefix("Invalid value: ").map_or(words.as_str(), |rest| {
        let value = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>();
        let end = {
            let mut value = value;
            let _ = value.next();
            value.byte_offset()
        };
        rest.get(end..).unwrap_or(rest).trim_start_matches(": ")
    });
    let detail = detail.strip_prefix("Forbidden: ").unwrap_or(detail);
    if words.starts_with("Duplicate value") {
        return (format!("duplicate {} in {field}", backtick_text(text)), None);
    }
    (format!("{field}: {}", backtick_quotes(detail)), None)
}
