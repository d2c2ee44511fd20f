//! CustomResourceDefinitions in documents.

use super::{TypedObject, find_objects};
use crate::Node;

/// Returns the CustomResourceDefinitions of any version of the API in a document: its root, or the items of a list that say so
/// themselves.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_syntax::{kubernetes::find_definitions, parse_stream};
///
/// let text = "kind: List\nitems: [{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}, {kind: Service}]";
/// let stream = parse_stream(FileId(0), text);
/// assert_eq!(find_definitions(stream.documents[0].root().unwrap()).len(), 1);
/// ```
pub fn find_definitions(root: Node<'_>) -> Vec<Node<'_>> {
    let objects = find_objects(root).into_iter();
    let is_definition = |object: &TypedObject<'_>| {
        object.kind == "CustomResourceDefinition"
            && object.api_version.starts_with("apiextensions.k8s.io/")
            // `check` finds definitions by their own kind and version.
            && object.node.get("kind").is_some()
            && object.node.get("apiVersion").is_some()
    };
    objects.filter(is_definition).map(|object| object.node).collect()
}
