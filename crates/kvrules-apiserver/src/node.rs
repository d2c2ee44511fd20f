//! Reading keywords of a schema node.

use std::fmt::{Display, Formatter};

use serde_json::Value;

pub(crate) use kvrules_cel::types::keyword_value as value_of;

/// A keyword's text; empty when it is missing.
pub(crate) fn text_keyword<'a>(schema: &'a Value, keyword: &str) -> &'a str {
    value_of(schema, keyword).and_then(Value::as_str).unwrap_or_default()
}

/// True if a keyword is `true`.
pub(crate) fn bool_keyword(schema: &Value, keyword: &str) -> bool {
    value_of(schema, keyword).and_then(Value::as_bool).unwrap_or(false)
}

/// True if a value is the one that the server has if nothing is set.
pub(crate) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        // The numbers of JSONSchemaProps are behind pointers, so 0 differs from none.
        Value::Number(_) => false,
    }
}

/// True if a keyword is present and not `null`.
pub(crate) fn is_set(schema: &Value, keyword: &str) -> bool {
    value_of(schema, keyword).is_some_and(|value| !value.is_null())
}

/// The members of an object keyword, or nothing.
pub(crate) fn object_entries<'a>(
    schema: &'a Value,
    keyword: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value_of(schema, keyword).and_then(Value::as_object).into_iter().flatten()
}

/// The elements of an array keyword, with their numbers.
pub(crate) fn array_elements<'a>(
    schema: &'a Value,
    keyword: &str,
) -> impl Iterator<Item = (usize, &'a Value)> {
    value_of(schema, keyword).and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// A schema under a keyword, where it is one.
pub(crate) fn schema_keyword<'a>(schema: &'a Value, keyword: &str) -> Option<&'a Value> {
    value_of(schema, keyword).filter(|value| value.is_object())
}

/// A step from a schema node to one directly below it, written as in the server's field paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaStep<'a> {
    /// A keyword: `items`.
    Keyword(&'a str),
    /// A property: `properties[name]`.
    Property(&'a str),
    /// An element of a keyword: `allOf[0]`.
    Element(&'a str, usize),
}

impl Display for SchemaStep<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Keyword(keyword) => formatter.write_str(keyword),
            Self::Property(name) => write!(formatter, "properties[{name}]"),
            Self::Element(keyword, index) => write!(formatter, "{keyword}[{index}]"),
        }
    }
}

/// The path to a schema node. It is rendered only for errors, which most nodes do not have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaPath<'a> {
    parent: Option<&'a SchemaPath<'a>>,
    step: SchemaStep<'a>,
}

impl<'a> SchemaPath<'a> {
    /// The path of the root.
    pub(crate) fn root(prefix: &'a str) -> Self {
        Self { parent: None, step: SchemaStep::Keyword(prefix) }
    }

    /// The path with one more step.
    pub(crate) fn join<'b>(&'b self, step: SchemaStep<'b>) -> SchemaPath<'b> {
        SchemaPath { parent: Some(self), step }
    }
}

impl Display for SchemaPath<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        if let Some(parent) = self.parent {
            write!(formatter, "{parent}.")?;
        }
        self.step.fmt(formatter)
    }
}

/// The branches of a node, with the steps to them.
// Branches are what NestedValueValidation of the structural schema (apiextensions schema/structural.go) holds.
pub(crate) fn branch_nodes(node: &Value) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(move |junctor| {
        array_elements(node, junctor)
            .map(move |(index, branch)| (SchemaStep::Element(junctor, index), branch))
    });
    lists.chain(schema_keyword(node, "not").map(|branch| (SchemaStep::Keyword("not"), branch)))
}

/// The nodes of the spine directly below a node, with the steps to them.
pub(crate) fn spine_nodes(node: &Value) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    let properties =
        object_entries(node, "properties").map(|(name, schema)| (SchemaStep::Property(name), schema));
    let keywords = ["items", "additionalProperties"].into_iter();
    properties.chain(
        keywords.filter_map(move |name| Some((SchemaStep::Keyword(name), schema_keyword(node, name)?))),
    )
}

/// All nodes directly below a node.
pub(crate) fn child_nodes(node: &Value) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    spine_nodes(node).chain(branch_nodes(node))
}
