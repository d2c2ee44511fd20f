//! Expressions on which engines that backtrack take very long.
//!
//! Go, RE2 and Rust do not backtrack, so a rule is safe there. The same pattern in a schema or a policy may be run by
//! Perl's, Python's or JavaScript's engine, which try one way through the pattern after another. Where a text can be read in
//! more and more ways and does not match in the end, they try them all. How the number of ways grows is a property of the
//! automaton whose states are the characters of the pattern (Weber and Seidl 1991): exponentially if a state leads back to
//! itself by one text in two ways.

mod exponential;
mod positions;

use crate::step_budget::StepBudget;
use crate::{Matcher, Regex};
use positions::PositionAutomaton;

/// A family of texts that keeps a backtracking engine busy: `prefix`, many times `pump`, and `suffix`. Its work doubles, or more, with
/// each repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// Beginning of the text.
    pub prefix: String,
    /// Repeated part of the text.
    pub pump: String,
    /// End of the text, so that it does not match.
    pub suffix: String,
}

/// The result of a search for a family of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AmbiguitySearch {
    /// A family of texts.
    Found(Ambiguity),
    /// None was found.
    Nothing,
    /// The expression is too large to decide.
    TooLarge,
}

/// Ends that are tried, of which one usually keeps a text from matching.
const SUFFIXES: [&str; 9] = ["!", "\n", "\u{1}", "a", "0", " ", "-", "\u{e9}", ""];

/// The number of steps that one search may take: visits of pairs of states, a step for 64 pairs.
const MOST_STEPS: u64 = 10_000_000;

impl Ambiguity {
    /// The text with so many repetitions.
    pub fn pumped_text(&self, times: usize) -> String {
        format!("{}{}{}", self.prefix, self.pump.repeat(times), self.suffix)
    }
}

/// The first exponential family of texts.
pub(crate) fn find_exponential(regex: &Regex) -> AmbiguitySearch {
    exponential_within(regex, &StepBudget::new(MOST_STEPS))
}

fn exponential_within(regex: &Regex, steps: &StepBudget) -> AmbiguitySearch {
    let Some(positions) = PositionAutomaton::from_node(regex.ast()) else { return AmbiguitySearch::TooLarge };
    let mut trial = FamilyTrial { regex, matcher: None };
    exponential::search_components(&positions, steps, &mut |family| trial.with_failing_suffix(&family))
}

/// The expression, compiled when the first family is tried.
struct FamilyTrial<'r> {
    regex: &'r Regex,
    matcher: Option<Matcher>,
}

impl FamilyTrial<'_> {
    /// The family with a suffix that keeps its texts from matching.
    fn with_failing_suffix(&mut self, family: &Ambiguity) -> Option<Ambiguity> {
        if self.matcher.is_none() {
            self.matcher = self.regex.compile_matcher().ok();
        }
        let matcher = self.matcher.as_ref()?;
        SUFFIXES.iter().find_map(|suffix| {
            let found = Ambiguity { suffix: (*suffix).to_owned(), ..family.clone() };
            let fails = [1, 2, 3, 7].iter().all(|times| !matcher.is_match(&found.pumped_text(*times)));
            fails.then_some(found)
        })
    }
}

#[cfg(test)]
mod tests;
