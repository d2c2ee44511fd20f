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
//! assert!(regex.compile_matcher().unwrap().is_match("VirtIO-extra"));
//!
//! let error = kvrules_regex::parse(r"(?=q35)").unwrap_err();
//! assert_eq!(error.go_text(), "error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
//! assert_eq!(error.to_string(), "look-ahead `(?=` is not part of RE2");
//! ```

mod alternation_binding;
mod ambiguity;
pub mod ast;
mod automaton;
mod class;
mod cursor;
pub mod description;
pub mod ecma;
mod error;
mod matcher;
mod parse;
mod print;
pub mod python;
mod shape;
mod shortest;
mod step_budget;
mod unicode;

use std::collections::BTreeSet;

pub use alternation_binding::AlternationBinding;
pub use ambiguity::{Ambiguity, AmbiguitySearch};
pub use automaton::{Automaton, TextDemands, TextSearch};
pub use class::{Class, fold_orbit};
pub use error::{RegexError, RegexErrorKind};
pub use matcher::{CompileError, Finder, Matcher, MatcherError};
pub use step_budget::StepBudget;

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

/// Builds a matcher for texts that contain a match of a pattern; quicker than to [`parse`] it where it was compiled before.
///
/// ```
/// assert!(kvrules_regex::compile_matcher("^q35$").unwrap().is_match("q35"));
/// let error = kvrules_regex::compile_matcher("(?=q35)").unwrap_err();
/// assert_eq!(error.to_string(), "look-ahead `(?=` is not part of RE2");
/// ```
pub fn compile_matcher(pattern: &str) -> Result<Matcher, CompileError> {
    Matcher::of_pattern(pattern)
}

/// Builds what finds the matches of a pattern in a text; quicker than to [`parse`] it where it was compiled before.
pub fn compile_finder(pattern: &str) -> Result<Finder, CompileError> {
    Finder::of_pattern(pattern)
}

impl Regex {
    /// The expression of a tree that was built, not read.
    pub fn from_ast(node: ast::Node) -> Self {
        Self { source: print::re2::print_re2(&node), node }
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The tree of the expression.
    pub fn ast(&self) -> &ast::Node {
        &self.node
    }

    /// The canonical RE2 text, with every flag next to the part it governs; reading it again gives an equal tree.
    ///
    /// ```
    /// let regex = kvrules_regex::parse(r"(?s)[0-9].\x41").unwrap();
    /// assert_eq!(regex.to_re2(), r"\d(?s:.)A");
    /// ```
    pub fn to_re2(&self) -> String {
        print::re2::print_re2(&self.node)
    }

    /// The expression in words, for people; nothing if it says too much for that.
    ///
    /// ```
    /// use kvrules_regex::description::DescriptionPiece;
    /// let words = |words: &str| DescriptionPiece::Words(words.to_owned());
    /// let reading = kvrules_regex::parse("^(q35|pc)$").unwrap().describe_in_words();
    /// let code = |code: &str| DescriptionPiece::Code(code.to_owned());
    /// assert_eq!(reading, Some(vec![words("exactly "), code("pc"), words(" or "), code("q35")]));
    /// ```
    pub fn describe_in_words(&self) -> Option<Vec<description::DescriptionPiece>> {
        description::describe_regex(self)
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
        print::rust::print_rust(&self.node)
    }

    /// The text for an ECMA-262 engine with the `u` flag (and no other) that finds the same matches.
    ///
    /// Every construct can be expressed; line anchors need an engine with look-behind (ECMAScript 2018).
    ///
    /// ```
    /// let regex = kvrules_regex::parse(r"(?m)^a.b\z").unwrap();
    /// assert_eq!(regex.to_ecma(), r"(?<![^\n])a[^\n]b$");
    /// ```
    pub fn to_ecma(&self) -> String {
        print::ecma::print_ecma(&self.node)
    }

    /// Returns the shortest text that it matches; of several the first, where letters come before digits and these before all else.
    /// `None` if the tree alone does not show it; a [`TextDemands`] with its automaton finds the same text, and takes longer.
    ///
    /// ```
    /// assert_eq!(kvrules_regex::parse("^(http|s3)://[a-z]+$").unwrap().shortest_text().as_deref(), Some("s3://a"));
    /// assert_eq!(kvrules_regex::parse(r"a\b").unwrap().shortest_text(), None);
    /// ```
    pub fn shortest_text(&self) -> Option<String> {
        shortest::shortest_text(&self.node)
    }

    /// The expression as a finite automaton, to be compared with others; none if it would be too large, and
    /// for `\B`.
    pub fn to_automaton(&self) -> Option<Automaton> {
        Automaton::new(self)
    }

    /// Builds a matcher for texts that contain a match. Compiled expressions are kept, so a second call is cheap.
    pub fn compile_matcher(&self) -> Result<Matcher, MatcherError> {
        Matcher::new(self)
    }

    /// Builds what finds the matches in a text; refused for `\B`.
    pub fn compile_finder(&self) -> Result<Finder, MatcherError> {
        Finder::new(self)
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

    /// The texts that match, when the expression is tied to both ends of the text and there are at most `limit`.
    pub fn finite_language(&self, limit: usize) -> Option<BTreeSet<String>> {
        self.literal_alternatives().filter(|texts| texts.len() <= limit)
    }

    /// The texts that the expression is a plain list of, where it has no anchors: `virtio|scsi`. It matches longer texts
    /// too, as long as these stand somewhere in them.
    pub fn unanchored_literals(&self) -> Option<Vec<String>> {
        shape::literal_list(&self.node)
    }

    /// Returns the binding of an anchor to one branch of an alternation, if all of them were probably meant.
    ///
    /// ```
    /// let regex = kvrules_regex::parse("^virtio|scsi$").unwrap();
    /// assert_eq!(regex.alternation_binding().unwrap().grouped, "^(?:virtio|scsi)$");
    /// ```
    pub fn alternation_binding(&self) -> Option<AlternationBinding> {
        alternation_binding::alternation_binding(&self.source)
    }

    /// A family of texts on which engines that backtrack take exponential time.
    ///
    /// ```
    /// use kvrules_regex::AmbiguitySearch;
    /// let search = kvrules_regex::parse("^(a+)+$").unwrap().exponential_ambiguity();
    /// assert!(matches!(search, AmbiguitySearch::Found(found) if found.pump == "a"));
    /// let regex = kvrules_regex::parse("^(ab)+$").unwrap();
    /// assert_eq!(regex.exponential_ambiguity(), AmbiguitySearch::Nothing);
    /// ```
    pub fn exponential_ambiguity(&self) -> AmbiguitySearch {
        ambiguity::find_exponential(self)
    }

    /// True if every text has a match; `None` if undecided.
    ///
    /// ```
    /// assert_eq!(kvrules_regex::parse(".*").unwrap().matches_everything(), Some(true));
    /// assert_eq!(kvrules_regex::parse("^.*$").unwrap().matches_everything(), Some(false)); // no line feeds
    /// ```
    pub fn matches_everything(&self) -> Option<bool> {
        if !self.compile_matcher().ok()?.is_match("") {
            return Some(false);
        }
        let automaton = self.to_automaton()?;
        is_nothing(&TextDemands { lacks: &[&automaton], ..TextDemands::default() })
    }

    /// True if no text has a match; `None` if undecided.
    ///
    /// ```
    /// assert_eq!(kvrules_regex::parse("a^").unwrap().matches_nothing(), Some(true));
    /// ```
    pub fn matches_nothing(&self) -> Option<bool> {
        if self.compile_matcher().ok()?.is_match("") {
            return Some(false);
        }
        let automaton = self.to_automaton()?;
        is_nothing(&TextDemands { matches: &[&automaton], ..TextDemands::default() })
    }

    /// True if the pattern for ECMA-262 needs look-behind, which engines before ECMAScript 2018 lack.
    pub fn needs_look_behind_in_ecma(&self) -> bool {
        shape::mentions_anchor(&self.node, ast::Anchor::LineStart)
    }

    /// True if every match is the whole text: `^a|b$` is not anchored, `^(a|b)$` is.
    pub fn is_anchored(&self) -> bool {
        self.is_anchored_start() && self.is_anchored_end()
    }

    /// True if every match begins where the text begins.
    pub fn is_anchored_start(&self) -> bool {
        shape::requires_anchor(&self.node, ast::Anchor::TextStart)
    }

    /// True if every match ends where the text ends.
    pub fn is_anchored_end(&self) -> bool {
        shape::requires_anchor(&self.node, ast::Anchor::TextEnd)
    }
}

fn is_nothing(demands: &TextDemands<'_>) -> Option<bool> {
    match demands.find_text() {
        TextSearch::Nothing => Some(true),
        TextSearch::Found(_) => Some(false),
        TextSearch::TooLarge => None,
    }
}
