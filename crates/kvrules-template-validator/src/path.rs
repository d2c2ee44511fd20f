//! Paths, ready to be walked.

use kvrules_elaborate::path::{PathError, parse_template};
use kvrules_ir::{FilterOperator, FilterTerm, PathSegment, PathSlice, PathStep};

use crate::schema::TypeId;
use crate::value::ValueData;

/// Prefix that marks a string as a path (E025, E029).
const PREFIX: &str = "jsonpath::";

/// A path of a rule.
#[derive(Debug, Default)]
pub(crate) struct Path {
    /// The text without its prefix and one leading `$`: what a cause names as its field.
    pub(crate) expression: String,
    /// Texts and queries; none if the rule has no path at all.
    pub(crate) parts: Option<Vec<PathPart>>,
}

/// A part of the template that the path's text is pasted into (E061).
#[derive(Debug)]
pub(crate) enum PathPart {
    Literal(ValueData),
    Query(Vec<PathNode>),
}

/// A step of a query.
#[derive(Debug)]
// client-go util/jsonpath/jsonpath.go, JSONPath.walk: the nodes that it distinguishes. A ListNode is a `Vec` here.
pub(crate) enum PathNode {
    Field(String),
    Wildcard,
    Slice(PathSlice),
    Union(Vec<Vec<PathNode>>),
    Filter(Vec<PathNode>, Option<(FilterOperator, Vec<PathNode>)>),
    Descend,
    /// A text, which is one result whatever there was.
    Text(ValueData),
    /// A number or a boolean, which is a result for each one there was.
    Constant(TypeId, ValueData),
    Identifier(String),
}

/// True if the string is treated as a path.
// ssp-operator validation/path/path.go, isJSONPath.
pub(crate) fn is_path(text: &str) -> bool {
    text.starts_with(PREFIX)
}

impl Path {
    /// Parses a path with its prefix. The error is in Go's words.
    // ssp-operator validation/path/path.go, New and NewJSONPathFromString: the text is pasted without escapes.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let expression = text.strip_prefix(PREFIX).ok_or("invalid JSONPath")?;
        // ssp-operator validation/path/path.go, trimJSONPath.
        let expression = expression.strip_prefix('$').unwrap_or(expression);
        let template = format!("{{.spec.template{expression}}}");
        let segments = parse_template(&template).map_err(|error: PathError| error.go_text())?;
        let parts = segments.into_iter().map(to_part).collect();
        Ok(Self { expression: expression.to_owned(), parts: Some(parts) })
    }
}

fn to_part(segment: PathSegment) -> PathPart {
    match segment {
        PathSegment::Literal(text) => PathPart::Literal(ValueData::Text(text)),
        PathSegment::Query(steps) => PathPart::Query(to_nodes(steps)),
    }
}

fn to_nodes(steps: Vec<PathStep>) -> Vec<PathNode> {
    steps.into_iter().map(to_node).collect()
}

fn to_node(step: PathStep) -> PathNode {
    match step {
        PathStep::Field(name) => PathNode::Field(name),
        PathStep::Wildcard => PathNode::Wildcard,
        PathStep::Slice(slice) => PathNode::Slice(slice),
        PathStep::Union(branches) => PathNode::Union(branches.into_iter().map(to_nodes).collect()),
        PathStep::Filter(filter) => {
            let comparison = filter.comparison.map(|(operator, right)| (operator, to_nodes(right)));
            PathNode::Filter(to_nodes(filter.left), comparison)
        }
        PathStep::Descend => PathNode::Descend,
        // client-go util/jsonpath/jsonpath.go, JSONPath.walk: a TextNode is one result, whereas evalInt, evalFloat and
        // evalBool give one for each input.
        PathStep::Constant(FilterTerm::Text(text)) => PathNode::Text(ValueData::Text(text)),
        PathStep::Constant(FilterTerm::Integer(int)) => PathNode::Constant(TypeId::INT, ValueData::Int(int)),
        PathStep::Constant(FilterTerm::Float(text)) => {
            // The parser has read it once already.
            PathNode::Constant(TypeId::FLOAT, ValueData::Float(text.parse().unwrap_or_default()))
        }
        PathStep::Constant(FilterTerm::Boolean(boolean)) => {
            PathNode::Constant(TypeId::BOOL, ValueData::Bool(boolean))
        }
        PathStep::Identifier(word) => PathNode::Identifier(word),
    }
}
