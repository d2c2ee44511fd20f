//! The server's warnings about a definition that it accepts.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::internal::Definition;
use crate::decode::{DEFINITION, unknown_fields};
use crate::node;
use crate::object::Format;
use crate::server::{FormatWarnings, ServerFeatures};

/// Unknown fields, and formats that the server does not know and that the old definition does not have.
// customresourcedefinition/strategy.go, WarningsOnCreate and WarningsOnUpdate
pub(super) fn collect_warnings(
    document: &Json,
    definition: &Definition<'_>,
    old: Option<&Definition<'_>>,
    server: &ServerFeatures,
) -> Vec<String> {
    let known = old.map(|old| unrecognized_formats(old, server)).unwrap_or_default();
    let formats = unrecognized_formats(definition, server);
    let formats = formats.difference(&known).map(|format| format!("unrecognized format {format:?}"));
    let all: BTreeSet<String> = unknown_fields(document, DEFINITION.of).into_iter().chain(formats).collect();
    all.into_iter().collect()
}

// customresourcedefinition/strategy.go, getUnrecognizedFormatsInCRD
fn unrecognized_formats(definition: &Definition<'_>, server: &ServerFeatures) -> BTreeSet<String> {
    let mut formats = BTreeSet::new();
    if server.definitions.format_warnings != FormatWarnings::None {
        definition.schemas().for_each(|schema| collect_formats(schema, server, &mut formats));
    }
    formats
}

fn collect_formats(schema: &Json, server: &ServerFeatures, formats: &mut BTreeSet<String>) {
    let format = node::text_keyword(schema, "format");
    // An unset type counts as string here.
    let ty = match node::text_keyword(schema, "type") {
        "" => "string",
        ty => ty,
    };
    let features = &server.definitions;
    let known = Format::from_name(format).filter(|it| features.knows_name_formats || !it.is_of_names());
    let is_checked = match features.format_warnings {
        FormatWarnings::Typed => true,
        FormatWarnings::OfStrings => node::text_keyword(schema, "type") == "string",
        FormatWarnings::None => false,
    };
    if is_checked && !format.is_empty() && known.is_none_or(|known| known.value_type() != ty) {
        formats.insert(format.to_owned());
    }
    for (_, below) in node::child_nodes(schema) {
        collect_formats(below, server, formats);
    }
}
