//! The keywords of a node, found in one pass: most nodes have few, and each check asks for several.

use serde_json::Value as Json;

/// Groups of keywords of which a node has at least one.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct KeywordGroups {
    /// `allOf`, `anyOf`, `oneOf` or `not`.
    pub(super) has_junctors: bool,
    /// `enum`.
    pub(super) has_enum: bool,
    /// `format`.
    pub(super) has_format: bool,
    /// `maxLength`, `minLength` or `pattern`.
    pub(super) has_text_bounds: bool,
}

impl KeywordGroups {
    pub(super) fn of_node(schema: &Json) -> Self {
        let mut found = Self::default();
        for keyword in schema.as_object().into_iter().flat_map(serde_json::Map::keys) {
            match keyword.as_str() {
                "allOf" | "anyOf" | "oneOf" | "not" => found.has_junctors = true,
                "enum" => found.has_enum = true,
                "format" => found.has_format = true,
                "maxLength" | "minLength" | "pattern" => found.has_text_bounds = true,
                _ => {}
            }
        }
        found
    }
}
