//! The definitions, policies and bindings in a document, also inside of lists and of OpenShift templates.

use kvrules_diagnostics::Span;
use kvrules_syntax::{Document, Node, kubernetes::list_items};

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
    pub const fn api_group(self) -> &'static str {
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

/// The resources of a document that are checked, in the order of its text.
pub(crate) fn find_resources<'d>(document: &'d Document<'d>) -> Vec<Resource<'d>> {
    let located = locate_resources(document).into_iter();
    let checked = located.filter_map(|LocatedResource { kind, node, templates, .. }| {
        Some(Resource { kind: kind?, node, templates })
    });
    checked.collect()
}

/// The kinds of the group of admission policies that are not checked.
const UNCHECKED: [&str; 4] = [
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// A resource that decides about requests, or the shape of resources.
#[derive(Clone, Debug)]
pub struct LocatedResource<'d> {
    /// Its kind, as the API names it.
    pub name: &'static str,
    /// Its kind; `None` if resources of the kind are not checked.
    pub kind: Option<ResourceKind>,
    /// The resource.
    pub node: Node<'d>,
    /// The OpenShift templates that it is an object of, the outermost first.
    pub templates: Vec<Node<'d>>,
    /// The keys and the indices that lead to it in its document.
    pub path: Vec<String>,
}

impl LocatedResource<'_> {
    /// Returns its location: of a resource that is checked the whole, else its `kind`.
    pub fn span(&self) -> Span {
        let named = self.node.get("kind").filter(|_| self.kind.is_none());
        named.unwrap_or(self.node).span()
    }
}

/// Returns the resources in a document, in the order of its text.
pub fn locate_resources<'d>(document: &'d Document<'d>) -> Vec<LocatedResource<'d>> {
    let mut found = Vec::new();
    if let Some(root) = document.root() {
        visit_resources(root, &mut ObjectPath::default(), &mut |node, path| {
            let kind = ResourceKind::from_node(node);
            let name = kind.map(ResourceKind::as_str).or_else(|| policy_kind(node));
            found.extend(name.map(|name| {
                let (templates, path) = (path.templates.clone(), path.to_tokens());
                LocatedResource { name, kind, node, templates, path }
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

/// The way to an object in a document.
#[derive(Default)]
struct ObjectPath<'d> {
    /// The lists and templates around it: the field with their objects, and its index in it.
    steps: Vec<(&'static str, usize)>,
    /// The templates among them.
    templates: Vec<Node<'d>>,
}

impl ObjectPath<'_> {
    fn to_tokens(&self) -> Vec<String> {
        self.steps.iter().flat_map(|(field, index)| [(*field).to_owned(), index.to_string()]).collect()
    }
}

/// Visits an object, or the objects of a list or of an OpenShift template and of those in it.
fn visit_resources<'d>(
    node: Node<'d>,
    path: &mut ObjectPath<'d>,
    visit: &mut impl FnMut(Node<'d>, &ObjectPath<'d>),
) {
    let kind = node.get("kind").map(Node::text).unwrap_or_default();
    let is_template = kind == "Template";
    let of_template = node.get("objects").filter(|_| is_template).into_iter().flat_map(Node::items);
    let listed = list_items(node, kind);
    if !is_template && listed.is_none() || path.steps.len() == MOST_LISTS {
        return visit(node, path);
    }
    let field = if is_template { "objects" } else { "items" };
    path.templates.extend(is_template.then_some(node));
    for (index, object) in of_template.chain(listed.into_iter().flatten()).enumerate() {
        path.steps.push((field, index));
        visit_resources(object, path, visit);
        path.steps.pop();
    }
    if is_template {
        path.templates.pop();
    }
}
