//! Reads policies, bindings, parameters, namespaces and definitions from files, by their content.

use kvrules_apiserver::policy::acceptance::{
    PolicyRejection, policy_refusals_on, review_binding, review_policy,
};
use kvrules_apiserver::server::{PolicyApi, ServerFeatures};
use kvrules_crd::KubernetesVersion;
use kvrules_crd::notations::is_supplement;
use kvrules_diagnostics::{Diagnostic, Level, SourceFile, Span};
use kvrules_syntax::kubernetes::find_objects;
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node};
use serde_json::Value;

use super::super::is_broken;
use super::places::FieldPlaces;
use super::request::set_type;
use kvrules_sources::with_documents;

/// A file of an evaluation with policies.
#[derive(Clone, Copy, Debug)]
pub struct PolicyFile<'f> {
    /// The text.
    pub source: &'f SourceFile,
    /// Content of the file.
    pub role: PolicyFileRole,
    /// True if it was found in a directory, so that it may contain something else.
    pub is_searched: bool,
}

/// Content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyFileRole {
    /// Policies and bindings; also parameters, namespaces and CustomResourceDefinitions.
    Rules,
    /// CustomResourceDefinitions.
    Definitions,
    /// Parameters alone.
    Parameters,
    /// Namespaces alone.
    Namespaces,
}

/// Versions of policies and bindings, the current one first.
const RULE_VERSIONS: [&str; 3] = [
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1beta1",
    "admissionregistration.k8s.io/v1alpha1",
];

/// A policy or a binding, with the locations of its fields.
#[derive(Debug)]
pub(super) struct RuleDocument {
    pub(super) value: Value,
    pub(super) places: FieldPlaces,
}

/// Another object, with its kind.
#[derive(Debug)]
pub(super) struct OtherObject {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) value: Value,
    pub(super) span: Span,
    pub(super) role: PolicyFileRole,
    /// True if it only says something about policies of another engine, which has been read.
    pub(super) is_supplement: bool,
}

/// Everything in the files, before it is connected.
#[derive(Debug, Default)]
pub(super) struct ReadFiles {
    /// The version of the server, which may reject policies that newer ones accept.
    pub(super) kubernetes: KubernetesVersion,
    pub(super) policies: Vec<RuleDocument>,
    pub(super) bindings: Vec<RuleDocument>,
    pub(super) definitions: Vec<Value>,
    pub(super) others: Vec<OtherObject>,
    pub(super) faults: Vec<Diagnostic>,
}

/// Returns the finding that an input is refused.
pub(super) fn to_diagnostic(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::refused_input("policy", span, message)
}

impl ReadFiles {
    pub(super) fn add_file(&mut self, file: &PolicyFile<'_>) {
        with_documents(file.source, |parsed| {
            let before = self.count_objects();
            for document in &parsed.documents {
                self.add_document(file, document);
            }
            if self.count_objects() == before && !file.is_searched {
                let message = match file.role {
                    PolicyFileRole::Rules => "no ValidatingAdmissionPolicy or binding in this file",
                    PolicyFileRole::Definitions => "no CustomResourceDefinition in this file",
                    PolicyFileRole::Parameters => "no parameter in this file",
                    PolicyFileRole::Namespaces => "no Namespace in this file",
                };
                self.faults.push(to_diagnostic(Span::new(file.source.id(), 0, 0), message));
            }
        });
    }

    fn count_objects(&self) -> usize {
        self.policies.len()
            + self.bindings.len()
            + self.definitions.len()
            + self.others.len()
            + self.faults.len()
    }

    fn add_document(&mut self, file: &PolicyFile<'_>, document: &Document<'_>) {
        if is_broken(document) || !kvrules_crd::is_sound(document) {
            let span = document.problems().first().map(|problem| problem.span).unwrap_or_default();
            self.faults.push(to_diagnostic(span, "this cannot be read"));
            return;
        }
        let Some(root) = document.root() else { return };
        for object in find_objects(root) {
            self.add_object(file, document, (object.node, object.kind, object.api_version));
        }
    }

    fn add_object(
        &mut self,
        file: &PolicyFile<'_>,
        document: &Document<'_>,
        (node, kind, api_version): (Node<'_>, &str, &str),
    ) {
        let span = node.get("kind").unwrap_or(node).span();
        let mut value = match ValueReader::for_kubernetes().read_value(node) {
            Ok(value) if value.is_object() && !kind.is_empty() => value,
            Ok(_) if file.is_searched => return,
            Ok(_) => return self.faults.push(to_diagnostic(span, "not an object: missing `kind`")),
            Err(error) => return self.faults.push(to_diagnostic(error.span, error.message)),
        };
        set_type(&mut value, api_version, kind);
        let is_rule = api_version.starts_with("admissionregistration.k8s.io/");
        if is_rule && file.role == PolicyFileRole::Rules && !RULE_VERSIONS.contains(&api_version) {
            let message = format!("unsupported API version `{api_version}`");
            let help = "write `apiVersion: admissionregistration.k8s.io/v1`";
            return self.faults.push(to_diagnostic(span, message).with_help(help));
        }
        match (file.role, kind) {
            (PolicyFileRole::Rules, "ValidatingAdmissionPolicy") if is_rule => {
                self.require_api(api_version, span);
                let refused = self.review_policy(&as_current(&value));
                let places = FieldPlaces::new(file.source, node);
                self.refuse(file.source, document, node, &refused);
                self.policies.push(RuleDocument { value, places });
            }
            (PolicyFileRole::Rules, "ValidatingAdmissionPolicyBinding") if is_rule => {
                self.require_api(api_version, span);
                let refused = review_binding(&as_current(&value));
                let places = FieldPlaces::new(file.source, node);
                self.refuse(file.source, document, node, &refused);
                self.bindings.push(RuleDocument { value, places });
            }
            (PolicyFileRole::Rules, "MutatingAdmissionPolicy" | "MutatingAdmissionPolicyBinding")
                if is_rule =>
            {
                let message = format!("`{kind}` is not evaluated");
                let help = "give ValidatingAdmissionPolicies, and objects as they are after mutation";
                self.faults.push(to_diagnostic(span, message).with_help(help));
            }
            (PolicyFileRole::Rules, "Template") if has_policies(node) => {
                let help = "process the template first, with `oc process`";
                self.faults
                    .push(to_diagnostic(span, "policies in a template are not evaluated").with_help(help));
            }
            (PolicyFileRole::Rules | PolicyFileRole::Definitions, "CustomResourceDefinition") => {
                self.definitions.push(value);
            }
            (PolicyFileRole::Namespaces, other) if (other, api_version) != ("Namespace", "v1") => {
                self.faults.push(to_diagnostic(span, format!("not a Namespace, but a `{other}`")));
            }
            (role, _) => {
                let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
                let is_supplement = is_supplement(node);
                self.others.push(OtherObject { api_version, kind, value, span, role, is_supplement });
            }
        }
    }

    /// Reports that the server does not serve a version of the API. The newest one takes documents of all versions, as if they had
    /// been converted.
    fn require_api(&mut self, api_version: &str, span: Span) {
        let Some(api) = PolicyApi::find_api(api_version) else { return };
        if self.kubernetes != KubernetesVersion::NEWEST && !api.is_served_by(self.kubernetes) {
            let message = format!("Kubernetes {} does not serve `{api_version}`", self.kubernetes);
            let help = format!("it is served by Kubernetes {} to {}", api.first, api.last);
            self.faults.push(to_diagnostic(span, message).with_help(help));
        }
    }

    fn review_policy(&self, policy: &Value) -> Vec<PolicyRejection> {
        let refused = review_policy(policy);
        if refused.is_empty() {
            policy_refusals_on(&ServerFeatures::of_version(self.kubernetes), policy, None)
        } else {
            refused
        }
    }

    /// Reports the reasons for which a server rejects a document, as `kvrules check` does.
    fn refuse(
        &mut self,
        source: &SourceFile,
        document: &Document<'_>,
        node: Node<'_>,
        refused: &[PolicyRejection],
    ) {
        let Some(first) = refused.first() else { return };
        let before = self.faults.len();
        let (start, end) = (node.span().start, node.span().end);
        let is_inside = |finding: &Diagnostic| {
            let at = finding.primary.span.start;
            let is_version = finding.message.starts_with("unsupported API version");
            finding.level == Level::Error && start <= at && at <= end && !is_version
        };
        let findings = kvrules_crd::check_documents(source, &[document]).findings;
        for finding in findings.into_iter().filter(is_inside) {
            if !self.faults.contains(&finding) {
                self.faults.push(finding);
            }
        }
        if self.faults.len() == before {
            let message = format!("the server rejects `{}`: {}", first.field, first.message);
            self.faults.push(to_diagnostic(node.span(), message));
        }
    }
}

/// A document in the version that the server's checks are for; the fields of all versions have the same names.
fn as_current(document: &Value) -> Value {
    let mut current = document.clone();
    if let Some(version) = current.get_mut("apiVersion") {
        *version = RULE_VERSIONS[0].into();
    }
    current
}

fn has_policies(template: Node<'_>) -> bool {
    let mut objects = template.get("objects").into_iter().flat_map(Node::items);
    objects.any(|object| kvrules_crd::policy_kind(object).is_some())
}
