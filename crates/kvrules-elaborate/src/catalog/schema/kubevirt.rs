//! Adds what a definition of KubeVirt cannot express: fields that exist without being spelled out.
//!
//! KubeVirt reads objects into Go structs, in which a field that is not a pointer has its zero value where an object does not
//! spell it out. A CustomResourceDefinition knows `default` alone, and KubeVirt's have hardly any. So for KubeVirt's own
//! kinds the built-in catalog decides presence and zero values of the fields that it knows, also where a schema is given.

use kvrules_ir::{Presence, Subject};

use super::super::{Catalog, CatalogField};

/// A field above those that the catalog knows, and when it exists.
type ParentField = (&'static str, Presence);

/// Facts that are known of a field beyond its schema.
#[derive(Clone, Copy)]
pub(super) enum FieldFacts {
    /// Nothing.
    Unknown,
    /// It lies on the way to the fields of the catalog.
    Ancestor { presence: Presence, rest: &'static [ParentField], goal: CatalogField<'static> },
    /// It is a field of the catalog.
    Field { presence: Presence, field: CatalogField<'static> },
}

/// Kinds of KubeVirt that embed fields of the catalog: `kind`, path, field of the catalog. Presence on the path is
/// that of KubeVirt's Go types: optional for pointers.
const EMBEDDED: [(&str, &str, &[ParentField], &[&str]); 5] = [
    ("kubevirt.io", "VirtualMachine", &[], &[]),
    ("kubevirt.io", "VirtualMachineInstance", &[("spec", Presence::Defaulted)], &["spec"]),
    (
        "kubevirt.io",
        "VirtualMachineInstanceReplicaSet",
        &[("spec", Presence::Defaulted), ("template", Presence::Optional)],
        &[],
    ),
    (
        "kubevirt.io",
        "VirtualMachineInstancePreset",
        &[("spec", Presence::Defaulted), ("domain", Presence::Optional)],
        &["spec", "domain"],
    ),
    (
        "pool.kubevirt.io",
        "VirtualMachinePool",
        &[
            ("spec", Presence::Defaulted),
            ("virtualMachineTemplate", Presence::Optional),
            ("spec", Presence::Defaulted),
            ("template", Presence::Optional),
        ],
        &[],
    ),
];

impl FieldFacts {
    /// Returns what is known of the object at which paths of the subject start.
    pub(super) fn of(subject: &Subject) -> Self {
        let is_own = |(group, kind, ..): &&(&str, &str, &'static [ParentField], &[&str])| {
            subject.group.as_deref() == Some(*group) && subject.kind.as_deref() == Some(*kind)
        };
        let Some((_, _, way, embedded)) = EMBEDDED.iter().find(is_own) else { return Self::Unknown };
        let root = Catalog::kubevirt_vm().root();
        match embedded.iter().try_fold(root, |field, name| field.child_field(name)) {
            Some(goal) => Self::toward(Presence::Required, way, goal),
            None => Self::Unknown,
        }
    }

    fn toward(presence: Presence, rest: &'static [ParentField], goal: CatalogField<'static>) -> Self {
        if rest.is_empty() {
            Self::Field { presence, field: goal }
        } else {
            Self::Ancestor { presence, rest, goal }
        }
    }

    fn of_field(field: Option<CatalogField<'static>>) -> Self {
        field.map_or(Self::Unknown, |field| Self::Field { presence: field.presence(), field })
    }

    /// Returns what is known of a field of the object.
    pub(super) fn child_facts(self, name: &str) -> Self {
        match self {
            Self::Ancestor { rest: [(step, presence), rest @ ..], goal, .. } if *step == name => {
                Self::toward(*presence, rest, goal)
            }
            Self::Unknown | Self::Ancestor { .. } => Self::Unknown,
            Self::Field { field, .. } => Self::of_field(field.child_field(name)),
        }
    }

    /// Returns what is known of the items of a list or the values of a map.
    pub(super) fn item(self) -> Self {
        match self {
            Self::Unknown | Self::Ancestor { .. } => Self::Unknown,
            Self::Field { field, .. } => Self::of_field(field.item_field()),
        }
    }

    /// The field of the catalog.
    pub(super) fn field(self) -> Option<CatalogField<'static>> {
        if let Self::Field { field, .. } = self { Some(field) } else { None }
    }

    /// Returns when the field exists, if its schema declares `declared`.
    pub(super) fn presence(self, declared: Presence) -> Presence {
        let (Self::Ancestor { presence, .. } | Self::Field { presence, .. }) = self else { return declared };
        match (presence, declared) {
            // The server refuses what lacks a required field, and sets the defaults of a schema.
            (Presence::Defaulted | Presence::Required, Presence::Required) => Presence::Required,
            (_, Presence::Defaulted) | (Presence::Required, Presence::Optional) => Presence::Defaulted,
            (known, _) => known,
        }
    }
}
