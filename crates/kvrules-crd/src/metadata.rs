//! Reports errors in the metadata of a definition, a policy or a binding, at their locations and in words for the
//! author.

use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_syntax::Node;

use crate::lints;
use crate::schema_location::node_head_span;
use crate::text::{backtick_quotes, backtick_text};

/// An error about metadata.
pub(crate) struct MetadataError<'e> {
    /// The field, as the server writes it.
    pub(crate) field: &'e str,
    /// The value that the server shows, as it shows it.
    pub(crate) value: &'e str,
    pub(crate) detail: &'e str,
    /// Noun for the document: `definition`, `policy`, `binding`.
    pub(crate) what: &'e str,
}

/// Help for keys of labels and annotations, and for names of finalizers.
const KEYS: &str = "write a name of letters, digits, `-`, `_` and `.`, at most 63 characters, that starts and ends with a letter \
                    or digit; a domain may precede it, with a `/` between";
const VALUES: &str = "write letters, digits, `-`, `_` and `.`, at most 63 characters, that start and end with a letter or digit";

/// The finding about an error; none if it is about no metadata.
pub(crate) fn metadata_finding(node: Node<'_>, error: &MetadataError<'_>) -> Option<Diagnostic> {
    let name = error.field.strip_prefix("metadata.")?;
    let first = name.split(['.', '[']).next().unwrap_or_default();
    let metadata = node.get("metadata").filter(|metadata| metadata.is_map());
    let entry = metadata.and_then(|metadata| metadata.entry(first));
    let (value, what) = (unquote_value(error.value), error.what);
    let at = |span: Span, message: String| lints::OBJECT_METADATA.diagnostic_at(span, message);
    let place =
        entry.map_or_else(|| node_head_span(metadata.unwrap_or(node)), |entry| node_head_span(entry.value));
    let is_update = error.detail == "field is immutable" || error.detail.starts_with("no new finalizers");
    let finding = match (first, entry) {
        _ if is_update => {
            let message = match first {
                "finalizers" => format!("the update adds a finalizer to a {what} that is being deleted"),
                _ => format!("the update changes the immutable field `{}`", error.field),
            };
            lints::KUBERNETES_UPDATE.diagnostic_at(place, message).with_help("restore the stored value")
        }
        ("labels" | "annotations", Some(entry)) => {
            let of = entry.key.text().trim_end_matches('s');
            let mut members = entry.value.entries_with_merged();
            let is_key = |member: &kvrules_syntax::Entry<'_>| member.key.text() == value;
            if error.detail.contains("bytes") && error.value.is_empty() {
                let message = format!("the {first} exceed the limit of 262,144 bytes");
                at(entry.key.span(), message).with_help("move large values into an object of their own")
            } else if let Some(member) = members.find(is_key) {
                at(member.key.span(), format!("invalid {of} key {}", backtick_text(&value))).with_help(KEYS)
            } else {
                let member = entry.value.entries_with_merged().find(|member| member.value.text() == value);
                let span = member.map_or(place, |member| member.value.span());
                at(span, format!("invalid {of} value {}", backtick_text(&value))).with_help(VALUES)
            }
        }
        ("finalizers", Some(entry)) if error.value.starts_with('"') => {
            let item = entry.value.items().find(|item| item.text() == value);
            let span = item.map_or(place, Node::span);
            at(span, format!("invalid finalizer {}", backtick_text(&value))).with_help(KEYS)
        }
        ("name", Some(_)) if error.detail.contains("RFC 1123") => {
            let message = format!("invalid name {}", backtick_text(&value));
            at(place, message).with_help("write lower case letters, digits, `-` and `.`")
        }
        ("name", _) if error.value.is_empty() => at(place, format!("missing `metadata.name` of the {what}"))
            .with_help("write `name` under `metadata`"),
        ("ownerReferences", _) if error.detail.contains("is disallowed from being an owner") => {
            at(place, "an `Event` cannot be an owner".to_owned())
                .with_help("name another owner, or remove the reference")
        }
        _ => at(place, format!("`{}`: {}", error.field, backtick_quotes(error.detail))),
    };
    Some(finding.with_field(error.field))
}

/// The finding that the server drops the namespace of a resource of the cluster.
// apiserver registry/rest/meta.go, EnsureObjectNamespaceMatchesRequestNamespace
pub(crate) fn namespace_finding(node: Node<'_>, what: &str) -> Option<Diagnostic> {
    let entry = node.get("metadata").filter(|metadata| metadata.is_map())?.entry("namespace")?;
    if entry.value.text().is_empty() && !entry.value.is_templated() {
        return None;
    }
    let message = format!("a {what} is cluster-scoped, so `namespace` is dropped");
    Some(
        lints::DROPPED_KEYWORD
            .diagnostic_at(node_head_span(entry.value), message)
            .with_help("remove `namespace`"),
    )
}

/// The text in a value that is shown in quotation marks.
fn unquote_value(value: &str) -> String {
    serde_json::from_str::<String>(value).unwrap_or_else(|_| value.trim_matches('"').to_owned())
}
