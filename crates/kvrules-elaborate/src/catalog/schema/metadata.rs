//! The fields that every Kubernetes object has, whether its schema names them or not.

use kvrules_ir::{Presence, ValueType};

use super::super::{Catalog, CatalogNode};

/// Their names.
pub(super) const NAMES: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Adds `apiVersion`, `kind`, and `metadata` with its presence.
pub(super) fn add_metadata_fields(nodes: &mut Vec<CatalogNode>, metadata: Presence) {
    for name in ["apiVersion", "kind"] {
        nodes.push(string_node(name, nodes.len() + 1));
    }
    // Metadata is the same in every object, so copy that of virtual machines.
    if let Some(known) = Catalog::kubevirt_vm().root().child_field("metadata") {
        known.copy_into(nodes, metadata);
    }
}

fn string_node(name: &str, past: usize) -> CatalogNode {
    CatalogNode {
        name: name.to_owned(),
        value_type: ValueType::String,
        presence: Presence::Required,
        default: None,
        open: false,
        past,
    }
}
