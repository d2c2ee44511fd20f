//! The definitions, policies and bindings in a document, also inside of lists.

use kvrules_syntax::{Document, Node};

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResourceKind {
    /// A CustomResourceDefinition.
    Definition,
    /// A ValidatingAdmissionPolicy.
    Policy,
    /// A ValidatingAdmissionPolicyBinding.
    Binding,
}

/// A resource of ours in a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resource<'d> {
    pub(crate) kind: ResourceKind,
    pub(crate) node: Node<'d>,
}

impl ResourceKind {
    /// The kind as the API names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Definition => "CustomResourceDefinition",
            Self::Policy => "ValidatingAdmissionPolicy",
            Self::Binding => "ValidatingAdmissionPolicyBinding",
        }
    }

    /// The API group of the kind.
    pub fn group(self) -> &'static str {
        match self {
            Self::Definition => "apiextensions.k8s.io",
            Self::Policy | Self::Binding => "admissionregistration.k8s.io",
        }
    }

    fn of(node: Node<'_>) -> Option<Self> {
        let kind = node.get("kind")?.text();
        let kinds = [Self::Definition, Self::Policy, Self::Binding];
        let found = kinds.into_iter().find(|known| known.as_str() == kind)?;
        let version = node.get("apiVersion").map(Node::text).unwrap_or_default();
        let group = version.split('/').next().unwrap_or_default();
        (group == found.group() || version.is_empty()).then_some(found)
    }
}

/// How deep lists may nest in lists.
const MOST_LISTS: usize = 8;

/// The resources of a document, in the order of its text.
pub(crate) fn resources<'d>(document: &'d Document<'d>) -> Vec<Resource<'d>> {
    let mut found = Vec::new();
    if let Some(root) = document.root() {
        collect(root, MOST_LISTS, &mut found);
    }
    found
}

/// Whether a document is, or holds, a definition, a policy or a binding.
pub fn is_kubernetes(document: &Document<'_>) -> bool {
    !resources(document).is_empty()
}

fn collect<'d>(node: Node<'d>, lists: usize, found: &mut Vec<Resource<'d>>) {
    if let Some(kind) = ResourceKind::of(node) {
        found.push(Resource { kind, node });
        return;
    }
    let is_list = node.get("kind").is_some_and(|kind| kind.text().ends_with("List"));
    if is_list && lists > 0 {
        for item in node.get("items").into_iter().flat_map(Node::items) {
            collect(item, lists - 1, found);
        }
    }
}
