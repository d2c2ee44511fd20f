//! Policies and bindings in the documents of a suite.

use std::path::Path;

use serde_json::Value;

use crate::document::{field, metadata_text, text_field};
use crate::files::ParsedFile;
use crate::format::is_kind;
use crate::subject::RuleOrigin;

/// Kind of admission policies.
pub(crate) const POLICY: &str = "ValidatingAdmissionPolicy";
/// Kind of their bindings.
pub(crate) const BINDING: &str = "ValidatingAdmissionPolicyBinding";

/// Returns the documents of a kind in a file, with their origins.
pub(crate) fn documents_of_kind(path: &Path, file: &ParsedFile, kind: &str) -> Vec<(RuleOrigin, Value)> {
    let documents = file.documents.iter().enumerate().filter(|(_, it)| is_kind(&it.value, kind));
    let located = documents.map(|(index, document)| {
        let origin =
            RuleOrigin { path: path.to_owned(), document: index, file: Some(file.id), span: document.span };
        (origin, document.value.clone())
    });
    located.collect()
}

/// Returns the bindings in a file.
pub(crate) fn bindings_of(file: &ParsedFile) -> Vec<Value> {
    file.documents.iter().map(|it| &it.value).filter(|it| is_kind(it, BINDING)).cloned().collect()
}

/// True if a binding is one of a policy.
pub(crate) fn is_binding_of(binding: &Value, policy: &Value) -> bool {
    text_field(field(binding, "spec"), "policyName") == metadata_text(policy, "name")
}

/// Returns an object in the namespace `default` if it names none and its kind has namespaces.
pub(crate) fn in_default_namespace(object: &Value) -> Value {
    let mut object = object.clone();
    let known = crate::verdicts::KnownResources::new();
    let resource = known.find_resource(text_field(&object, "apiVersion"), text_field(&object, "kind"));
    let is_namespaced = resource.is_none_or(|(_, is_namespaced)| is_namespaced);
    if is_namespaced
        && metadata_text(&object, "namespace").is_empty()
        && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.insert("namespace".to_owned(), "default".into());
    }
    object
}
