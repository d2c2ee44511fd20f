//! The keywords of a node, found in one pass: most nodes have few, and each check asks for several.

use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

/// Keywords of a node, and groups of which it has at least one.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct KeywordGroups<'s> {
    /// `type`.
    kind: Option<&'s str>,
    /// The keyword for integers or strings, whatever its value is.
    has_int_or_string: bool,
    /// `allOf`, `anyOf`, `oneOf` or `not`.
    pub(super) has_junctors: bool,
    /// `enum`.
    pub(super) has_enum: bool,
    /// `format`.
    pub(super) has_format: bool,
    /// `maxLength`, `minLength` or `pattern`.
    pub(super) has_text_bounds: bool,
    /// `maxProperties` or `minProperties`.
    pub(super) has_counts: bool,
    /// `properties`.
    pub(super) properties: Option<&'s Json>,
    /// `additionalProperties`.
    pub(super) additional: Option<&'s Json>,
    /// `required`.
    pub(super) required: Option<&'s Json>,
}

impl<'s> KeywordGroups<'s> {
    pub(super) fn of_node(schema: &'s Json) -> Self {
        let mut found = Self::default();
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "type" => found.kind = value.as_str(),
                INT_OR_STRING => found.has_int_or_string = true,
                "allOf" | "anyOf" | "oneOf" | "not" => found.has_junctors = true,
                "enum" => found.has_enum = true,
                "format" => found.has_format = true,
                "maxLength" | "minLength" | "pattern" => found.has_text_bounds = true,
                "maxProperties" | "minProperties" => found.has_counts = true,
                "properties" => found.properties = Some(value),
                "additionalProperties" => found.additional = Some(value),
                "required" => found.required = Some(value),
                _ => {}
            }
        }
        found
    }

    /// True if the type of a value is the only one that the node allows, with nothing else to look at.
    pub(super) fn is_of_type(&self, value: &Json) -> bool {
        let Some(kind) = self.kind.filter(|_| !self.has_format && !self.has_int_or_string) else {
            return false;
        };
        match value {
            Json::String(_) => kind == "string",
            Json::Bool(_) => kind == "boolean",
            Json::Object(_) => kind == "object",
            Json::Array(_) => kind == "array",
            Json::Number(number) => kind == "number" || kind == "integer" && number.is_i64(),
            Json::Null => false,
        }
    }
}
