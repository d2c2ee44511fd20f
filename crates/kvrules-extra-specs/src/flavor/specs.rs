//! Keys and values of a flavor or an image, in each form that tools write.

use kvrules_diagnostics::{Level, Span};
use kvrules_syntax::{Node, SyntaxKind};

use super::keys::{HELP, add_malformed};
use super::value::{SpecValue, Tool};
use super::{FlavorSpec, Flavors, pairs};
use crate::lints::FLAVOR_SHAPE;
use crate::python::PyValue;

/// Reads the extra specs of a flavor.
pub(super) fn read_specs(specs: Node<'_>, tool: Tool, found: &mut Flavors) -> Vec<FlavorSpec> {
    match specs.kind() {
        _ if tool.is_computed(specs) => {
            note_computed(specs.span(), "the extra specs are computed, so they are not checked", found);
            Vec::new()
        }
        SyntaxKind::Map => read_object(specs, tool, found),
        SyntaxKind::Null => Vec::new(),
        SyntaxKind::List => read_list(specs, tool, found),
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

/// Reads an object of keys and values.
pub(super) fn read_object(node: Node<'_>, tool: Tool, found: &mut Flavors) -> Vec<FlavorSpec> {
    let entries = node.entries_with_merged().filter(|entry| !tool.is_computed(entry.key));
    entries.filter_map(|entry| read_pair(entry.key, entry.value, tool, found)).collect()
}

/// Reads properties of an image, which are strings, numbers and booleans.
pub(super) fn read_properties(node: Node<'_>, tool: Tool) -> Vec<FlavorSpec> {
    let property = |key: Node<'_>, value: Node<'_>| {
        let is_plain = matches!(value.kind(), SyntaxKind::True | SyntaxKind::False);
        let text = match tool.read_value(key.text(), value) {
            SpecValue::Known(text) => text,
            // openstacksdk _proxy.py of images, _make_v2_image_params: each value becomes a string.
            SpecValue::Wrong(..) if is_plain => value.text().to_owned(),
            SpecValue::Wrong(..) | SpecValue::Computed => return None,
        };
        Some(FlavorSpec { value: text, ..pair_at(key, value) })
    };
    if node.as_str().is_some() {
        return pairs::parse_properties(node).unwrap_or_default();
    }
    node.entries_with_merged().filter_map(|entry| property(entry.key, entry.value)).collect()
}

/// Reads a list of pairs: `{name: …, value: …}`, `{key: …, value: …}` or `key=value`.
fn read_list(list: Node<'_>, tool: Tool, found: &mut Flavors) -> Vec<FlavorSpec> {
    let mut specs = Vec::new();
    for item in list.items() {
        let key = item.get("name").or_else(|| item.get("key"));
        if let (Some(key), Some(value)) = (key, item.get("value")) {
            specs.extend(read_pair(key, value, tool, found));
        } else if let Some((key, value)) = item.as_str().and_then(|text| text.split_once('=')) {
            let start = key.len() + 1;
            specs.push(FlavorSpec {
                key: key.to_owned(),
                value: value.to_owned(),
                key_span: item.span_of(0..key.len()),
                value_span: item.span_of(start..start + value.len()),
            });
        } else if !tool.is_computed(item) {
            add_malformed(found, item.span(), "an extra spec must have a name and a value", HELP);
        }
    }
    specs
}

fn read_pair(key: Node<'_>, value: Node<'_>, tool: Tool, found: &mut Flavors) -> Option<FlavorSpec> {
    match tool.read_value(key.text(), value) {
        SpecValue::Known(text) => return Some(FlavorSpec { value: text, ..pair_at(key, value) }),
        SpecValue::Computed => {
            let message = format!("the value of `{}` is computed, so it is not checked", key.text());
            note_computed(value.span(), &message, found);
        }
        SpecValue::Wrong(message, help) => add_malformed(found, value.span(), &message, &help),
    }
    None
}

fn pair_at(key: Node<'_>, value: Node<'_>) -> FlavorSpec {
    FlavorSpec {
        key: key.text().to_owned(),
        value: PyValue::from_json(value).map(|value| value.to_str()).unwrap_or_default(),
        key_span: key.span(),
        value_span: value.span(),
    }
}

fn note_computed(span: Span, message: &str, found: &mut Flavors) {
    let mut note = FLAVOR_SHAPE.diagnostic_at(span, message);
    note.level = Level::Info;
    found.misshapen.push(note);
}
