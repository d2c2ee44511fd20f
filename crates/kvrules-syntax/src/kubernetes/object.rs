//! Objects in documents: bare, or in lists.

use crate::{Node, SyntaxKind};

/// Lists within lists of objects; deeper ones are objects like others.
const MAX_LISTS: usize = 8;

/// An object with its kind and version, which a list of the API server may name once for all items.
#[derive(Clone, Copy, Debug)]
pub struct TypedObject<'d> {
    /// The object.
    pub node: Node<'d>,
    /// Its `kind`, else that of the items of the list around it; empty if unknown.
    pub kind: &'d str,
    /// Its `apiVersion`, else that of the list around it; empty if unknown.
    pub api_version: &'d str,
}

/// Returns the objects below a node, in the order of the text: the node itself, or the items of a list and of lists in it.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_syntax::{kubernetes::find_objects, parse_stream};
///
/// let text = "kind: PodList\napiVersion: v1\nitems: [{metadata: {name: a}}, {kind: Service}]";
/// let stream = parse_stream(FileId(0), text);
/// let objects = find_objects(stream.documents[0].root().unwrap());
/// assert_eq!(objects.iter().map(|object| (object.kind, object.api_version)).collect::<Vec<_>>(), [("Pod", "v1"), ("Service", "v1")]);
/// ```
pub fn find_objects(root: Node<'_>) -> Vec<TypedObject<'_>> {
    let mut found = Vec::new();
    // Clients pass over documents that are empty.
    if root.kind() == SyntaxKind::Null {
        return found;
    }
    add_objects(root, ("", ""), 0, &mut found);
    found
}

fn add_objects<'d>(
    node: Node<'d>,
    (assumed_kind, assumed_version): (&'d str, &'d str),
    depth: usize,
    found: &mut Vec<TypedObject<'d>>,
) {
    let text = |key: &str| node.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
    let (kind, api_version) =
        (text("kind").unwrap_or(assumed_kind), text("apiVersion").unwrap_or(assumed_version));
    match list_items(node, kind).filter(|_| depth < MAX_LISTS) {
        Some(items) => {
            let assumed = (kind.strip_suffix("List").unwrap_or_default(), api_version);
            items.for_each(|item| add_objects(item, assumed, depth + 1, found));
        }
        None => found.push(TypedObject { node, kind, api_version }),
    }
}

/// Returns the items of a list of objects; `None` if an object of this kind is not one.
pub fn list_items<'d>(object: Node<'d>, kind: &str) -> Option<impl Iterator<Item = Node<'d>> + use<'d>> {
    let items = object.get("items").filter(|_| kind.ends_with("List"))?;
    // Without objects, Go writes `null`.
    (items.is_list() || items.kind() == SyntaxKind::Null).then(|| items.items())
}
