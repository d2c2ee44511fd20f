//! Detection of the shape of a document of flavors or images.

use kvrules_syntax::{Node, SyntaxKind};

use super::holders::{add_held, has_held};
use super::keys::{HELP, add_malformed, has_image_properties, is_namespaced, name_of};
use super::specs::{read_object, read_properties, read_specs};
use super::value::Tool;
use super::{Flavor, Flavors, Image, pairs};
use crate::check::{is_evident_property, may_be_property};

/// The keys under which a flavor has its extra specs.
// `extra_specs` of Nova's API; `properties` and `Properties` of the client's columns.
const SPECS: [&str; 3] = ["extra_specs", "properties", "Properties"];

/// Reads a document.
pub(super) fn read_flavor_document(root: Node<'_>, found: &mut Flavors) {
    if has_api_flavors(root) {
        return read_api_flavors(root, found);
    }
    if has_api_images(root) {
        return api_images(root).for_each(|image| found.images.push(read_image(image)));
    }
    add_held(root, found);
    if found.flavors.is_empty() && found.images.is_empty() && found.misshapen.is_empty() {
        read_api_flavors(root, found);
    }
}

/// True if a document holds flavors or images beyond doubt: in one of the shapes that tools print or read, or as keys of
/// Nova's alone.
pub fn is_flavors(root: Node<'_>) -> bool {
    has_api_flavors(root) || has_api_images(root) || has_held(root)
}

/// True for what Nova's API and its clients print or take.
fn has_api_flavors(root: Node<'_>) -> bool {
    let is_one = |node: Node<'_>| {
        node.is_map()
            && (is_flavor(node) && SPECS.iter().any(|key| node.get(key).is_some())
                || is_sized(node)
                || has_named_properties(node))
    };
    let is_within = |node: Node<'_>| is_flavor(node) || is_one(node) || is_reference(node);
    let within = |key: &str| root.get(key);
    let only_specs = root.entries().count() == 1 && within("extra_specs").is_some_and(Node::is_map);
    is_specs_alone(root)
        || only_specs
        || is_one(root)
        || (root.is_list() && root.items().next().is_some() && root.items().all(is_one))
        || within("flavor").is_some_and(|one| is_within(one) || one.get("extra_specs").is_some())
        || within("flavors").is_some_and(|list| list.is_list() && list.items().any(is_within))
}

/// True for an object with keys of Nova's namespaces alone.
fn is_specs_alone(root: Node<'_>) -> bool {
    let mut keys = root.entries().map(|entry| entry.key.text()).peekable();
    keys.peek().is_some() && keys.all(is_namespaced)
}

/// True if an object has the columns `Name` and `Properties` of the client, with extra specs in them.
fn has_named_properties(node: Node<'_>) -> bool {
    let is_specs = |specs: Node<'_>| match specs.kind() {
        SyntaxKind::Map => specs.entries().all(|entry| entry.key.text().contains(':')),
        SyntaxKind::String => pairs::parse_properties(specs).is_some_and(|pairs| {
            !pairs.is_empty() && !pairs.iter().any(|pair| is_evident_property(&pair.key))
        }),
        _ => false,
    };
    node.get("Name").is_some() && node.get("Properties").is_some_and(is_specs)
}

/// Reads flavors in one of the forms of the API and its clients, or keys and values alone.
fn read_api_flavors(root: Node<'_>, found: &mut Flavors) {
    match root.kind() {
        SyntaxKind::Null | SyntaxKind::Hole => {}
        SyntaxKind::List => root.items().for_each(|item| read_flavor(item, found)),
        SyntaxKind::Map => {
            // The bodies of `GET /flavors`, `GET /flavors/detail` and `GET /flavors/{id}`.
            if let Some(list) = root.get("flavors").filter(|node| node.is_list()) {
                list.items().for_each(|item| read_flavor(item, found));
            } else if let Some(one) = root.get("flavor").filter(|node| node.is_map()) {
                read_flavor(one, found);
            } else if SPECS.iter().any(|key| root.get(key).is_some()) || is_flavor(root) {
                read_flavor(root, found);
            } else if root.entries().any(|entry| entry.key.text().contains(':'))
                || root.entries().all(|entry| !entry.value.is_container())
            {
                let specs = read_object(root, Tool::Api, found);
                found.flavors.push(Flavor { name: None, specs });
            } else {
                add_malformed(found, root.span(), "no flavors or extra specs found", HELP);
            }
        }
        _ => add_malformed(found, root.span(), "no flavors or extra specs found", HELP),
    }
}

/// A flavor, or keys and values alone.
fn read_flavor(node: Node<'_>, found: &mut Flavors) {
    if !node.is_map() {
        add_malformed(found, node.span(), "a flavor must be an object", HELP);
        return;
    }
    let specs = match SPECS.iter().find_map(|key| node.get(key)) {
        Some(specs) => read_specs(specs, Tool::Api, found),
        None if is_flavor(node) || is_reference(node) || is_row(node) => Vec::new(),
        None if node.entries().any(|entry| entry.value.is_container())
            && !node.entries().any(|entry| entry.key.text().contains(':')) =>
        {
            return add_malformed(found, node.span(), "no flavors or extra specs found", HELP);
        }
        None => read_object(node, Tool::Api, found),
    };
    found.flavors.push(Flavor { name: name_of(node), specs });
}

/// True if an object is a flavor without extra specs.
// At least two keys, because an object of any kind may have an `id`.
fn is_flavor(node: Node<'_>) -> bool {
    ["id", "ID", "ram", "RAM", "vcpus", "VCPUs"].iter().filter(|key| node.get(key).is_some()).count() > 1
}

/// True if an object has the memory and the processors of a flavor, which no other object of OpenStack has with a name.
fn is_sized(node: Node<'_>) -> bool {
    let has =
        |keys: [&str; 2]| keys.iter().any(|key| node.get(key).is_some_and(|value| !value.is_container()));
    has(["ram", "RAM"]) && has(["vcpus", "VCPUs"]) && has(["name", "Name"])
}

/// True for a flavor as `GET /flavors` lists it.
fn is_reference(node: Node<'_>) -> bool {
    ["id", "name", "links"].iter().all(|key| node.get(key).is_some())
}

/// True for columns that a user selects, the name or the ID among them.
fn is_row(node: Node<'_>) -> bool {
    ["id", "ID", "name", "Name"].iter().any(|key| node.get(key).is_some())
        && node.entries().all(|entry| !entry.value.is_container() && !is_namespaced(entry.key.text()))
}

/// True for what Glance's API and its clients print or take.
fn has_api_images(root: Node<'_>) -> bool {
    let mut images = api_images(root).peekable();
    images.peek().is_some() && images.all(is_image)
}

fn api_images(root: Node<'_>) -> Box<dyn Iterator<Item = Node<'_>> + '_> {
    match (root.get("images").filter(|images| images.is_list()), root.get("image")) {
        _ if root.is_list() => Box::new(root.items()),
        (Some(images), _) => Box::new(images.items()),
        (None, Some(image)) if image.is_map() => Box::new(std::iter::once(image)),
        _ => Box::new(std::iter::once(root)),
    }
}

/// True if an object is an image with properties that Nova reads.
fn is_image(node: Node<'_>) -> bool {
    let is_stored =
        ["disk_format", "container_format", "Disk Format"].iter().any(|key| node.get(key).is_some());
    let has_plain = |node: Node<'_>| {
        node.entries().any(|entry| !entry.value.is_container() && is_evident_property(entry.key.text()))
    };
    let within = ["properties", "Properties"].iter().find_map(|key| node.get(key));
    let is_named = node.get("name").or_else(|| node.get("Name")).is_some_and(|name| !name.is_container());
    node.is_map()
        && !is_sized(node)
        && (is_stored && has_plain(node) || is_named && within.is_some_and(has_image_properties))
}

/// Reads an image: of what Glance has itself, such as `disk_format`, nothing is a property of Nova's.
fn read_image(node: Node<'_>) -> Image {
    let within = ["properties", "Properties"].iter().find_map(|key| node.get(key));
    let mut properties = within.map(|within| read_properties(within, Tool::Api)).unwrap_or_default();
    let own = read_properties(node, Tool::Api).into_iter();
    // Version 2 of the API has the properties next to the fields of the image.
    properties.extend(own.filter(|property| may_be_property(&property.key)));
    Image { name: name_of(node), properties }
}
