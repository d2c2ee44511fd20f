//! Regular expressions as finite automata, and texts that some of them match and others do not.
//!
//! True if one expression matches wherever another does, whether two can match the same text, and whether one matches
//! every text are all the same question: is there a text that these match and those do not? It is answered by walking
//! all automata in step, so an answer of "there is none" is a proof.

mod walk;

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};

use crate::Regex;
use crate::step_budget::StepBudget;

/// The greatest size of one automaton, in bytes. Patterns of rules stay far below it.
const SIZE_LIMIT: usize = 4 << 20;

/// The number of steps that one search may take.
const MOST_STEPS: u64 = 10_000_000;

/// An expression as a finite automaton over the bytes of a text.
#[derive(Clone, Debug)]
pub struct Automaton {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
}

/// Result of a search for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSearch {
    /// One of the shortest texts.
    Found(String),
    /// No text meets the demands.
    Nothing,
    /// The automata have too many states together.
    TooLarge,
}

/// Demands on a text.
///
/// ```
/// use kvrules_regex::{TextDemands, TextSearch, parse};
///
/// let bus = parse("^(virtio|scsi)$").unwrap().to_automaton().unwrap();
/// let short = parse("^.{1,4}$").unwrap().to_automaton().unwrap();
/// let both = TextDemands { matches: &[&bus, &short], ..TextDemands::default() };
/// assert_eq!(both.find_text(), TextSearch::Found("scsi".to_owned()));
/// let longer = TextDemands { matches: &[&bus, &short], length: (5, None), ..TextDemands::default() };
/// assert_eq!(longer.find_text(), TextSearch::Nothing);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TextDemands<'a> {
    /// These match it.
    pub matches: &'a [&'a Automaton],
    /// These do not.
    pub lacks: &'a [&'a Automaton],
    /// The least and the greatest number of its code points.
    pub length: (usize, Option<usize>),
}

impl TextDemands<'_> {
    /// Looks for a text that meets all demands.
    pub fn find_text(&self) -> TextSearch {
        self.search_within(&StepBudget::new(MOST_STEPS))
    }

    /// Looks for a text that meets all demands, with the steps that several searches share. A step moves one automaton by one
    /// byte.
    ///
    /// ```
    /// use kvrules_regex::{TextDemands, StepBudget, TextSearch, parse};
    ///
    /// let automaton = parse("^(a|b)*a(a|b){7}$").unwrap().to_automaton().unwrap();
    /// let demands = TextDemands { matches: &[&automaton], ..TextDemands::default() };
    /// assert_eq!(demands.search_within(&StepBudget::new(10)), TextSearch::TooLarge);
    /// ```
    pub fn search_within(&self, steps: &StepBudget) -> TextSearch {
        // A single search may not use up the steps of all.
        let own = StepBudget::new(MOST_STEPS.min(steps.steps_left()));
        let found = walk::search_text(self, &own);
        steps.try_take(own.steps_used());
        found
    }
}

impl Automaton {
    /// The automaton of an expression; none if it would be too large, and for `\B`, which must not look inside of
    /// characters and has no automaton over bytes.
    pub(crate) fn new(regex: &Regex) -> Option<Self> {
        Self::of_rust(&regex.to_rust())
    }

    /// The number of bytes that it takes, which is also a measure of the work of making it.
    pub fn byte_size(&self) -> usize {
        self.dfa.memory_usage()
    }

    /// The automaton that matches texts, which are valid UTF-8, and no other bytes.
    fn of_texts() -> Option<Self> {
        Self::of_rust(r"\A(?s:.)*\z")
    }

    fn of_rust(pattern: &str) -> Option<Self> {
        let config = dense::Config::new()
            .start_kind(StartKind::Unanchored)
            .match_kind(MatchKind::All)
            .accelerate(false)
            .dfa_size_limit(Some(SIZE_LIMIT))
            .determinize_size_limit(Some(SIZE_LIMIT));
        let dfa = dense::Builder::new()
            .configure(config)
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(SIZE_LIMIT)))
            .syntax(syntax::Config::new().utf8(false).nest_limit(8192))
            .build(pattern)
            .ok()?;
        let start = dfa.start_state(&start::Config::new().anchored(Anchored::No)).ok()?;
        Some(Self { dfa, start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn automata(patterns: &[&str]) -> Vec<Automaton> {
        patterns.iter().map(|pattern| crate::parse(pattern).unwrap().to_automaton().unwrap()).collect()
    }

    fn search(matches: &[&str], lacks: &[&str], length: (usize, Option<usize>)) -> TextSearch {
        let (matches, lacks) = (automata(matches), automata(lacks));
        let (matches, lacks): (Vec<_>, Vec<_>) = (matches.iter().collect(), lacks.iter().collect());
        TextDemands { matches: &matches, lacks: &lacks, length }.find_text()
    }

    #[test]
    fn what_is_found_meets_the_demands_and_nothing_means_that_there_is_none() {
        let patterns = [
            "",
            "a",
            "^a",
            "a$",
            "^a$",
            "^a|b$",
            "^(a|b)$",
            "^[ab]*$",
            "a.b",
            r"\bab\b",
            "(?m)^b$",
            "(?i)^A$",
            "^.$",
            "^(?s:.)$",
            "^é+$",
            r"^\d{2}$",
            "a^",
            "^$",
            "[^a]",
            "^(ab)*$",
            "^(aba?b?)*$",
        ];
        let mut texts = vec![String::new()];
        for length in 0..4 {
            let longest: Vec<_> =
                texts.iter().filter(|text| text.chars().count() == length).cloned().collect();
            for text in longest {
                texts.extend("ab1é\n A".chars().map(|c| format!("{text}{c}")));
            }
        }
        let mut nothing = 0;
        for one in patterns {
            for other in patterns {
                let (own, not) = (
                    crate::parse(one).unwrap().compile_matcher().unwrap(),
                    crate::parse(other).unwrap().compile_matcher().unwrap(),
                );
                for length in [(0, None), (2, Some(3)), (1, Some(1))] {
                    let fits = |text: &str| {
                        let count = text.chars().count();
                        own.is_match(text)
                            && !not.is_match(text)
                            && count >= length.0
                            && length.1.is_none_or(|most| count <= most)
                    };
                    match search(&[one], &[other], length) {
                        TextSearch::Found(text) => assert!(fits(&text), "{one} not {other}: {text:?}"),
                        TextSearch::Nothing => {
                            nothing += 1;
                            let found = texts.iter().find(|text| fits(text));
                            assert_eq!(found, None, "{one} not {other}");
                        }
                        TextSearch::TooLarge => panic!("{one} {other}"),
                    }
                }
            }
        }
        assert!(nothing > 100, "{nothing}");
    }

    #[test]
    fn lengths_are_counted_in_code_points() {
        assert_eq!(search(&["^é*$"], &[], (3, Some(3))), TextSearch::Found("ééé".to_owned()));
        assert_eq!(search(&["^é*$"], &["^.{0,2}$"], (0, Some(2))), TextSearch::Nothing);
    }

    #[test]
    fn a_product_of_automata_stops_at_its_steps() {
        let pattern = |index: usize| format!("^(a|b)*{}(a|b){{{}}}$", ["a", "b"][index % 2], 7 + index / 2);
        let patterns: Vec<String> = (0..8).map(pattern).collect();
        let automata = automata(&patterns.iter().map(String::as_str).collect::<Vec<_>>());
        let automata: Vec<_> = automata.iter().collect();
        let (matches, lacks) = automata.split_at(4);
        let steps = StepBudget::new(100_000);
        let demands = TextDemands { matches, lacks, ..TextDemands::default() };
        assert!(matches!(demands.search_within(&steps), TextSearch::TooLarge));
        assert_eq!(steps.steps_left(), 0);
    }

    #[test]
    fn what_is_too_large_is_said_to_be() {
        assert!(crate::parse(r"(?:a|b)*a(?:a|b){20}").unwrap().to_automaton().is_none());
    }
}
