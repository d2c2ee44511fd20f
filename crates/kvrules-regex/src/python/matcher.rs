//! Matches whole texts, with finite automata if possible, else with our own matcher.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::vm::{MatchAnswer, Program};
use super::{Captures, PythonError, PythonRegex};

/// Patterns that compile to more are run by our own matcher, whose classes need no automaton.
const SIZE_LIMIT: usize = 4 << 20;

/// A compiled Python pattern.
#[derive(Clone, Debug)]
pub struct PythonMatcher {
    engine: Engine,
    names: Arc<[(String, usize)]>,
}

#[derive(Clone, Debug)]
enum Engine {
    Literal(String),
    Automaton(regex::Regex),
    Program(Arc<Program>),
}

impl PythonMatcher {
    pub(super) fn new(regex: &PythonRegex) -> Result<Self, PythonError> {
        let names = regex.names.iter().cloned().collect();
        Ok(Self { engine: choose_engine(regex)?, names })
    }

    /// True if the whole text matches, as `re.fullmatch` says.
    ///
    /// A pattern with references that takes too many steps does not match; [`PythonMatcher::try_full_match`] distinguishes the
    /// two.
    pub fn is_match(&self, text: &str) -> bool {
        self.try_full_match(text) == Some(true)
    }

    /// True if the whole text matches; `None` if a pattern with references takes too many steps.
    pub fn try_full_match(&self, text: &str) -> Option<bool> {
        match &self.engine {
            Engine::Literal(wanted) => Some(wanted == text),
            Engine::Automaton(regex) => Some(regex.is_match(text)),
            Engine::Program(program) => match program.full_match(text) {
                MatchAnswer::Match(_) => Some(true),
                MatchAnswer::NoMatch => Some(false),
                MatchAnswer::GaveUp => None,
            },
        }
    }

    /// Returns the text of the named groups, if the whole text matches. A group that took no part is left out.
    pub fn named_captures<'t>(&self, text: &'t str) -> Option<BTreeMap<String, &'t str>> {
        let captures = self.captures(text)?;
        let taken = self.names.iter().filter_map(|(name, index)| {
            let range = captures.get(*index)?.clone()?;
            Some((name.clone(), text.get(range)?))
        });
        Some(taken.collect())
    }

    fn captures(&self, text: &str) -> Option<Captures> {
        match &self.engine {
            Engine::Literal(wanted) => (wanted == text).then(Vec::new),
            Engine::Automaton(regex) => {
                let found = regex.captures(text)?;
                Some(found.iter().map(|part| part.map(|part| part.range())).collect())
            }
            Engine::Program(program) => match program.full_match(text) {
                MatchAnswer::Match(captures) => Some(captures),
                _ => None,
            },
        }
    }
}

fn choose_engine(regex: &PythonRegex) -> Result<Engine, PythonError> {
    if let Some(text) = regex.as_literal() {
        return Ok(Engine::Literal(text));
    }
    if let Ok(linear) = regex.to_regex() {
        let built = regex::RegexBuilder::new(&linear.to_rust()).size_limit(SIZE_LIMIT).build();
        if let Ok(built) = built {
            return Ok(Engine::Automaton(built));
        }
    }
    Program::new(&regex.node, regex.groups).map(|program| Engine::Program(Arc::new(program)))
}
