//! Paths, ready to be walked.

use kvrules_elaborate::path::{PathError, parse_template};
use kvrules_ir::{FilterOperator, FilterTerm, PathSegment, PathSlice, PathStep};

use crate::schema::TypeId;
use crate::value::Data;

/// Prefix that marks a string as a path (E025, E029).
const PREFIX: &str = "jsonpath::";

/// A path of a rule.
#[derive(Debug, Default)]
pub(crate) struct Path {
    /// The text without its prefix and one leading `$`: what a cause names as its field.
    pub(crate) expression: String,
    /// Texts and queries; none if the rule has no path at all.
    pub(crate) parts: Option<Vec<Part>>,
}

/// A part of the template that the path's text is pasted into (E061).
#[derive(Debug)]
pub(crate) enum Part {
    Literal(Data),
    Query(Vec<Node>),
}

/// A step of a query.
#[derive(Debug)]
pub(crate) enum Node {
    Field(String),
    Wildcard,
    Slice(PathSlice),
    Union(Vec<Vec<Node>>),
    Filter(Vec<Node>, Option<(FilterOperator, Vec<Node>)>),
    Descend,
    /// A text, which is one result whatever there was.
    Text(Data),
    /// A number or a boolean, which is a result for each one there was.
    Constant(TypeId, Data),
    Identifier(String),
}

/// True if the string is treated as a path.
pub(crate) fn is_path(text: &str) -> bool {
    text.starts_with(PREFIX)
}

impl Path {
    /// Parses a path with its prefix. The error is in Go's words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let expression = text.strip_prefix(PREFIX).ok_or("invalid JSONPath")?;
        let expression = expression.strip_prefix('$').unwrap_or(expression);
        let template = format!("{{.spec.template{expression}}}");
        let segments = parse_template(&template).map_err(|error: PathError| error.go_text())?;
        let parts = segments.into_iter().map(part).collect();
        Ok(Self { expression: expression.to_owned(), parts: Some(parts) })
    }
}

fn part(segment: PathSegment) -> Part {
    match segment {
        PathSegment::Literal(text) => Part::Literal(Data::Text(text)),
        PathSegment::Query(steps) => Part::Query(nodes(steps)),
    }
}

fn nodes(steps: Vec<PathStep>) -> Vec<Node> {
    steps.into_iter().map(node).collect()
}

fn node(step: PathStep) -> Node {
    match step {
        PathStep::Field(name) => Node::Field(name),
        PathStep::Wildcard => Node::Wildcard,
        PathStep::Slice(slice) => Node::Slice(slice),
        PathStep::Union(branches) => Node::Union(branches.into_iter().map(nodes).collect()),
        PathStep::Filter(filter) => {
            let comparison = filter.comparison.map(|(operator, right)| (operator, nodes(right)));
            Node::Filter(nodes(filter.left), comparison)
        }
        PathStep::Descend => Node::Descend,
        PathStep::Constant(FilterTerm::Text(text)) => Node::Text(Data::Text(text)),
        PathStep::Constant(FilterTerm::Integer(int)) => Node::Constant(TypeId::INT, Data::Int(int)),
        PathStep::Constant(FilterTerm::Float(text)) => {
            // The parser has read it once already.
            Node::Constant(TypeId::FLOAT, Data::Float(text.parse().unwrap_or_default()))
        }
        PathStep::Constant(FilterTerm::Boolean(boolean)) => Node::Constant(TypeId::BOOL, Data::Bool(boolean)),
        PathStep::Identifier(word) => Node::Identifier(word),
    }
}
