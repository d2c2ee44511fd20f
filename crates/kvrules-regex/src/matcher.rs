//! Search for matches in a text, on the automata of the `regex` crate.
//!
//! They take time linear in the text, as Go's do, so no pattern of a rule can stall an evaluation. Compiling takes much longer
//! than matching, so what is compiled is kept (`cache`).

mod cache;

use std::fmt;
use std::sync::Arc;

use regex_automata::meta;
use regex_automata::util::syntax;

use crate::{Regex, RegexError};

/// The greatest compiled size, in bytes. Go bounds the number of its instructions to about as much memory.
const SIZE_LIMIT: usize = 128 << 20;

/// The longest text handed to the engine, in bytes; many large classes make it long, and reading them slow.
const TEXT_LIMIT: usize = 4 << 20;

/// Deeper than any tree that the parser lets through, so that only the parser's own limit counts.
const NEST_LIMIT: u32 = 8192;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Matcher {
    // Shared by clones, because a clone of the engine would allocate its own scratch space.
    regex: Arc<meta::Regex>,
}

/// A compiled regular expression that finds where it matches.
#[derive(Clone, Debug)]
pub struct Finder {
    regex: Arc<meta::Regex>,
}

/// The unit in which an expression moves through a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum MatchUnit {
    /// Bytes: `\B` may match inside of a character, and only the existence of a match is reported.
    Byte,
    /// Characters, which leaves no way to run `\B`.
    Character,
}

/// Reason why an expression could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatcherError {
    /// It would take more than this many bytes.
    TooLarge {
        /// The bound, in bytes.
        limit: usize,
    },
    /// The engine refused it for another reason, in its own words.
    Refused(String),
}

impl fmt::Display for MatcherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { limit } => {
                write!(f, "the regular expression is too large to evaluate: it needs more than {limit} bytes")
            }
            Self::Refused(reason) => write!(f, "the regular expression cannot be evaluated: {reason}"),
        }
    }
}

impl std::error::Error for MatcherError {}

/// Reason why a pattern has no matcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// Go does not accept it.
    Syntax(RegexError),
    /// It could not be compiled.
    Matcher(MatcherError),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Matcher(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CompileError {}

impl Matcher {
    pub(crate) fn of_pattern(pattern: &str) -> Result<Self, CompileError> {
        of_pattern(pattern, MatchUnit::Byte).map(|regex| Self { regex })
    }

    pub(crate) fn new(regex: &Regex) -> Result<Self, MatcherError> {
        compile_cached(regex, MatchUnit::Byte).map(|regex| Self { regex })
    }

    /// True if the expression matches anywhere in the text.
    ///
    /// ```
    /// let matcher = kvrules_regex::parse("^q").unwrap().compile_matcher().unwrap();
    /// assert!(matcher.is_match("q35"));
    /// assert!(!matcher.is_match("pc-q35"));
    /// ```
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The number of bytes that it takes, without the scratch space of searches.
    pub fn byte_size(&self) -> usize {
        self.regex.memory_usage()
    }

    /// The number of expressions that this thread has compiled so far, for tests that hold that one is compiled once.
    ///
    /// ```
    /// use kvrules_regex::{Matcher, parse};
    ///
    /// let before = Matcher::compilation_count();
    /// let [one, other] = [(); 2].map(|()| parse("^only in this example$").unwrap().compile_matcher().unwrap());
    /// assert!(!one.is_match("") && !other.is_match(""));
    /// assert_eq!(Matcher::compilation_count() - before, 1);
    /// ```
    pub fn compilation_count() -> u64 {
        cache::compilation_count()
    }
}

impl Finder {
    pub(crate) fn of_pattern(pattern: &str) -> Result<Self, CompileError> {
        of_pattern(pattern, MatchUnit::Character).map(|regex| Self { regex })
    }

    pub(crate) fn new(regex: &Regex) -> Result<Self, MatcherError> {
        compile_cached(regex, MatchUnit::Character).map(|regex| Self { regex })
    }

    /// True if the expression matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// All matches from left to right, none over another.
    ///
    /// ```
    /// let finder = kvrules_regex::parse("[0-9]+").unwrap().compile_finder().unwrap();
    /// assert_eq!(finder.find_iter("1 and 23").collect::<Vec<_>>(), ["1", "23"]);
    /// ```
    pub fn find_iter<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.regex.find_iter(text).filter_map(|found| text.get(found.range()))
    }
}

fn of_pattern(pattern: &str, unit: MatchUnit) -> Result<Arc<meta::Regex>, CompileError> {
    let known = match cache::get(pattern, unit) {
        Some(known) => known,
        None => compile_cached(&crate::parse(pattern).map_err(CompileError::Syntax)?, unit),
    };
    known.map_err(CompileError::Matcher)
}

fn compile_cached(regex: &Regex, unit: MatchUnit) -> Result<Arc<meta::Regex>, MatcherError> {
    cache::get_or_compile(regex.source(), unit, || compile_uncached(regex, unit))
}

/// Compiles as `regex::RegexBuilder` does for texts, and that of `regex::bytes` for bytes, without captures.
fn compile_uncached(regex: &Regex, unit: MatchUnit) -> Result<meta::Regex, MatcherError> {
    let text = regex.to_rust();
    if text.len() > TEXT_LIMIT {
        return Err(MatcherError::TooLarge { limit: TEXT_LIMIT });
    }
    let is_text = unit == MatchUnit::Character;
    let captures = regex_automata::nfa::thompson::WhichCaptures::Implicit;
    let config = meta::Config::new()
        .nfa_size_limit(Some(SIZE_LIMIT))
        .utf8_empty(is_text)
        .which_captures(captures)
        .hybrid_cache_capacity(2 << 20);
    let built = meta::Builder::new()
        .configure(config)
        .syntax(syntax::Config::new().utf8(is_text).nest_limit(NEST_LIMIT))
        .build(&text);
    built.map_err(|error| match error.size_limit() {
        Some(limit) => MatcherError::TooLarge { limit },
        None => {
            MatcherError::Refused(error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string))
        }
    })
}
