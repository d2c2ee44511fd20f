//! Patterns as Python's `re` reads them (3.11), matched against a whole value as `re.fullmatch` does.
//!
//! OpenStack's tools write their patterns for Python, whose dialect differs from RE2's: `\d`, `\s` and `\w` are
//! Unicode's, `[a&&b]` is a set of three characters, `{,3}` is a count and `x*+` gives nothing back. [`PythonRegex`]
//! takes what Python takes and refuses what Python refuses. Nearly every pattern then runs on finite automata; what
//! needs more runs on a matcher of our own whose time is bounded too.
//!
//! ```
//! use kvrules_regex::python::PythonRegex;
//!
//! let mask = PythonRegex::new(r"\^?\d+((-\d+)?(,\^?\d+(-\d+)?)?)*").unwrap();
//! assert!(mask.compile_matcher().unwrap().is_match("0-3,^1"));
//! assert!(!mask.compile_matcher().unwrap().is_match("0-3,^1\n"));
//! assert_eq!(PythonRegex::new("a(b").unwrap_err().to_string(), "the group has no closing `)`");
//! ```

pub mod ast;
mod error;
mod linear;
mod matcher;
mod parse;
mod print;
pub(crate) mod unicode;
mod vm;

use std::ops::Range;

pub use error::{Construct, PythonError, PythonErrorKind};
pub use matcher::PythonMatcher;
pub use print::{Inexactness, PatternDialect, PrintedPattern};
pub use unicode::digit_value;

use crate::Regex;
use ast::Node;

/// The byte ranges that groups took, from group 0 on.
pub type Captures = Vec<Option<Range<usize>>>;

/// A pattern that Python takes.
///
/// Two are equal when their trees are.
#[derive(Clone, Debug)]
pub struct PythonRegex {
    source: String,
    node: Node,
    groups: usize,
    names: Vec<(String, usize)>,
}

impl PartialEq for PythonRegex {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl Eq for PythonRegex {}

impl PythonRegex {
    /// Reads a pattern as `re.compile` does.
    ///
    /// # Errors
    ///
    /// Patterns that Python rejects, and the few that Python accepts and we cannot read: characters by name, flag `t`,
    /// groups nested more than 200 deep.
    pub fn new(pattern: &str) -> Result<Self, PythonError> {
        let parsed = parse::parse(pattern)?;
        Ok(Self { source: pattern.to_owned(), node: parsed.node, groups: parsed.groups, names: parsed.names })
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The tree of the pattern.
    pub fn ast(&self) -> &Node {
        &self.node
    }

    /// The named groups with their numbers, in the order of these.
    pub fn group_names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|(name, index)| (name.as_str(), *index))
    }

    /// The expression in our common form whose matches are the whole texts that match here.
    ///
    /// # Errors
    ///
    /// The construct that no engine in linear time has.
    pub fn to_regex(&self) -> Result<Regex, PythonError> {
        let lowered = linear::lower_to_linear(&self.node);
        lowered
            .map(Regex::from_ast)
            .map_err(|construct| PythonError::unsupported(construct, 0..self.source.len()))
    }

    /// Builds a matcher for whole texts.
    ///
    /// # Errors
    ///
    /// A pattern whose counts make it too large.
    pub fn compile_matcher(&self) -> Result<PythonMatcher, PythonError> {
        PythonMatcher::new(self)
    }

    /// The pattern for another engine, with what gets lost on the way.
    ///
    /// ```
    /// use kvrules_regex::python::{PatternDialect, PythonRegex};
    ///
    /// let printed = PythonRegex::new(r"v\d+\Z").unwrap().print_for(PatternDialect::Ecma).unwrap();
    /// assert_eq!(printed.text, r"^v\p{Nd}+$");
    /// assert!(!printed.inexact.is_empty()); // newer engines know more digits
    /// ```
    ///
    /// # Errors
    ///
    /// The construct that the engine has not.
    pub fn print_for(&self, dialect: PatternDialect) -> Result<PrintedPattern, PythonError> {
        print::print_pattern(self, dialect)
    }

    /// The characters with which every match begins, and those with which it ends.
    ///
    /// ```
    /// let regex = kvrules_regex::python::PythonRegex::new("trait(_[a-z]+)?:HW_X86").unwrap();
    /// assert_eq!(regex.literal_ends(), ("trait".to_owned(), ":HW_X86".to_owned()));
    /// ```
    pub fn literal_ends(&self) -> (String, String) {
        let parts: &[Node] = match &self.node {
            Node::Concat(parts) => parts,
            other => std::slice::from_ref(other),
        };
        let literal = |node: &Node| match node {
            Node::Literal(char) => Some(*char),
            _ => None,
        };
        let begin = parts.iter().map_while(literal).collect();
        let end: String = parts.iter().rev().map_while(literal).collect();
        (begin, end.chars().rev().collect())
    }

    /// The one text that matches, where the pattern is a plain text.
    pub fn as_literal(&self) -> Option<String> {
        match &self.node {
            Node::Empty => Some(String::new()),
            Node::Literal(char) => Some(char.to_string()),
            Node::Concat(parts) => parts
                .iter()
                .map(|part| match part {
                    Node::Literal(char) => Some(*char),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
