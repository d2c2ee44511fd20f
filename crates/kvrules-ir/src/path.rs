//! Paths in the Kubernetes JSONPath dialect, parsed but not yet resolved against any type.

use std::fmt;

use kvrules_diagnostics::Origin;

/// A path as its author wrote it. Its root is the subject's own root: a VirtualMachine's `.spec.template`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The text without any prefix of the notation, such as `.spec.domain.cpu.cores`.
    pub text: String,
    /// Parsed steps, in order.
    pub steps: Vec<PathStep>,
    /// Segments after a `}` inside the text: the notation pastes the text between braces, so it can close them.
    pub rest: Vec<PathSegment>,
    /// Location where it is written.
    pub origin: Origin,
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// A part of a text in the Kubernetes JSONPath template language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathSegment {
    /// Text outside braces, which is a result of its own.
    Literal(String),
    /// A query in braces, which starts at the root of the whole object.
    Query(Vec<PathStep>),
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// `.name` or `['name']`.
    Field(String),
    /// `.*`: all fields of an object, all items of a list.
    Wildcard,
    /// `[n]`, `[-n]`, `[a:b:c]`, `[*]`. `[*]` is the slice without bounds.
    Slice(PathSlice),
    /// `[a,b]` and `['x','y']`: all of the first, then all of the second.
    Union(Vec<Vec<PathStep>>),
    /// `[?(left op right)]`: the items for which the comparison holds.
    Filter(PathFilter),
    /// `..`: the value and everything below it that has something below it.
    Descend,
    /// A constant that replaces what was found, as its text.
    Constant(FilterTerm),
    /// A bare word such as `range` or `end`, which loops or fails at run time.
    Identifier(String),
}

/// A range of list items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PathSlice {
    /// First index; counted from the end where negative.
    pub start: Option<i64>,
    /// Index past the last; counted from the end where negative.
    pub end: Option<i64>,
    /// Step.
    pub step: Option<i64>,
    /// True if this is `[n]` or `[]`: exactly one item, which must be present.
    pub single: bool,
}

impl PathSlice {
    /// `[*]` and `[:]`.
    pub const ALL: Self = Self { start: None, end: None, step: None, single: false };
}

/// A filter expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathFilter {
    /// The left side; without a comparison, what must be found.
    pub left: Vec<PathStep>,
    /// The operator and the right side.
    pub comparison: Option<(FilterOperator, Vec<PathStep>)>,
}

/// The operator of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterOperator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// Anything else that the dialect accepts and then fails on, such as `===`.
    Unknown,
}

/// A constant in a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FilterTerm {
    /// `'text'` or `"text"`, unquoted.
    Text(String),
    /// A number without a point.
    Integer(i64),
    /// A number with a point, as written.
    Float(String),
    /// `true` or `false`.
    Boolean(bool),
}
