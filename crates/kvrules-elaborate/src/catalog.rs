//! Fields of a subject, with their types and presence.

mod field_facts;
mod read;
mod schema;
mod structural;

use std::sync::LazyLock;

use kvrules_diagnostics::SourceFile;
use kvrules_ir::{Presence, Scalar, ValueType};

pub use field_facts::{DeprecationState, FieldDeprecation, find_deprecation, measures_memory};
pub use kvrules_ir::Subject;
pub use schema::{DeclaredSchema, SchemaProblem, declared_schemas};
pub use structural::{StructuralDetail, virtual_machine_schema};

/// The fields of one kind of object.
#[derive(Clone, Debug)]
pub struct Catalog {
    subject: Subject,
    /// In the order of the file; the children of a field follow it directly.
    nodes: Vec<CatalogNode>,
}

#[derive(Clone, Debug)]
struct CatalogNode {
    name: String,
    value_type: ValueType,
    presence: Presence,
    default: Option<Scalar>,
    /// True if an object may have more fields than those below.
    open: bool,
    /// Index just past the last field below this one.
    past: usize,
}

/// One field of a catalog.
#[derive(Clone, Copy, Debug)]
pub struct CatalogField<'c> {
    catalog: &'c Catalog,
    index: usize,
}

impl Catalog {
    /// The fields below `.spec.template` of a KubeVirt VirtualMachine.
    pub fn kubevirt_vm() -> &'static Self {
        static CATALOG: LazyLock<Catalog> =
            LazyLock::new(|| read::parse_catalog(include_str!("catalog/kubevirt-vm.txt")));
        &CATALOG
    }

    /// The fields of a KubeVirt VirtualMachine outside of `.spec.template`, whose paths start at the VirtualMachine. Those of its
    /// `dataVolumeTemplates` are the fields of CDI's DataVolume that the definition of VirtualMachine has.
    pub fn kubevirt_machine() -> &'static Self {
        static CATALOG: LazyLock<Catalog> =
            LazyLock::new(|| read::parse_catalog(include_str!("catalog/kubevirt-machine.txt")));
        &CATALOG
    }

    /// The fields that a schema file gives an object: a CustomResourceDefinition, an OpenAPI document, or a schema by
    /// itself, whichever the file turns out to be.
    ///
    /// `choice` selects one of several: a version, a kind, `KIND/VERSION`, or the name of a schema.
    ///
    /// ```
    /// use kvrules_diagnostics::{FileId, SourceFile};
    /// use kvrules_elaborate::catalog::Catalog;
    ///
    /// let text = "type: object\nproperties:\n  size: {type: integer, default: 3}\n";
    /// let catalog = Catalog::from_schema(&SourceFile::new(FileId(0), "box.yaml", text), None).unwrap();
    /// assert!(catalog.root().child_field("size").is_some() && catalog.root_steps().is_empty());
    /// ```
    pub fn from_schema(file: &SourceFile, choice: Option<&str>) -> Result<Self, Vec<SchemaProblem>> {
        schema::read_catalog(file, choice)
    }

    /// Returns the subject of the fields.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The kind of the objects, as in `VirtualMachine`; none if the schema does not say.
    pub fn kind(&self) -> Option<&str> {
        self.subject.kind.as_deref()
    }

    /// The way from the object's root to where paths start: `spec`, `template` in a VirtualMachine.
    pub fn root_steps(&self) -> &'static [&'static str] {
        self.subject.root_steps()
    }

    /// The object that all fields are below: what is where paths start.
    pub fn root(&self) -> CatalogField<'_> {
        CatalogField { catalog: self, index: 0 }
    }
}

impl<'c> CatalogField<'c> {
    fn node(self) -> Option<&'c CatalogNode> {
        self.catalog.nodes.get(self.index)
    }

    /// Adds the field with this presence, and all below it.
    fn copy_into(self, nodes: &mut Vec<CatalogNode>, presence: Presence) {
        let past = self.node().map_or(self.index, |node| node.past);
        let base = nodes.len();
        let own = self.catalog.nodes.get(self.index..past).unwrap_or_default().iter().cloned();
        nodes.extend(own.map(|node| CatalogNode { past: node.past - self.index + base, ..node }));
        if let Some(node) = nodes.get_mut(base) {
            node.presence = presence;
        }
    }

    /// The name; `*` for the items of a list and the values of a map.
    pub fn name(self) -> &'c str {
        self.node().map_or("", |node| &node.name)
    }

    /// The type of the value.
    pub fn value_type(self) -> ValueType {
        self.node().map_or(ValueType::Any, |node| node.value_type)
    }

    /// Returns when the field exists.
    pub fn presence(self) -> Presence {
        self.node().map_or(Presence::Optional, |node| node.presence)
    }

    /// The value where the object does not spell it out, if it is not the type's zero value.
    pub fn default_value(self) -> Option<&'c Scalar> {
        self.node().and_then(|node| node.default.as_ref())
    }

    /// True if an object may have fields that are unknown to the catalog. They are of any type.
    pub fn is_open(self) -> bool {
        self.node().is_some_and(|node| node.open)
    }

    /// The fields directly below.
    pub fn child_fields(self) -> impl Iterator<Item = CatalogField<'c>> {
        let past = self.node().map_or(0, |node| node.past);
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            let found = CatalogField { catalog: self.catalog, index: next };
            next = found.node().filter(|_| next < past)?.past;
            Some(found)
        })
    }

    /// The field of an object with this name.
    pub fn child_field(self, name: &str) -> Option<CatalogField<'c>> {
        if self.value_type() != ValueType::Object {
            return None;
        }
        self.child_fields().find(|field| field.name() == name)
    }

    /// The items of a list, or the values of a map.
    pub fn item_field(self) -> Option<CatalogField<'c>> {
        if !matches!(self.value_type(), ValueType::List | ValueType::Map) {
            return None;
        }
        self.child_fields().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> CatalogField<'static> {
        path.split('.').fold(Catalog::kubevirt_vm().root(), |field, name| match name {
            "*" => field.item_field().unwrap(),
            name => field.child_field(name).unwrap_or_else(|| panic!("{path}: {name}")),
        })
    }

    #[test]
    fn fields_are_found_with_type_presence_and_default() {
        let cores = at("spec.domain.cpu.cores");
        assert_eq!((cores.value_type(), cores.presence()), (ValueType::Integer, Presence::Defaulted));
        assert_eq!(cores.default_value(), Some(&Scalar::Integer(1.into())));
        assert_eq!(at("spec.domain.cpu").presence(), Presence::Optional);
        assert_eq!(at("spec.domain").presence(), Presence::Required);
        assert_eq!(at("spec.domain.devices.disks.*.disk.bus").value_type(), ValueType::String);
        assert_eq!(at("spec.domain.resources.requests.*").value_type(), ValueType::Quantity);
        assert!(at("spec.domain").child_field("unknown").is_none());
    }
}
