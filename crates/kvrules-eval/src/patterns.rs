//! The regular expressions of a predicate, compiled once.

use std::collections::BTreeMap;
use std::fmt;

use kvrules_ir::{Predicate, RegexPattern, ValueTest};
use kvrules_regex::Matcher;

/// Compiled expressions by their text. A predicate has few, so a search costs a comparison or two.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompiledPatterns(BTreeMap<RegexPattern, Matcher>);

/// A regular expression that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The expression.
    pub pattern: String,
    /// Description of the problem.
    pub reason: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "invalid pattern `{}`: {}", self.pattern, self.reason)
    }
}

impl std::error::Error for PatternError {}

impl CompiledPatterns {
    /// Compiles one more expression.
    pub(crate) fn add_pattern(&mut self, pattern: &RegexPattern) -> Result<(), PatternError> {
        if !self.0.contains_key(pattern) {
            self.0.insert(pattern.clone(), compile_pattern(pattern)?);
        }
        Ok(())
    }

    /// True if an expression matches somewhere in a string. One that could not be compiled matches nowhere.
    pub(crate) fn is_match(&self, pattern: &RegexPattern, text: &str) -> bool {
        self.0.get(pattern).is_some_and(|matcher| matcher.is_match(text))
    }
}

/// The regular expressions of a predicate.
pub(crate) fn patterns_of(predicate: &Predicate) -> Vec<&RegexPattern> {
    match predicate {
        Predicate::Test { test: ValueTest::Matches(pattern), .. } => vec![pattern],
        _ => predicate.children().iter().flat_map(patterns_of).collect(),
    }
}

fn compile_pattern(pattern: &RegexPattern) -> Result<Matcher, PatternError> {
    kvrules_regex::compile_matcher(&pattern.0)
        .map_err(|reason| PatternError { pattern: pattern.0.clone(), reason: reason.to_string() })
}
