//! The server's warnings about a definition that it accepts.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::internal::Definition;
use crate::decode::{DEFINITION, unknown_fields};
use crate::node;
use crate::object::Format;

/// Unknown fields, and formats that the server does not know and that the old definition does not have.
// customresourcedefinition/strategy.go, WarningsOnCreate and WarningsOnUpdate
pub(super) fn collect_warnings(
    document: &Json,
    definition: &Definition<'_>,
    old: Option<&Definition<'_>>,
) -> Vec<String> {
    let known = old.map(unrecognized_formats).unwrap_or_default();
    let formats = unrecognized_formats(definition);
    let formats = formats.difference(&known).map(|format| format!("unrecognized format {format:?}"));
    let all: BTreeSet<String> = unknown_fields(document, DEFINITION.of).into_iter().chain(formats).collect();
    all.into_iter().collect()
}

// customresourcedefinition/strategy.go, getUnrecognizedFormatsInCRD
fn unrecognized_formats(definition: &Definition<'_>) -> BTreeSet<String> {
    let mut formats = BTreeSet::new();
    definition.schemas().for_each(|schema| collect_formats(schema, &mut formats));
    formats
}

fn collect_formats(schema: &Json, formats: &mut BTreeSet<String>) {
    let format = node::text_keyword(schema, "format");
    // An unset type counts as string here.
    let ty = match node::text_keyword(schema, "type") {
        "" => "string",
        ty => ty,
    };
    if !format.is_empty() && Format::from_name(format).is_none_or(|known| known.value_type() != ty) {
        formats.insert(format.to_owned());
    }
    for (_, below) in node::child_nodes(schema) {
        collect_formats(below, formats);
    }
}
