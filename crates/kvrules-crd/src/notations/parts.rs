//! Parts of restated policies that the notations share.

use kvrules_apiserver::policy::RESTATED_FROM;
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_syntax::restated::TreePart;
use kvrules_syntax::{Node, SyntaxKind, kubernetes::list_items};
use serde_json::Value;

use crate::lints;
use crate::text::backtick_text;

/// A key with its value.
pub(super) type Field<'d> = (TreePart<'d>, TreePart<'d>);

/// The objects of a document: its root, or the items of a list.
pub(super) fn objects_of(root: Node<'_>) -> Vec<Node<'_>> {
    let kind = root.get("kind").map(Node::text).unwrap_or_default();
    match list_items(root, kind) {
        Some(items) => items.collect(),
        None => vec![root],
    }
}

/// A field as it is written.
pub(super) fn written_field<'d>(object: Node<'d>, name: &str) -> Option<Field<'d>> {
    let entry = object.entry(name)?;
    let is_set = !matches!(entry.value.kind(), SyntaxKind::Null);
    is_set.then_some((TreePart::Written(entry.key), TreePart::Written(entry.value)))
}

/// A field that is not written in the text, with the location of its value.
pub(super) fn made_field<'d>(name: &str, value: TreePart<'d>) -> Field<'d> {
    (TreePart::made_text(name, value.span()), value)
}

/// The fields of an object without some of them.
pub(super) fn fields_without<'d>(object: Node<'d>, names: &[&str]) -> Vec<Field<'d>> {
    let entries = object.entries_with_merged().filter(|entry| !names.contains(&entry.key.text()));
    entries.map(|entry| (TreePart::Written(entry.key), TreePart::Written(entry.value))).collect()
}

/// The text of a field below an object; empty if it is not set.
pub(super) fn text_at<'d>(object: Node<'d>, path: &[&str]) -> &'d str {
    node_at(object, path).map(Node::text).unwrap_or_default()
}

/// The node of a field below an object.
pub(super) fn node_at<'d>(object: Node<'d>, path: &[&str]) -> Option<Node<'d>> {
    path.iter().try_fold(object, |node, name| node.get(name))
}

/// The location that stands for a part of an object which is not written.
pub(super) fn head_span(object: Node<'_>) -> Span {
    object.get("kind").unwrap_or(object).span()
}

/// Head of a restated object: its kind, and where it comes from.
pub(super) fn head_fields<'d>(object: Node<'d>, kind: &str, origin: &Value) -> Vec<Field<'d>> {
    let span_of = |name: &str| object.get(name).map_or_else(|| head_span(object), Node::span);
    vec![
        made_field(
            "apiVersion",
            TreePart::made_text("admissionregistration.k8s.io/v1", span_of("apiVersion")),
        ),
        made_field("kind", TreePart::made_text(kind, span_of("kind"))),
        made_field(RESTATED_FROM, TreePart::of_value(origin, span_of("kind"))),
    ]
}

/// Name of a restated object, at the location of a node.
pub(super) fn named_metadata<'d>(name: &str, span: Span) -> Field<'d> {
    made_field("metadata", TreePart::made_map([("name", TreePart::made_text(name, span))], span))
}

/// The versions of the APIs of other engines that are read.
const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];

/// The finding that an object is of another version of its API; `newest` is the one to write.
pub(super) fn version_finding(object: Node<'_>, newest: &str) -> Option<Diagnostic> {
    let written = object.get("apiVersion").filter(|it| !it.is_templated())?;
    let version = written.text().split_once('/').map_or("", |(_, version)| version);
    if VERSIONS.contains(&version) {
        return None;
    }
    let message = format!("unsupported API version {}", backtick_text(written.text()));
    let finding = lints::KUBERNETES_SHAPE.diagnostic_at(written.span(), message);
    Some(finding.with_help(format!("write `apiVersion: {newest}`")))
}
