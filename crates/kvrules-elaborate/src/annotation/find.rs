//! Finds annotations: on templates, on the VMs in them, on bare VMs, in lists, or by themselves.

use kvrules_diagnostics::Span;
use kvrules_syntax::kubernetes::{TypedObject, find_objects};
use kvrules_syntax::{Document, EmbeddedReader, Entry, Node, SyntaxKind};

use super::{
    Parameters, TEMPLATE_ANNOTATIONS, VM_ANNOTATION,
    form::AnnotationForm,
    key::{Key, RuleKind},
};
use crate::template::Template;

/// One annotation with rules.
#[derive(Debug)]
pub struct Annotation<'d> {
    /// Object that carries it.
    pub holder: AnnotationHolder,
    /// The name of its rule set: the template's, else the VM's, else none.
    pub name: Option<String>,
    /// The annotation's key; none if a file holds the value alone.
    pub key: Option<Node<'d>>,
    /// The annotation's value.
    pub value: Node<'d>,
    /// The template that it is in or on.
    pub template: Option<Template<'d>>,
    /// The VM that it is on.
    machine: Option<Node<'d>>,
    /// The parameters of the template around it.
    pub parameters: Parameters<'d>,
    /// The JSON in the value; none if the value is not a string, or is a list of rules already.
    json: Option<Document<'d>>,
    form: AnnotationForm,
}

/// Object that carries an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnnotationHolder {
    /// The metadata of a template.
    Template {
        /// Names the template among those of its document.
        id: Span,
    },
    /// The metadata of a VM.
    VirtualMachine {
        /// Names the template that the VM is in, if it is in one.
        template: Option<Span>,
    },
    /// The metadata inside a VM's own `.spec.template`, which nothing reads.
    Instance,
    /// Nothing: the annotation stands by itself.
    Fragment,
}

/// An annotation that was found and not yet read.
#[derive(Clone, Copy)]
struct AnnotationPlace<'d> {
    holder: AnnotationHolder,
    name: Option<&'d str>,
    key: Option<Node<'d>>,
    value: Node<'d>,
    template: Option<Template<'d>>,
    machine: Option<Node<'d>>,
    parameters: Parameters<'d>,
}

impl<'d> AnnotationPlace<'d> {
    fn new(
        holder: AnnotationHolder,
        name: Option<&'d str>,
        entry: Entry<'d>,
        parameters: Parameters<'d>,
    ) -> Self {
        let Entry { key, value } = entry;
        Self { holder, name, key: Some(key), value, template: None, machine: None, parameters }
    }
}

impl<'d> Annotation<'d> {
    fn new(place: AnnotationPlace<'d>, reader: &mut EmbeddedReader<'d>) -> Self {
        let AnnotationPlace { holder, name, key, value, template, machine, parameters } = place;
        let is_json = key.is_some() && value.kind() == SyntaxKind::String;
        let json = is_json.then(|| reader.parse(value));
        let (name, form) = (name.map(str::to_owned), AnnotationForm::default());
        let mut annotation = Self { holder, name, key, value, template, machine, parameters, json, form };
        annotation.form = AnnotationForm::of(&annotation);
        annotation
    }

    /// The JSON inside the value, with what is wrong in it.
    pub fn json(&self) -> Option<&Document<'d>> {
        self.json.as_ref()
    }

    /// The value with the rules: the parsed JSON, or the value itself.
    pub fn root(&self) -> Option<Node<'_>> {
        match &self.json {
            Some(json) => json.root(),
            None => self.value.is_list().then_some(self.value),
        }
    }

    /// The VMs of the same document that the rules are for.
    pub fn virtual_machines(&self) -> impl Iterator<Item = Node<'d>> {
        let of_template = self.template.filter(|_| matches!(self.holder, AnnotationHolder::Template { .. }));
        self.machine.into_iter().chain(of_template.into_iter().flat_map(Template::virtual_machines))
    }

    /// The rules that are objects, in their order.
    pub fn rules(&self) -> impl Iterator<Item = Node<'_>> {
        self.root().into_iter().flat_map(Node::items).filter(|rule| rule.is_map())
    }

    /// Returns which of the three forms it is, with the evidence.
    pub fn form(&self) -> &AnnotationForm {
        &self.form
    }

    /// The text of the annotation's key.
    pub fn key_text(&self) -> &'d str {
        self.key.map_or("", Node::text)
    }
}

/// Finds all annotations of a document. `${…}` is known by the parameters of the template around it.
pub fn find_annotations<'d>(document: &'d Document<'d>) -> Vec<Annotation<'d>> {
    find_all_annotations(&[document])
}

/// Finds all annotations of the documents of a file, which may repeat texts.
pub fn find_all_annotations<'d>(documents: &[&'d Document<'d>]) -> Vec<Annotation<'d>> {
    let mut reader = EmbeddedReader::default();
    let places = documents.iter().flat_map(|document| find_places(document));
    places.map(|place| Annotation::new(place, &mut reader)).collect()
}

/// Returns the number of annotations of a document, without reading them.
pub fn count_annotations(document: &Document<'_>) -> usize {
    find_places(document).len()
}

/// True if a document is, or lists, an object that may carry annotations with rules.
pub fn has_holder(document: &Document<'_>) -> bool {
    document.root().is_some_and(|root| find_objects(root).iter().any(|object| is_holder(object.kind)))
}

/// True if objects of a kind may carry annotations with rules.
pub(super) fn is_holder(kind: &str) -> bool {
    ["Template", "VirtualMachine", "VirtualMachineTemplate"].contains(&kind)
}

fn find_places<'d>(document: &'d Document<'d>) -> Vec<AnnotationPlace<'d>> {
    let mut found = Vec::new();
    for TypedObject { node, kind, .. } in document.root().into_iter().flat_map(find_objects) {
        match (Template::with_assumed_kind(node, kind), kind) {
            (Some(around), _) => find_in_template(around, &mut found),
            (None, "VirtualMachine") => virtual_machine(node, None, &mut found),
            (None, "") => find_in_fragment(node, &mut found),
            (None, _) => {}
        }
    }
    found
}

/// The template that something is in.
#[derive(Clone, Copy)]
struct EnclosingTemplate<'d> {
    template: Template<'d>,
    id: Span,
    name: Option<&'d str>,
    parameters: Parameters<'d>,
}

fn find_in_template<'d>(template: Template<'d>, found: &mut Vec<AnnotationPlace<'d>>) {
    let node = template.node();
    let parameters = Parameters::new(template.parameter_list());
    let around = EnclosingTemplate { template, id: node.span(), name: name_of(node), parameters };
    for entry in annotation_entries(node) {
        let holder = AnnotationHolder::Template { id: around.id };
        let place = AnnotationPlace::new(holder, around.name, entry, around.parameters);
        found.push(AnnotationPlace { template: Some(template), ..place });
    }
    for machine in template.virtual_machines() {
        virtual_machine(machine, Some(around), found);
    }
}

fn virtual_machine<'d>(
    node: Node<'d>,
    around: Option<EnclosingTemplate<'d>>,
    found: &mut Vec<AnnotationPlace<'d>>,
) {
    let id = around.map(|around| around.id);
    let template = around.map(|around| around.template);
    let name = around.map_or_else(|| name_of(node), |around| around.name);
    let parameters = around.map_or_else(|| Parameters::new(None), |around| around.parameters);
    for entry in annotation_entries(node) {
        let holder = AnnotationHolder::VirtualMachine { template: id };
        let place = AnnotationPlace::new(holder, name, entry, parameters);
        found.push(AnnotationPlace { template, machine: Some(node), ..place });
    }
    let instance = node.get("spec").and_then(|spec| spec.get("template"));
    for entry in instance.into_iter().flat_map(annotation_entries) {
        found.push(AnnotationPlace::new(AnnotationHolder::Instance, name, entry, parameters));
    }
}

/// A file with the annotation alone: as an entry, or as the list of rules itself.
fn find_in_fragment<'d>(node: Node<'d>, found: &mut Vec<AnnotationPlace<'d>>) {
    let parameters = Parameters::new(None);
    if looks_like_rules(node) {
        let (holder, name, key, template, machine) = (AnnotationHolder::Fragment, None, None, None, None);
        found.push(AnnotationPlace { holder, name, key, value: node, template, machine, parameters });
        return;
    }
    let annotations_of = |node: Node<'d>| node.get("annotations");
    let places = [Some(node), annotations_of(node), node.get("metadata").and_then(annotations_of)];
    for entry in places.into_iter().flatten().flat_map(known_annotations) {
        // Other formats have a key `validation` with fields.
        let is_own = entry.key.text() == VM_ANNOTATION || !entry.value.is_map();
        if !is_own {
            continue;
        }
        found.push(AnnotationPlace::new(AnnotationHolder::Fragment, None, entry, parameters));
    }
}

/// True if a list contains rules. Many lists have items with a `rule`, a `path` or a `message`; those of rules have a
/// kind of rule, or a path that leads into an object.
pub(super) fn looks_like_rules(list: Node<'_>) -> bool {
    list.items().any(|item| {
        let has = |key: Key| item.get(key.as_str());
        let is_kind =
            has(Key::Rule).and_then(Node::as_str).is_some_and(|rule| RuleKind::from_text(rule).is_some());
        let mut operands = item.entries().filter(|entry| Key::from_text(entry.key.text()).is_some());
        let begins = |node: Node<'_>| {
            node.as_str().is_some_and(|text| PATHS.iter().any(|begin| text.starts_with(begin)))
        };
        is_kind && item.entries().count() > 1
            || operands.any(|entry| begins(entry.value) || entry.value.items().any(begins))
    })
}

/// Prefixes of paths into a VirtualMachine in the three forms of the annotation.
const PATHS: [&str; 6] = ["jsonpath::", "$.spec.", ".spec.", "/spec.", "spec.domain.", "spec.template."];

fn annotation_entries(node: Node<'_>) -> impl Iterator<Item = Entry<'_>> {
    node.get("metadata")
        .and_then(|metadata| metadata.get("annotations"))
        .into_iter()
        .flat_map(known_annotations)
}

/// The entries with the name of some form of the annotation.
fn known_annotations(annotations: Node<'_>) -> impl Iterator<Item = Entry<'_>> {
    annotations.entries().filter(|entry| {
        let key = entry.key.text();
        key == VM_ANNOTATION || TEMPLATE_ANNOTATIONS.contains(&key)
    })
}

fn name_of(node: Node<'_>) -> Option<&str> {
    // A name with template tags is unknown until it is rendered.
    let name = node.get("metadata")?.get("name").filter(|name| !name.is_templated())?;
    name.as_str().filter(|name| !name.is_empty())
}
