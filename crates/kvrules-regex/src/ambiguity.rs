//! Expressions on which engines that backtrack take very long.
//!
//! Go, RE2 and Rust do not backtrack, so a rule is safe there. The same pattern in a schema or a policy may be run by
//! Perl's, Python's or JavaScript's engine, which try one way through the pattern after another. Where a text can be read in
//! more and more ways and does not match in the end, they try them all. How the number of ways grows is a property of the
//! automaton whose states are the characters of the pattern (Weber and Seidl 1991): exponentially where a state leads back to
//! itself by one text in two ways, polynomially where two states loop by a text that also leads from one to the other.

mod loops;
mod positions;

use crate::Regex;
use positions::Positions;

/// How the work of a backtracking engine grows with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Growth {
    /// With the length to this power.
    Polynomial(u32),
    /// It doubles, or more, with each repetition.
    Exponential,
}

/// A family of texts that keeps a backtracking engine busy: `prefix`, many times `pump`, and `suffix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// What the text begins with.
    pub prefix: String,
    /// What is repeated.
    pub pump: String,
    /// What it ends with, so that it does not match.
    pub suffix: String,
    /// How the work grows.
    pub growth: Growth,
}

/// Ends that are tried, of which one usually keeps a text from matching.
const SUFFIXES: [&str; 9] = ["!", "\n", "\u{1}", "a", "0", " ", "-", "\u{e9}", ""];

impl Ambiguity {
    /// The text with so many repetitions.
    pub fn text(&self, times: usize) -> String {
        format!("{}{}{}", self.prefix, self.pump.repeat(times), self.suffix)
    }
}

/// The worst family of texts; none where there is none, or where the expression is too large to tell.
pub(crate) fn ambiguity(regex: &Regex) -> Option<Ambiguity> {
    let positions = Positions::of(regex.ast())?;
    let candidates = loops::exponential(&positions).into_iter().chain(loops::polynomial(&positions));
    let matcher = regex.matcher().ok()?;
    candidates.into_iter().find_map(|found| {
        SUFFIXES.iter().find_map(|suffix| {
            let found = Ambiguity { suffix: (*suffix).to_owned(), ..found.clone() };
            let fails = [1, 2, 3, 7].iter().all(|times| !matcher.is_match(&found.text(*times)));
            fails.then_some(found)
        })
    })
}

#[cfg(test)]
mod tests;
