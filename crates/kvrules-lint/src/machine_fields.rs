//! The fields of the VirtualMachine in a template, each with the type that the catalog gives it.

use std::fmt::Write as _;

use kvrules_elaborate::catalog::{Catalog, CatalogField};
use kvrules_ir::ValueType;
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

/// The texts among the metadata of a VirtualMachine, and its fields that are not texts outside of `.spec.template`.
const OUTSIDE: [(&[&str], ValueType); 3] = [
    (&["metadata", "name"], ValueType::String),
    (&["spec", "running"], ValueType::Boolean),
    (&["spec", "runStrategy"], ValueType::String),
];

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

/// The unknown keys of a VirtualMachine, and the wanted ones among its values whose fields the catalog knows.
pub(crate) fn machine_fields(machine: Node<'_>, select: FieldSelection) -> MachineFields<'_> {
    let is_wanted = select.is_wanted;
    let mut fields = MachineFields { select, values: Vec::new(), unknown: Vec::new() };
    for (way, value_type) in OUTSIDE {
        let node = way.iter().try_fold(machine, |node, step| node.get(step));
        if let Some(node) = node.filter(|node| is_wanted(*node, value_type)) {
            let path = way.iter().fold(String::new(), |path, step| path + "." + step);
            fields.values.push(TypedValue { path, node, value_type });
        }
    }
    for map in ["labels", "annotations"] {
        let entries = machine.get("metadata").and_then(|metadata| metadata.get(map));
        for entry in entries
            .into_iter()
            .flat_map(Node::entries)
            .filter(|entry| is_wanted(entry.value, ValueType::String))
        {
            let path = format!(".metadata.{map}.{}", entry.key.text());
            fields.values.push(TypedValue { path, node: entry.value, value_type: ValueType::String });
        }
    }
    if let Some(template) = machine.get("spec").and_then(|spec| spec.get("template")) {
        let path = FieldPath { before: None, step: FieldStep::Start(".spec.template") };
        fields.collect_below(template, Catalog::kubevirt_vm().root(), &path);
    }
    fields
}

impl<'d> MachineFields<'d> {
    /// Nesting is bounded by the parser, so this may recurse.
    fn collect_below(&mut self, node: Node<'d>, field: CatalogField<'_>, path: &FieldPath<'_>) {
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

    fn entry(&mut self, key: Node<'d>, value: Node<'d>, field: CatalogField<'_>, path: &FieldPath<'_>) {
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
            None => self.unknown.push(UnknownEntry { path: path.to_text(), key }),
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
