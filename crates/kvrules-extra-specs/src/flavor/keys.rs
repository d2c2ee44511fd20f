//! Keys by which flavors and images are recognized, and what is reported about others.

use kvrules_diagnostics::Span;
use kvrules_syntax::{Node, SyntaxKind};

use super::{Flavors, pairs};
use crate::check::is_evident_property;
use crate::lints::FLAVOR_SHAPE;

/// Help that lists the supported documents.
pub(super) const HELP: &str = "give a list of flavors as `openstack flavor list --long -f json` prints it, `extra_specs`, or keys and values";

/// Namespaces of Nova's extra specs.
const NAMESPACES: [&str; 12] = [
    "hw:",
    "hw_rng:",
    "hw_video:",
    "os:",
    "quota:",
    "trait:",
    "trait_",
    "resources:",
    "pci_passthrough:",
    "accel:",
    "aggregate_instance_extra_specs:",
    "capabilities:",
];

/// True if a key is in a namespace of Nova's.
pub(super) fn is_namespaced(key: &str) -> bool {
    NAMESPACES.iter().any(|namespace| key.starts_with(namespace))
}

/// Returns the name of a flavor or an image.
pub(super) fn name_of(node: Node<'_>) -> Option<String> {
    ["name", "Name"].iter().find_map(|key| node.get(key)).map(|name| name.text().to_owned())
}

/// True for properties of an image, of which Nova knows one at least.
pub(super) fn has_image_properties(properties: Node<'_>) -> bool {
    match properties.kind() {
        SyntaxKind::Map => properties
            .entries()
            .any(|entry| !entry.value.is_container() && is_evident_property(entry.key.text())),
        SyntaxKind::String => pairs::parse_properties(properties)
            .is_some_and(|pairs| pairs.iter().any(|pair| is_evident_property(&pair.key))),
        _ => false,
    }
}

pub(super) fn add_malformed(found: &mut Flavors, span: Span, message: &str, help: &str) {
    found.misshapen.push(FLAVOR_SHAPE.diagnostic_at(span, message).with_help(help));
}
