//! The documents that the server takes at the address of a kind.

use serde_json::Value as Json;

use super::go_type::GoStruct;
use super::{definition_type, find_decode_error, kind, policy_type};

/// A kind of object, and what the server makes of others that are sent in its place.
#[derive(Debug)]
pub(crate) struct RequestKind {
    /// The group and version that are served.
    version: &'static str,
    /// The package of the type that the server converts to.
    package: &'static str,
    /// Other versions that the server knows of the kind and does not serve at its address.
    others: &'static [&'static str],
    /// Other kinds of the same group and version.
    siblings: &'static [&'static str],
    /// The value to decode.
    pub(crate) of: &'static GoStruct,
}

// apiextensions pkg/apis/apiextensions/install, register.go
pub(crate) const DEFINITION: RequestKind = RequestKind {
    version: "apiextensions.k8s.io/v1",
    package: "apiextensions",
    others: &["apiextensions.k8s.io/v1beta1"],
    siblings: &["CustomResourceDefinitionList", "ConversionReview"],
    of: &definition_type::DEFINITION,
};

const POLICY_VERSIONS: &[&str] =
    &["admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1alpha1"];
const POLICY_KINDS: &[&str] = &[
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
];

// k8s.io/kubernetes/pkg/apis/admissionregistration/install, register.go
pub(crate) const POLICY: RequestKind = RequestKind {
    version: "admissionregistration.k8s.io/v1",
    package: "admissionregistration",
    others: POLICY_VERSIONS,
    siblings: POLICY_KINDS,
    of: &policy_type::POLICY,
};

pub(crate) const BINDING: RequestKind = RequestKind { of: &policy_type::BINDING, ..POLICY };

/// Returns the reason why the server rejects a document as one of a kind, before it validates it; `None` if it does not.
// endpoints/handlers/create.go, createHandler; apimachinery pkg/runtime/error.go; pkg/conversion/converter.go, Convert
pub(crate) fn request_error(document: &Json, wanted: &RequestKind) -> Option<String> {
    let RequestKind { version: served, package, others, siblings, of } = wanted;
    if let Some(error) = type_error(document) {
        return Some(error);
    }
    let (version, kind) = version_and_kind(document);
    if kind == of.name && (version == *served || others.contains(&version)) {
        let other = || {
            format!(
                "the API version in the data ({version}) does not match the expected API version ({served})"
            )
        };
        return find_decode_error(document, of).or_else(|| (version != *served).then(other));
    }
    if version == *served && siblings.contains(&kind) {
        return Some(format!("converting (v1.{kind}) to ({package}.{}): unknown conversion", of.name));
    }
    Some(format!("no kind {kind:?} is registered for version {version:?} in scheme \"<scheme>\""))
}

/// Returns the reason why a document does not name its kind.
// apimachinery pkg/runtime/error.go
fn type_error(document: &Json) -> Option<String> {
    let member = |name: &str| document.get(name).filter(|value| !value.is_null());
    for name in ["apiVersion", "kind"] {
        if let Some(value) = member(name).filter(|value| !value.is_string()) {
            let found = kind(value, false);
            return Some(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field \
                 .{name} of type string"
            ));
        }
    }
    let (version, kind) = version_and_kind(document);
    if version.matches('/').count() > 1 {
        return Some(format!("unexpected GroupVersion string: {version}"));
    }
    let missing = [("Kind", kind), ("apiVersion", version)].into_iter().find(|(_, value)| value.is_empty());
    missing.map(|(name, _)| format!("Object '{name}' is missing in '{document}'"))
}

fn version_and_kind(document: &Json) -> (&str, &str) {
    let text = |name: &str| document.get(name).and_then(Json::as_str).unwrap_or_default();
    (text("apiVersion"), text("kind"))
}
