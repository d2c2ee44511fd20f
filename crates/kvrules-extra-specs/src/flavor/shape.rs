//! Detection of the shape of a document of flavors.

use kvrules_diagnostics::Span;
use kvrules_syntax::{Node, SyntaxKind};

use super::{Flavor, FlavorSpec, Flavors, pairs};
use crate::lints::FLAVOR_SHAPE;
use crate::python::PyValue;

/// Help that lists the supported documents.
pub(super) const HELP: &str = "give a list of flavors as `openstack flavor list --long -f json` prints it, `extra_specs`, or keys and values";

/// The keys under which a flavor has its extra specs.
// `extra_specs` of Nova's API; `properties` and `Properties` of the client's columns.
const SPECS: [&str; 3] = ["extra_specs", "properties", "Properties"];

/// Reads a document.
pub(super) fn read_flavor_document(root: Node<'_>, found: &mut Flavors) {
    match root.kind() {
        SyntaxKind::Null | SyntaxKind::Hole => {}
        SyntaxKind::List => root.items().for_each(|item| read_flavor(item, found)),
        SyntaxKind::Map => {
            // The bodies of `GET /flavors/detail` and `GET /flavors/{id}`.
            if let Some(list) = root.get("flavors").filter(|node| node.is_list()) {
                list.items().for_each(|item| read_flavor(item, found));
            } else if let Some(one) = root.get("flavor").filter(|node| node.is_map()) {
                read_flavor(one, found);
            } else {
                read_flavor(root, found);
            }
        }
        _ => add_malformed(found, root.span(), "no flavors or extra specs found", HELP),
    }
}

/// True if a document holds flavors beyond doubt: in one of the shapes that tools print, or as keys of Nova's alone.
pub fn is_flavors(root: Node<'_>) -> bool {
    let has_specs = |node: Node<'_>| SPECS.iter().any(|key| node.get(key).is_some());
    let is_one =
        |node: Node<'_>| node.is_map() && (is_flavor(node) && has_specs(node) || has_named_properties(node));
    let within = |key: &str| root.get(key);
    let mut keys = root.entries().map(|entry| entry.key.text()).peekable();
    let is_alone = root.is_map()
        && keys.peek().is_some()
        && keys.all(|key| NAMESPACES.iter().any(|namespace| key.starts_with(namespace)));
    let only_specs = root.entries().count() == 1 && within("extra_specs").is_some_and(Node::is_map);
    is_alone
        || only_specs
        || is_one(root)
        || (root.is_list() && root.items().next().is_some() && root.items().all(is_one))
        || within("flavor").is_some_and(|one| is_flavor(one) || has_specs(one))
        || within("flavors").is_some_and(|list| list.items().any(|one| is_flavor(one) || has_specs(one)))
}

/// True if an object has the columns `Name` and `Properties` of the client, with extra specs in them.
fn has_named_properties(node: Node<'_>) -> bool {
    let is_specs = |specs: Node<'_>| match specs.kind() {
        SyntaxKind::Map => specs.entries().all(|entry| entry.key.text().contains(':')),
        SyntaxKind::String => pairs::parse_properties(specs).is_some_and(|pairs| !pairs.is_empty()),
        _ => false,
    };
    node.get("Name").is_some() && node.get("Properties").is_some_and(is_specs)
}

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

/// A flavor, or keys and values alone.
fn read_flavor(node: Node<'_>, found: &mut Flavors) {
    if !node.is_map() {
        add_malformed(found, node.span(), "a flavor must be an object", HELP);
        return;
    }
    let name = ["name", "Name"].iter().find_map(|key| node.get(key)).map(|name| name.text().to_owned());
    let specs = match SPECS.iter().find_map(|key| node.get(key)) {
        Some(specs) => of_flavor(specs, found),
        None if is_flavor(node) => Vec::new(),
        None => read_object(node, found),
    };
    found.flavors.push(Flavor { name, specs });
}

/// True if an object is a flavor without extra specs.
// At least two keys, because an object of any kind may have an `id`.
fn is_flavor(node: Node<'_>) -> bool {
    ["id", "ID", "ram", "RAM", "vcpus", "VCPUs"].iter().filter(|key| node.get(key).is_some()).count() > 1
}

fn of_flavor(specs: Node<'_>, found: &mut Flavors) -> Vec<FlavorSpec> {
    match specs.kind() {
        SyntaxKind::Map => read_object(specs, found),
        SyntaxKind::Null => Vec::new(),
        // A client that formats with osc-lib utils, format_dict gives a text and not an object.
        SyntaxKind::String => pairs::parse_properties(specs).unwrap_or_else(|| {
            let help = "write `key='value', key='value'`, or an object";
            add_malformed(found, specs.span(), "ambiguous properties", help);
            Vec::new()
        }),
        _ => {
            add_malformed(found, specs.span(), "extra specs must be an object of keys and values", HELP);
            Vec::new()
        }
    }
}

fn read_object(node: Node<'_>, found: &mut Flavors) -> Vec<FlavorSpec> {
    let mut specs = Vec::new();
    for entry in node.entries() {
        let (key, value) = (entry.key.text(), entry.value);
        // Nova's schema takes strings and numbers; a boolean or `null` is refused (schemas/flavors_extraspecs.py, _metadata).
        if let Some(plain @ (PyValue::Str(_) | PyValue::Int(_) | PyValue::Float(_))) =
            PyValue::from_json(value)
        {
            specs.push(FlavorSpec {
                key: key.to_owned(),
                value: plain.to_str(),
                key_span: entry.key.span(),
                value_span: value.span(),
            });
            continue;
        }
        let message = format!("the value of `{key}` is neither a string nor a number");
        let help = match value.kind() {
            SyntaxKind::True | SyntaxKind::False => {
                format!("put it in quotation marks: `\"{}\"`", value.text())
            }
            _ => "use a string or a number: Nova's API accepts no others".to_owned(),
        };
        add_malformed(found, value.span(), &message, &help);
    }
    specs
}

pub(super) fn add_malformed(found: &mut Flavors, span: Span, message: &str, help: &str) {
    found.misshapen.push(FLAVOR_SHAPE.diagnostic_at(span, message).with_help(help));
}
