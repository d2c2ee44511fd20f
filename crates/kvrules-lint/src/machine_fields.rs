//! The fields of the VirtualMachine in a template, each with the type that the catalog gives it.

use kvrules_elaborate::catalog::{Catalog, CatalogField};
use kvrules_ir::ValueType;
use kvrules_syntax::{Node, SyntaxKind};

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
#[derive(Default)]
pub(crate) struct MachineFields<'d> {
    pub(crate) values: Vec<TypedValue<'d>>,
    pub(crate) unknown: Vec<UnknownEntry<'d>>,
}

/// The texts among the metadata of a VirtualMachine, and its fields that are not texts outside of `.spec.template`.
const OUTSIDE: [(&[&str], ValueType); 3] = [
    (&["metadata", "name"], ValueType::String),
    (&["spec", "running"], ValueType::Boolean),
    (&["spec", "runStrategy"], ValueType::String),
];

/// The values and keys of a VirtualMachine whose fields the catalog knows.
pub(crate) fn machine_fields(machine: Node<'_>) -> MachineFields<'_> {
    let mut fields = MachineFields::default();
    for (way, value_type) in OUTSIDE {
        if let Some(node) = way.iter().try_fold(machine, |node, step| node.get(step)) {
            let path = way.iter().fold(String::new(), |path, step| path + "." + step);
            fields.values.push(TypedValue { path, node, value_type });
        }
    }
    for map in ["labels", "annotations"] {
        let entries = machine.get("metadata").and_then(|metadata| metadata.get(map));
        for entry in entries.into_iter().flat_map(Node::entries) {
            let path = format!(".metadata.{map}.{}", entry.key.text());
            fields.values.push(TypedValue { path, node: entry.value, value_type: ValueType::String });
        }
    }
    if let Some(template) = machine.get("spec").and_then(|spec| spec.get("template")) {
        fields.collect_below(template, Catalog::kubevirt_vm().root(), ".spec.template");
    }
    fields
}

impl<'d> MachineFields<'d> {
    /// Nesting is bounded by the parser, so this may recurse.
    fn collect_below(&mut self, node: Node<'d>, field: CatalogField<'_>, path: &str) {
        let value_type = field.value_type();
        match (node.kind(), value_type) {
            (SyntaxKind::Map, ValueType::Object | ValueType::Map) => {
                for entry in node.entries() {
                    self.entry(node, entry.key, entry.value, field, path);
                }
            }
            (SyntaxKind::List, ValueType::List) => {
                for (index, item) in node.items().enumerate() {
                    if let Some(field) = field.item_field() {
                        self.collect_below(item, field, &format!("{path}[{index}]"));
                    }
                }
            }
            (SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Alias, _) | (_, ValueType::Any) => {}
            _ => self.values.push(TypedValue { path: path.to_owned(), node, value_type }),
        }
    }

    fn entry(&mut self, map: Node<'d>, key: Node<'d>, value: Node<'d>, field: CatalogField<'_>, path: &str) {
        let name = key.text();
        let known =
            if field.value_type() == ValueType::Map { field.item_field() } else { field.child_field(name) };
        match known {
            Some(known) => self.collect_below(value, known, &format!("{path}.{name}")),
            // Not an error: an open object accepts any key, and the result of a parameter or a merge key is not
            // known.
            None if field.is_open() || name.contains("${") || (map.has_merges() && name == "<<") => {}
            None => self.unknown.push(UnknownEntry { path: path.to_owned(), key }),
        }
    }
}
