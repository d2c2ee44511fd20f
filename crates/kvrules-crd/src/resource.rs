//! The definitions, policies and bindings in a document, also inside of lists and of OpenShift templates.

use kvrules_diagnostics::Span;
use kvrules_syntax::{Document, Node};

/// Kind of a resource.
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
#[derive(Clone, Debug)]
pub(crate) struct Resource<'d> {
    pub(crate) kind: ResourceKind,
    pub(crate) node: Node<'d>,
    /// The OpenShift templates that it is an object of, the outermost first.
    pub(crate) templates: Vec<Node<'d>>,
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
    pub fn api_group(self) -> &'static str {
        match self {
            Self::Definition => "apiextensions.k8s.io",
            Self::Policy | Self::Binding => "admissionregistration.k8s.io",
        }
    }

    fn from_node(node: Node<'_>) -> Option<Self> {
        let kind = node.get("kind")?.text();
        let kinds = [Self::Definition, Self::Policy, Self::Binding];
        let found = kinds.into_iter().find(|known| known.as_str() == kind)?;
        let version = node.get("apiVersion").map(Node::text).unwrap_or_default();
        let group = version.split('/').next().unwrap_or_default();
        (group == found.api_group() || version.is_empty()).then_some(found)
    }
}

/// Nesting limit of lists and templates in each other.
const MOST_LISTS: usize = 8;

/// The resources of a document, in the order of its text.
pub(crate) fn find_resources<'d>(document: &'d Document<'d>) -> Vec<Resource<'d>> {
    let mut found = Vec::new();
    if let Some(root) = document.root() {
        visit_resources(root, MOST_LISTS, &mut Vec::new(), &mut |node, templates| {
            let resource = |kind| Resource { kind, node, templates: templates.to_vec() };
            found.extend(ResourceKind::from_node(node).map(resource));
        });
    }
    found
}

/// The kinds of the group of admission policies that are not checked.
const UNCHECKED: [&str; 4] = [
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// A resource that decides about requests, or the shape of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocatedResource {
    /// A definition, a policy or a binding, and its location.
    Checked(ResourceKind, Span),
    /// The kind of a resource that is not checked, and the location of its `kind`.
    Unchecked(&'static str, Span),
}

/// Returns the resources in a document, in the order of its text.
pub fn locate_resources(document: &Document<'_>) -> Vec<LocatedResource> {
    let mut found = Vec::new();
    if let Some(root) = document.root() {
        visit_resources(root, MOST_LISTS, &mut Vec::new(), &mut |node, _| {
            let Some(kind) = node.get("kind") else { return };
            let checked = ResourceKind::from_node(node);
            found.extend(checked.map(|kind| LocatedResource::Checked(kind, node.span())).or_else(|| {
                let name = UNCHECKED.into_iter().find(|known| *known == kind.text())?;
                policy_kind(node).map(|_| LocatedResource::Unchecked(name, kind.span()))
            }));
        });
    }
    found
}

/// Kinds of resources that decide about requests, those that are checked and those that are not.
fn policy_kinds() -> impl Iterator<Item = &'static str> {
    [ResourceKind::Policy, ResourceKind::Binding].map(ResourceKind::as_str).into_iter().chain(UNCHECKED)
}

/// Returns the kind of a resource that decides about requests: an admission policy, a binding or a configuration of webhooks.
pub fn policy_kind(node: Node<'_>) -> Option<&'static str> {
    let kind = node.get("kind")?.text();
    let version = node.get("apiVersion").map(Node::text).unwrap_or_default();
    let of_group = version.split('/').next() == Some(ResourceKind::Policy.api_group());
    policy_kinds().find(|known| of_group && *known == kind)
}

/// Visits an object, or the objects of a list or of an OpenShift template and of those in it, with the templates around it.
fn visit_resources<'d>(
    node: Node<'d>,
    lists: usize,
    templates: &mut Vec<Node<'d>>,
    visit: &mut impl FnMut(Node<'d>, &[Node<'d>]),
) {
    let kind = node.get("kind").map(Node::text).unwrap_or_default();
    let is_template = kind == "Template";
    if !is_template && !kind.ends_with("List") {
        return visit(node, templates);
    }
    let objects = node.get(if is_template { "objects" } else { "items" });
    templates.extend(is_template.then_some(node));
    for object in objects.into_iter().flat_map(Node::items).filter(|_| lists > 0) {
        visit_resources(object, lists - 1, templates, visit);
    }
    if is_template {
        templates.pop();
    }
}
