//! Templates of VirtualMachines: OpenShift's `Template`, and KubeVirt's own `VirtualMachineTemplate`.
//!
//! This is the one place that knows where each kind keeps its parameters and its VirtualMachines.

mod generator;

use kvrules_syntax::{Document, Node, kubernetes::find_objects};

pub use generator::{GeneratorPart, ValueGenerator};

/// The API group of `VirtualMachineTemplate`.
pub const KUBEVIRT_GROUP: &str = "template.kubevirt.io";

/// The versions of `VirtualMachineTemplate`, which have the same fields.
pub const KUBEVIRT_VERSIONS: [&str; 2] = ["v1alpha1", "v1beta1"];

/// The kind of the templates of that group.
pub const KUBEVIRT_KIND: &str = "VirtualMachineTemplate";

/// Program that processes a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TemplateKind {
    /// `Template` of `template.openshift.io`.
    #[default]
    OpenShift,
    /// `VirtualMachineTemplate` of `template.kubevirt.io`.
    KubeVirt,
}

/// A template.
#[derive(Clone, Copy, Debug)]
pub struct Template<'d> {
    node: Node<'d>,
    kind: TemplateKind,
}

impl TemplateKind {
    /// The `kind` of its templates.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenShift => "Template",
            Self::KubeVirt => KUBEVIRT_KIND,
        }
    }
}

impl<'d> Template<'d> {
    /// The template that an object is, if it is one.
    pub fn new(node: Node<'d>) -> Option<Self> {
        Self::with_assumed_kind(node, "")
    }

    /// The template that an object is; one without a `kind` is of the kind that its list names.
    pub fn with_assumed_kind(node: Node<'d>, assumed: &str) -> Option<Self> {
        let kind = match node.get("kind").and_then(Node::as_str).unwrap_or(assumed) {
            "Template" => TemplateKind::OpenShift,
            // Another API group may have a kind with this name.
            KUBEVIRT_KIND if is_of_kubevirt(node) => TemplateKind::KubeVirt,
            _ => return None,
        };
        Some(Self { node, kind })
    }

    /// The object.
    pub fn node(self) -> Node<'d> {
        self.node
    }

    /// Its kind.
    pub fn kind(self) -> TemplateKind {
        self.kind
    }

    /// Returns the map with the parameters, the message and the machines.
    pub fn body(self) -> Option<Node<'d>> {
        match self.kind {
            TemplateKind::OpenShift => Some(self.node),
            TemplateKind::KubeVirt => self.node.get("spec"),
        }
    }

    /// The list of parameters.
    pub fn parameter_list(self) -> Option<Node<'d>> {
        self.body()?.get("parameters")
    }

    /// The parameters.
    pub fn parameters(self) -> impl Iterator<Item = Node<'d>> {
        self.parameter_list().into_iter().flat_map(Node::items)
    }

    /// The parameter with a name.
    pub fn find_parameter(self, name: &str) -> Option<Node<'d>> {
        self.parameters().find(|parameter| parameter.get("name").is_some_and(|node| node.text() == name))
    }

    /// Everything that is made from it. The engine of a `VirtualMachineTemplate` makes a VirtualMachine, whatever `kind`
    /// says.
    pub fn objects(self) -> impl Iterator<Item = Node<'d>> {
        let list = self.body().filter(|_| self.kind == TemplateKind::OpenShift);
        let only = self.body().filter(|_| self.kind == TemplateKind::KubeVirt);
        let only = only.and_then(|body| body.get("virtualMachine")).filter(|machine| machine.is_map());
        let objects = list.and_then(|body| body.get("objects")).into_iter().flat_map(Node::items);
        objects.chain(only)
    }

    /// The VirtualMachines that are made from it.
    pub fn virtual_machines(self) -> impl Iterator<Item = Node<'d>> {
        let of_kind = |node: &Node<'d>| node.get("kind").and_then(Node::as_str) == Some("VirtualMachine");
        self.objects().filter(move |node| self.kind == TemplateKind::KubeVirt || of_kind(node))
    }

    /// Returns the nodes in which parameters are replaced: the objects, the message, and the labels that OpenShift
    /// adds.
    pub fn processed_nodes(self) -> impl Iterator<Item = Node<'d>> {
        let body = self.body();
        let message = body.and_then(|body| body.get("message"));
        let labels = self.node.get("labels").filter(|_| self.kind == TemplateKind::OpenShift);
        self.objects().chain(message).chain(labels)
    }

    /// True if template tags may add parameters.
    pub fn has_open_parameters(self) -> bool {
        let of_list = |list: Node<'_>| list.is_open() || list.items().any(Node::is_templated);
        let body = self.body().unwrap_or(self.node);
        self.parameter_list().map_or_else(|| body.is_open(), of_list)
    }
}

/// True if the `apiVersion` is of KubeVirt's group, or is left out as in the items of a list.
fn is_of_kubevirt(node: Node<'_>) -> bool {
    node.get("apiVersion").is_none_or(|version| {
        version.is_templated() || version.text().split('/').next() == Some(KUBEVIRT_GROUP)
    })
}

/// The templates of a document: bare, or in lists.
pub fn find_templates<'d>(document: &'d Document<'d>) -> Vec<Template<'d>> {
    let objects = document.root().into_iter().flat_map(find_objects);
    objects.filter_map(|object| Template::with_assumed_kind(object.node, object.kind)).collect()
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;
    use kvrules_syntax::parse_yaml;

    use super::{TemplateKind, find_templates};

    /// The kind, and how many machines it has, of each template in a text.
    fn found(text: &str) -> Vec<(TemplateKind, usize)> {
        let documents = parse_yaml(FileId(0), text, 0);
        let all = documents.iter().flat_map(|document| find_templates(document));
        all.map(|template| (template.kind(), template.virtual_machines().count())).collect()
    }

    #[test]
    fn both_kinds_are_known_in_lists_and_by_themselves() {
        use TemplateKind::{KubeVirt, OpenShift};
        let machine = "spec: {virtualMachine: {spec: {}}}";
        let one =
            format!("apiVersion: template.kubevirt.io/v1beta1\nkind: VirtualMachineTemplate\n{machine}\n");
        for (text, expected) in [
            (one.clone(), vec![(KubeVirt, 1)]),
            (format!("{one}---\n{one}"), vec![(KubeVirt, 1), (KubeVirt, 1)]),
            ("kind: VirtualMachineTemplate\nspec: {}\n".to_owned(), vec![(KubeVirt, 0)]),
            (
                "kind: Template\nobjects: [{kind: VirtualMachine}, {kind: Pod}]\n".to_owned(),
                vec![(OpenShift, 1)],
            ),
            (format!("kind: VirtualMachineTemplateList\nitems: [{{{machine}}}]\n"), vec![(KubeVirt, 1)]),
            (
                format!(
                    "kind: List\nitems: [{{kind: VirtualMachineTemplate, {machine}}}, {{kind: Template}}]\n"
                ),
                vec![(KubeVirt, 1), (OpenShift, 0)],
            ),
            (format!("apiVersion: example.org/v1\nkind: VirtualMachineTemplate\n{machine}\n"), vec![]),
            ("kind: VirtualMachineTemplateRequest\nspec: {}\n".to_owned(), vec![]),
        ] {
            assert_eq!(found(&text), expected, "{text}");
        }
    }
}
