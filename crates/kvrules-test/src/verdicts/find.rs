//! The objects of a document that rules are about: bare, in lists, or, where they are VirtualMachines, in templates.

use super::kind_schemas::KindSchemas;
use kvrules_elaborate::catalog::Subject;
use kvrules_elaborate::template::{KUBEVIRT_KIND, Template, TemplateKind};
use kvrules_syntax::Node;
use kvrules_syntax::kubernetes::{self, TypedObject};

/// Something that is to be evaluated, or why it cannot be.
pub(super) enum FoundObject<'d> {
    /// An object of a kind that is wanted, such as a VirtualMachine, and the template that it is in.
    Machine(Node<'d>, &'d str, Option<Template<'d>>),
    /// Something else.
    Other(Node<'d>, String),
}

/// Objects to look for.
#[derive(Clone, Copy)]
pub(super) enum ObjectFilter<'w> {
    /// Those of one kind.
    Subject(&'w Subject),
    /// Those of any kind that has a schema.
    Kinds(&'w KindSchemas),
}

impl ObjectFilter<'_> {
    fn accepts_kind(self, kind: &str) -> bool {
        match self {
            Self::Subject(subject) => subject.kind.as_deref() == Some(kind),
            Self::Kinds(kinds) => kinds.has_kind(kind),
        }
    }

    /// True if a schema names no kind, and so describes objects of any kind.
    fn takes_any(self) -> bool {
        matches!(self, Self::Subject(subject) if subject.kind.is_none())
    }

    fn takes_machines(self) -> bool {
        match self {
            Self::Subject(subject) => subject.is_virtual_machine(),
            Self::Kinds(kinds) => kinds.has_kind("VirtualMachine"),
        }
    }

    fn refusal_message(self, kind: &str) -> String {
        match self {
            Self::Subject(subject) => other_kind(subject.kind.as_deref().unwrap_or("object"), kind),
            Self::Kinds(_) if kind.is_empty() => "missing `kind`, which selects the schema".to_owned(),
            Self::Kinds(_) => format!("no schema for `{kind}`"),
        }
    }
}

/// Finds the objects to evaluate below a node, in the order of the text.
pub(super) fn find_objects<'d>(root: Node<'d>, wanted: ObjectFilter<'_>) -> Vec<FoundObject<'d>> {
    // A kind that is wanted may be called as a list.
    let root_kind = root.get("kind").and_then(Node::as_str).filter(|kind| wanted.accepts_kind(kind));
    let objects = match root_kind {
        Some(kind) => vec![TypedObject { node: root, kind, api_version: "" }],
        None => kubernetes::find_objects(root),
    };
    let mut found = Vec::new();
    for TypedObject { node, kind, .. } in objects {
        match Template::with_assumed_kind(node, kind).filter(|_| wanted.takes_machines()) {
            Some(around) => find_in_template(around, &mut found),
            None if wanted.accepts_kind(kind) || wanted.takes_any() && node.is_map() => {
                found.push(FoundObject::Machine(node, kind, None));
            }
            None => found.push(FoundObject::Other(node, wanted.refusal_message(kind))),
        }
    }
    found
}

fn other_kind(wanted: &str, kind: &str) -> String {
    match kind {
        "" => format!("not a {wanted}: missing `kind`"),
        REQUEST => format!("not a {wanted}, but a `{REQUEST}`, which requests a template of a machine"),
        other => format!("not a {wanted}, but a `{other}`"),
    }
}

/// The kind that asks for a template to be made of a machine that exists.
const REQUEST: &str = "VirtualMachineTemplateRequest";

fn find_in_template<'d>(around: Template<'d>, found: &mut Vec<FoundObject<'d>>) {
    let before = found.len();
    found.extend(
        around
            .virtual_machines()
            .map(|machine| FoundObject::Machine(machine, "VirtualMachine", Some(around))),
    );
    if found.len() == before {
        let what = match around.kind() {
            TemplateKind::OpenShift => "missing VirtualMachine in this template".to_owned(),
            TemplateKind::KubeVirt => format!("this {KUBEVIRT_KIND} has no `spec.virtualMachine`"),
        };
        found.push(FoundObject::Other(around.node(), what));
    }
}

/// The name of an object as it is written.
pub(super) fn name_of(node: Node<'_>) -> Option<&str> {
    node.get("metadata")?.get("name").map(Node::text).filter(|name| !name.is_empty())
}
