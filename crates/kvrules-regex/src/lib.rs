//! Regular expressions as rules may write them (Go RE2), printed for other engines.
//!
//! Rule engines in this field run on Go, and Go's `regexp` decides which patterns exist at all. This crate is the
//! one place that knows its dialect: [`parse`] accepts what `regexp.Compile` accepts and refuses the rest with the
//! same words ([`RegexError::go_text`]) and with words for a person ([`RegexError`]'s `Display`). What was
//! understood is a small tree ([`ast::Node`]) in which flags, class escapes and case folding are already resolved,
//! so a printer to another engine only has to spell it.
//!
//! ```
//! let regex = kvrules_regex::parse(r"(?i)^virtio|scsi$").unwrap();
//! assert_eq!(regex.to_re2(), r"^(?i:virtio)|(?i:scsi)$");
//! assert!(regex.matcher().unwrap().is_match("VirtIO-extra"));
//!
//! let error = kvrules_regex::parse(r"(?=q35)").unwrap_err();
//! assert_eq!(error.go_text(), "error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
//! assert_eq!(error.to_string(), "look-ahead `(?=` is not part of RE2");
//! ```

pub mod ast;
mod class;
mod error;
mod matcher;
mod parse;
mod print;
mod shape;
mod unicode;

use std::collections::BTreeSet;

pub use class::{Class, fold_orbit};
pub use error::{RegexError, RegexErrorKind};
pub use matcher::{Matcher, MatcherError};

/// A regular expression that Go accepts.
///
/// Two expressions are equal when their trees are: `[0-9]` equals `\d`, and `(?i)Q` equals `(?i:q)`.
#[derive(Clone, Debug)]
pub struct Regex {
    source: String,
    node: ast::Node,
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl Eq for Regex {}

/// Reads a pattern as Go's `regexp.Compile` does (RE2 syntax with the Perl extensions Go has).
///
/// ```
/// assert!(kvrules_regex::parse(r"^\p{Greek}+\z").is_ok());
/// assert!(kvrules_regex::parse(r"(a)\1").is_err());
/// ```
pub fn parse(pattern: &str) -> Result<Regex, RegexError> {
    let node = parse::parse(pattern)?;
    Ok(Regex { source: pattern.to_owned(), node })
}

impl Regex {
    /// The expression of a tree that was built, not read.
    pub fn from_ast(node: ast::Node) -> Self {
        Self { source: print::re2::print(&node), node }
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The tree of the expression.
    pub fn ast(&self) -> &ast::Node {
        &self.node
    }

    /// The canonical RE2 text, with every flag beside the part it governs; reading it again gives an equal tree.
    ///
    /// ```
    /// let regex = kvrules_regex::parse(r"(?s)[0-9].\x41").unwrap();
    /// assert_eq!(regex.to_re2(), r"\d(?s:.)A");
    /// ```
    pub fn to_re2(&self) -> String {
        print::re2::print(&self.node)
    }

    /// The text for the Rust `regex` crate that finds the same matches.
    ///
    /// Build it with `regex::bytes::Regex`: the str flavour refuses the ASCII `\B`.
    ///
    /// ```
    /// let regex = kvrules_regex::parse(r"(?i)k\b").unwrap();
    /// assert_eq!(regex.to_rust(), r"[Kk\x{212A}](?-u:\b)");
    /// ```
    pub fn to_rust(&self) -> String {
        print::rust::print(&self.node)
    }

    /// The text for an ECMA-262 engine with the `u` flag (and no other) that finds the same matches.
    ///
    /// Every construct can be said; line anchors need an engine with look-behind (ECMAScript 2018).
    ///
    /// ```
    /// let regex = kvrules_regex::parse(r"(?m)^a.b\z").unwrap();
    /// assert_eq!(regex.to_ecma(), r"(?<![^\n])a[^\n]b$");
    /// ```
    pub fn to_ecma(&self) -> String {
        print::ecma::print(&self.node)
    }

    /// Builds what tells whether a text contains a match.
    pub fn matcher(&self) -> Result<Matcher, MatcherError> {
        Matcher::new(self)
    }

    /// The texts that match, when the expression is tied to both ends of the text and there are few of them.
    ///
    /// ```
    /// let regex = kvrules_regex::parse("^(virtio|scsi)$").unwrap();
    /// let texts = regex.literal_alternatives().unwrap();
    /// assert_eq!(texts.into_iter().collect::<Vec<_>>(), ["scsi", "virtio"]);
    /// assert!(kvrules_regex::parse("virtio|scsi").unwrap().literal_alternatives().is_none());
    /// ```
    pub fn literal_alternatives(&self) -> Option<BTreeSet<String>> {
        shape::literal_alternatives(&self.node)
    }

    /// Whether every match is the whole text: `^a|b$` is not anchored, `^(a|b)$` is.
    pub fn is_anchored(&self) -> bool {
        self.is_anchored_start() && self.is_anchored_end()
    }

    /// Whether every match begins where the text begins.
    pub fn is_anchored_start(&self) -> bool {
        shape::requires(&self.node, ast::Anchor::TextStart)
    }

    /// Whether every match ends where the text ends.
    pub fn is_anchored_end(&self) -> bool {
        shape::requires(&self.node, ast::Anchor::TextEnd)
    }
}
