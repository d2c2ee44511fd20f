//! The fields of VirtualMachines and of KubeVirt's other objects, each with the type that the catalog gives it.

use std::fmt::Write as _;

use kvrules_diagnostics::find_nearest;
use kvrules_elaborate::catalog::{Catalog, CatalogField};
use kvrules_ir::ValueType;
use kvrules_syntax::kubernetes::TypedObject;
use kvrules_syntax::{Node, SyntaxKind, find_parameters};

/// A value in a VirtualMachine.
pub(crate) struct TypedValue<'d> {
    /// Path from the VirtualMachine: `.spec.template.spec.domain.cpu.cores`.
    pub(crate) path: String,
    /// The value.
    pub(crate) node: Node<'d>,
    /// The type of its field.
    pub(crate) value_type: ValueType,
}

/// An entry of which the catalog knows no field.
pub(crate) struct UnknownEntry<'d> {
    /// The path of the object that it is in.
    pub(crate) path: String,
    /// Its key.
    pub(crate) key: Node<'d>,
    /// The known field with the most similar name, if there is one.
    pub(crate) near: Option<&'static str>,
}

/// Values of a VirtualMachine with their types, and unknown fields.
pub(crate) struct MachineFields<'d> {
    select: FieldSelection,
    pub(crate) values: Vec<TypedValue<'d>>,
    pub(crate) unknown: Vec<UnknownEntry<'d>>,
}

/// The values to list.
#[derive(Clone, Copy)]
pub(crate) struct FieldSelection {
    /// True for a value that is wanted.
    pub(crate) is_wanted: fn(Node<'_>, ValueType) -> bool,
    /// False for the value of a key if neither the value nor anything below it is wanted, and the key need not be known.
    pub(crate) is_entered: fn(Node<'_>) -> bool,
}

impl FieldSelection {
    /// Every value, and every unknown key.
    pub(crate) const ALL: Self = Self { is_wanted: |_, _| true, is_entered: |_| true };
}

/// A path, as a list from its last step to its first: most are never written out.
#[derive(Clone, Copy)]
struct FieldPath<'p> {
    before: Option<&'p FieldPath<'p>>,
    step: FieldStep<'p>,
}

#[derive(Clone, Copy)]
enum FieldStep<'p> {
    /// A path as it is written.
    Start(&'p str),
    Name(&'p str),
    Index(usize),
}

impl FieldPath<'_> {
    fn write(&self, text: &mut String) {
        if let Some(before) = self.before {
            before.write(text);
        }
        // Writing to a string cannot fail.
        let _ = match self.step {
            FieldStep::Start(path) => write!(text, "{path}"),
            FieldStep::Name(name) => write!(text, ".{name}"),
            FieldStep::Index(index) => write!(text, "[{index}]"),
        };
    }

    fn to_text(self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }
}

/// An object of KubeVirt in which there is a VirtualMachineInstance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MachineKind {
    Machine,
    Instance,
    ReplicaSet,
    Pool,
}

impl MachineKind {
    /// The kind of an object, which may lack its `apiVersion` if it is a VirtualMachine.
    pub(crate) fn of_object(object: &TypedObject<'_>) -> Option<Self> {
        let group = object.api_version.split_once('/').map_or("", |(group, _)| group);
        match (group, object.kind) {
            ("kubevirt.io", "VirtualMachine") => Some(Self::Machine),
            (_, "VirtualMachine") if object.api_version.is_empty() => Some(Self::Machine),
            ("kubevirt.io", "VirtualMachineInstance") => Some(Self::Instance),
            ("kubevirt.io", "VirtualMachineInstanceReplicaSet") => Some(Self::ReplicaSet),
            ("pool.kubevirt.io", "VirtualMachinePool") => Some(Self::Pool),
            _ => None,
        }
    }
}

/// True for an object of KubeVirt whose fields are checked: a VirtualMachine, or an object with a VirtualMachine or
/// VirtualMachineInstance in it.
pub fn has_known_fields(object: &TypedObject<'_>) -> bool {
    MachineKind::of_object(object).is_some()
}

/// The unknown keys of a VirtualMachine, and the wanted ones among its values whose fields the catalog knows.
pub(crate) fn machine_fields(machine: Node<'_>, select: FieldSelection) -> MachineFields<'_> {
    object_fields(machine, MachineKind::Machine, select)
}

/// The same of an object of KubeVirt, as far as the VirtualMachine or VirtualMachineInstance in it goes.
// kubevirt staging/src/kubevirt.io/api/core/v1/types.go and pool/v1beta1/types.go
pub(crate) fn object_fields(
    object: Node<'_>,
    kind: MachineKind,
    select: FieldSelection,
) -> MachineFields<'_> {
    let mut fields = MachineFields { select, values: Vec::new(), unknown: Vec::new() };
    let (machine, template) = (Catalog::kubevirt_machine().root(), Catalog::kubevirt_vm().root());
    match kind {
        MachineKind::Machine => {
            fields.collect_at(object, &[], Some(machine));
            fields.collect_at(object, &["spec", "template"], Some(template));
        }
        MachineKind::Instance => {
            fields.collect_at(object, &["metadata"], machine.child_field("metadata"));
            fields.collect_at(object, &["spec"], template.child_field("spec"));
        }
        MachineKind::ReplicaSet => {
            fields.collect_at(object, &["metadata"], machine.child_field("metadata"));
            fields.collect_at(object, &["spec", "template"], Some(template));
        }
        MachineKind::Pool => {
            fields.collect_at(object, &["metadata"], machine.child_field("metadata"));
            fields.collect_at(object, &["spec", "virtualMachineTemplate"], Some(machine));
            fields.collect_at(
                object,
                &["spec", "virtualMachineTemplate", "spec", "template"],
                Some(template),
            );
        }
    }
    fields
}

impl<'d> MachineFields<'d> {
    /// Collects the fields at the end of a way.
    fn collect_at(&mut self, object: Node<'d>, way: &[&str], field: Option<CatalogField<'static>>) {
        let node = way.iter().try_fold(object, |node, step| node.get(step));
        if let (Some(node), Some(field)) = (node, field) {
            let start = way.iter().fold(String::new(), |path, step| path + "." + step);
            self.collect_below(node, field, &FieldPath { before: None, step: FieldStep::Start(&start) });
        }
    }

    /// Nesting is bounded by the parser, so this may recurse.
    fn collect_below(&mut self, node: Node<'d>, field: CatalogField<'static>, path: &FieldPath<'_>) {
        let value_type = field.value_type();
        match (node.kind(), value_type) {
            (SyntaxKind::Map, ValueType::Object | ValueType::Map) => {
                for entry in node.entries() {
                    self.entry(entry.key, entry.value, field, path);
                }
            }
            (SyntaxKind::List, ValueType::List) => {
                for (index, item) in node.items().enumerate() {
                    if let Some(field) = field.item_field() {
                        let step = FieldStep::Index(index);
                        self.collect_below(item, field, &FieldPath { before: Some(path), step });
                    }
                }
            }
            (SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Alias, _) | (_, ValueType::Any) => {}
            _ if (self.select.is_wanted)(node, value_type) => {
                self.values.push(TypedValue { path: path.to_text(), node, value_type });
            }
            _ => {}
        }
    }

    fn entry(&mut self, key: Node<'d>, value: Node<'d>, field: CatalogField<'static>, path: &FieldPath<'_>) {
        if !(self.select.is_entered)(value) {
            return;
        }
        let name = key.text();
        let known =
            if field.value_type() == ValueType::Map { field.item_field() } else { field.child_field(name) };
        match known {
            Some(known) => {
                let step = FieldStep::Name(name);
                self.collect_below(value, known, &FieldPath { before: Some(path), step });
            }
            // Not an error: an open object accepts any key, and the result of a parameter or a merge key is not
            // known.
            None if field.is_open() || name.contains("${") || key.is_merge_key() => {}
            None => {
                let near = find_nearest(name, field.child_fields().map(CatalogField::name));
                self.unknown.push(UnknownEntry { path: path.to_text(), key, near });
            }
        }
    }
}

/// True for a value that no field of its type can have. What parameters make is for KV116.
pub(crate) fn is_mistyped(value: &TypedValue<'_>) -> bool {
    use ValueType::{Any, Boolean, IntOrString, Integer, List, Map, Number, Object, Quantity, String, Time};
    let node = value.node;
    let kind = node.kind();
    if node.is_templated()
        || kind == SyntaxKind::Parameter
        || matches!(kind, SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Alias)
    {
        return false;
    }
    let is_reference = kind == SyntaxKind::String && find_parameters(node.text()).next().is_some();
    let fits = match value.value_type {
        Any => true,
        Integer | Number => kind == SyntaxKind::Number,
        Boolean => matches!(kind, SyntaxKind::True | SyntaxKind::False),
        String | Time => kind == SyntaxKind::String,
        IntOrString | Quantity => matches!(kind, SyntaxKind::String | SyntaxKind::Number),
        Object | Map => kind == SyntaxKind::Map,
        List => kind == SyntaxKind::List,
    };
    !fits && !is_reference
}
