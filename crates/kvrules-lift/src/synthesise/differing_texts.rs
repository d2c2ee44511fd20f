//! Texts that one of two patterns matches and the other does not.

use kvrules_generate::PlaceStep;
use kvrules_regex::{Automaton, StepBudget, TextDemands, TextSearch};

use super::Edit;

/// The most patterns of one place that are compared with each other.
const MOST_PATTERNS: usize = 4;

/// The number of steps of all searches for texts.
const MOST_STEPS: u64 = 100_000;

/// Values with a text for each two patterns of a place, of which one alone matches it.
pub(super) fn differing_texts(patterns: &[(Vec<PlaceStep>, String)]) -> Vec<(Vec<PlaceStep>, Vec<Edit>)> {
    let mut places: Vec<(&Vec<PlaceStep>, Vec<&str>)> = Vec::new();
    for (place, pattern) in patterns {
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, known)) if known.contains(&pattern.as_str()) => {}
            Some((_, known)) => known.push(pattern),
            None => places.push((place, vec![pattern])),
        }
    }
    let steps = StepBudget::new(MOST_STEPS);
    let several = places.into_iter().filter(|(_, patterns)| patterns.len() > 1);
    several.map(|(place, patterns)| (place.clone(), texts_between(&patterns, &steps))).collect()
}

fn texts_between(patterns: &[&str], steps: &StepBudget) -> Vec<Edit> {
    let automaton = |pattern: &&str| kvrules_regex::parse(pattern).ok()?.to_automaton();
    let automata: Vec<Automaton> = patterns.iter().take(MOST_PATTERNS).filter_map(automaton).collect();
    let mut texts = Vec::new();
    for (at, one) in automata.iter().enumerate() {
        for (_, other) in automata.iter().enumerate().filter(|(number, _)| *number != at) {
            let demands = TextDemands { matches: &[one], lacks: &[other], ..TextDemands::default() };
            if let TextSearch::Found(text) = demands.search_within(steps) {
                texts.push(Edit::Set(text.into()));
            }
        }
    }
    texts
}
