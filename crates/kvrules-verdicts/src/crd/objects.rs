//! The objects of a document: bare, or in lists.

use kvrules_syntax::{Node, SyntaxKind};

/// Lists within lists of objects; more is not looked into.
const MAX_LISTS: usize = 8;

/// An object with its kind and version; in a list of the API server, those of the list may apply to all items.
pub(crate) struct TypedObject<'d> {
    pub(crate) node: Node<'d>,
    pub(crate) kind: &'d str,
    pub(crate) api_version: &'d str,
}

/// The objects below a node, in the order of the text.
pub(crate) fn find_objects(root: Node<'_>) -> Vec<TypedObject<'_>> {
    let mut found = Vec::new();
    if root.kind() != SyntaxKind::Null {
        look_into(root, ("", ""), 0, &mut found);
    }
    found
}

fn look_into<'d>(
    node: Node<'d>,
    (assumed, assumed_version): (&'d str, &'d str),
    depth: usize,
    found: &mut Vec<TypedObject<'d>>,
) {
    let kind = node.get("kind").and_then(Node::as_str).filter(|kind| !kind.is_empty()).unwrap_or(assumed);
    let version = api_version(node).unwrap_or(assumed_version);
    match kind.strip_suffix("List") {
        Some(of) if depth < MAX_LISTS && node.get("items").is_some_and(Node::is_list) => {
            for item in node.get("items").into_iter().flat_map(Node::items) {
                look_into(item, (of, version), depth + 1, found);
            }
        }
        _ => found.push(TypedObject { node, kind, api_version: version }),
    }
}

/// The `apiVersion` of an object as it is written.
fn api_version(node: Node<'_>) -> Option<&str> {
    node.get("apiVersion").and_then(Node::as_str).filter(|text| !text.is_empty())
}
