//! CustomResourceDefinitions in documents.

use crate::Node;

/// Lists within lists of objects; more is not looked into.
const MOST_LISTS: usize = 8;

/// Returns the CustomResourceDefinitions of any version of the API in a document: its root, or the items of a list.
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
    let mut found = Vec::new();
    add_definitions(root, MOST_LISTS, &mut found);
    found
}

fn add_definitions<'d>(node: Node<'d>, lists: usize, found: &mut Vec<Node<'d>>) {
    let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default();
    let kind = text("kind");
    if kind == "CustomResourceDefinition" && text("apiVersion").starts_with("apiextensions.k8s.io/") {
        found.push(node);
    } else if kind.ends_with("List") && lists > 0 {
        let items = node.get("items").into_iter().flat_map(Node::items);
        items.for_each(|item| add_definitions(item, lists - 1, found));
    }
}
