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

/// The values of the keywords of a node that hold schemas, found in one pass over its keywords.
#[derive(Clone, Copy, Default)]
struct SchemaKeywords<'a> {
    properties: Option<&'a Value>,
    /// Of `items` and `additionalProperties`.
    elements: [Option<&'a Value>; 2],
    /// Of [`JUNCTORS`].
    junctors: [Option<&'a Value>; 3],
    not: Option<&'a Value>,
}

const JUNCTORS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

impl<'a> SchemaKeywords<'a> {
    fn of_node(node: &'a Value) -> Self {
        let mut found = Self::default();
        let ([items, values], [all, any, one]) = (&mut found.elements, &mut found.junctors);
        for (keyword, value) in node.as_object().into_iter().flatten() {
            let slot = match keyword.as_str() {
                "properties" => &mut found.properties,
                "items" => &mut *items,
                "additionalProperties" => &mut *values,
                "allOf" => &mut *all,
                "anyOf" => &mut *any,
                "oneOf" => &mut *one,
                "not" => &mut found.not,
                _ => continue,
            };
            *slot = Some(value);
        }
        found
    }

    fn branches(self) -> impl Iterator<Item = (SchemaStep<'a>, &'a Value)> {
        let lists = JUNCTORS.into_iter().zip(self.junctors).flat_map(|(junctor, branches)| {
            let branches = branches.and_then(Value::as_array).into_iter().flatten().enumerate();
            branches.map(move |(index, branch)| (SchemaStep::Element(junctor, index), branch))
        });
        let not = self.not.filter(|branch| branch.is_object());
        lists.chain(not.map(|branch| (SchemaStep::Keyword("not"), branch)))
    }

    fn spine(self) -> impl Iterator<Item = (SchemaStep<'a>, &'a Value)> {
        let properties = self.properties.and_then(Value::as_object).into_iter().flatten();
        let elements = ["items", "additionalProperties"].into_iter().zip(self.elements);
        let elements = elements.filter_map(|(name, schema)| {
            Some((SchemaStep::Keyword(name), schema.filter(|schema| schema.is_object())?))
        });
        properties.map(|(name, schema)| (SchemaStep::Property(name), schema)).chain(elements)
    }
}

/// The branches of a node, with the steps to them.
// Branches are what NestedValueValidation of the structural schema (apiextensions schema/structural.go) holds.
pub(crate) fn branch_nodes(node: &Value) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    SchemaKeywords::of_node(node).branches()
}

/// The nodes of the spine directly below a node, with the steps to them.
pub(crate) fn spine_nodes(node: &Value) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    SchemaKeywords::of_node(node).spine()
}

/// All nodes directly below a node.
pub(crate) fn child_nodes(node: &Value) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    let keywords = SchemaKeywords::of_node(node);
    keywords.spine().chain(keywords.branches())
}

/// True if a node has one of some keywords.
pub(crate) fn has_keyword(node: &Value, is_meant: impl Fn(&str) -> bool) -> bool {
    node.as_object().is_some_and(|keywords| keywords.keys().any(|keyword| is_meant(keyword)))
}
