//! Telling whether a text contains a match, on the `regex` crate.
//!
//! The crate's automata take time linear in the text, as Go's do, so no pattern of a rule can stall an evaluation.

use std::fmt;

use crate::Regex;

/// The greatest compiled size, in bytes. Go bounds the number of its instructions to about as much memory.
const SIZE_LIMIT: usize = 128 << 20;

/// The longest text handed to the engine, in bytes; many large classes make it long, and reading them slow.
const TEXT_LIMIT: usize = 4 << 20;

/// Deeper than any tree that the parser lets through, so that only the parser's own limit counts.
const NEST_LIMIT: u32 = 8192;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Matcher {
    regex: regex::bytes::Regex,
}

/// Why an expression could not be compiled.
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

impl Matcher {
    pub(crate) fn new(regex: &Regex) -> Result<Self, MatcherError> {
        let text = regex.to_rust();
        if text.len() > TEXT_LIMIT {
            return Err(MatcherError::TooLarge { limit: TEXT_LIMIT });
        }
        let built =
            regex::bytes::RegexBuilder::new(&text).size_limit(SIZE_LIMIT).nest_limit(NEST_LIMIT).build();
        match built {
            Ok(regex) => Ok(Self { regex }),
            Err(regex::Error::CompiledTooBig(limit)) => Err(MatcherError::TooLarge { limit }),
            Err(other) => Err(MatcherError::Refused(other.to_string())),
        }
    }

    /// Whether the expression matches anywhere in the text.
    ///
    /// ```
    /// let matcher = kvrules_regex::parse("^q").unwrap().matcher().unwrap();
    /// assert!(matcher.is_match("q35"));
    /// assert!(!matcher.is_match("pc-q35"));
    /// ```
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text.as_bytes())
    }
}
