//! Which shape a document of flavors has.

use kvrules_diagnostics::Span;
use kvrules_syntax::{Kind, Node};

use super::{Flavor, Flavors, Misshapen, Spec, pairs};
use crate::python::PyValue;

/// What a document may be.
pub(super) const HELP: &str = "give a list of flavors as `openstack flavor list --long -f json` prints it, `extra_specs`, or keys and values";

/// The keys under which a flavor has its extra specs.
const SPECS: [&str; 3] = ["extra_specs", "properties", "Properties"];

/// Reads a document.
pub(super) fn read(root: Node<'_>, found: &mut Flavors) {
    match root.kind() {
        Kind::Null | Kind::Hole => {}
        Kind::List => root.items().for_each(|item| flavor(item, found)),
        Kind::Map => {
            if let Some(list) = root.get("flavors").filter(|node| node.is_list()) {
                list.items().for_each(|item| flavor(item, found));
            } else if let Some(one) = root.get("flavor").filter(|node| node.is_map()) {
                flavor(one, found);
            } else {
                flavor(root, found);
            }
        }
        _ => misshapen(found, root.span(), "there are no flavors and no extra specs here", HELP),
    }
}

/// A flavor, or keys and values alone.
fn flavor(node: Node<'_>, found: &mut Flavors) {
    if !node.is_map() {
        misshapen(found, node.span(), "a flavor must be an object", HELP);
        return;
    }
    let name = ["name", "Name"].iter().find_map(|key| node.get(key)).map(|name| name.text().to_owned());
    let specs = match SPECS.iter().find_map(|key| node.get(key)) {
        Some(specs) => of_flavor(specs, found),
        None if is_flavor(node) => Vec::new(),
        None => object(node, found),
    };
    found.flavors.push(Flavor { name, specs });
}

/// Whether an object is a flavor that says nothing of extra specs.
fn is_flavor(node: Node<'_>) -> bool {
    ["id", "ID", "ram", "RAM", "vcpus", "VCPUs"].iter().filter(|key| node.get(key).is_some()).count() > 1
}

fn of_flavor(specs: Node<'_>, found: &mut Flavors) -> Vec<Spec> {
    match specs.kind() {
        Kind::Map => object(specs, found),
        Kind::Null => Vec::new(),
        Kind::String => pairs::properties(specs).unwrap_or_else(|| {
            let help = "write `key='value', key='value'`, or an object";
            misshapen(found, specs.span(), "these properties cannot be told apart", help);
            Vec::new()
        }),
        _ => {
            misshapen(found, specs.span(), "extra specs must be an object of keys and values", HELP);
            Vec::new()
        }
    }
}

fn object(node: Node<'_>, found: &mut Flavors) -> Vec<Spec> {
    let mut specs = Vec::new();
    for entry in node.entries() {
        let (key, value) = (entry.key.text(), entry.value);
        if let Some(plain @ (PyValue::Str(_) | PyValue::Int(_) | PyValue::Float(_))) = PyValue::of(value) {
            specs.push(Spec {
                key: key.to_owned(),
                value: plain.text(),
                key_span: entry.key.span(),
                value_span: value.span(),
            });
            continue;
        }
        let message = format!("the value of `{key}` is neither a text nor a number");
        let help = match value.kind() {
            Kind::True | Kind::False => format!("put it in quotation marks: `\"{}\"`", value.text()),
            _ => "Nova's API takes texts and numbers alone".to_owned(),
        };
        misshapen(found, value.span(), &message, &help);
    }
    specs
}

fn misshapen(found: &mut Flavors, span: Span, message: &str, help: &str) {
    found.misshapen.push(Misshapen { span, message: message.to_owned(), help: Some(help.to_owned()) });
}
