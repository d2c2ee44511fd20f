//! Keywords: which decide what is accepted, and how patterns are read.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use kvrules_kubernetes::keywords::{
    KEYWORDS, KeywordDialect, KeywordRole, SchemaKeyword, VALIDATIONS, find_keyword,
};
use kvrules_regex::ecma::to_re2;
use kvrules_regex::{Automaton, Matcher, StepBudget, TextDemands, TextSearch};

/// Keywords of a role in the draft that schemas are adapted to.
pub(super) fn keywords_of_role(role: KeywordRole) -> impl Iterator<Item = &'static str> {
    let is_wanted =
        move |keyword: &&SchemaKeyword| keyword.role == role && keyword.dialect == KeywordDialect::Current;
    KEYWORDS.iter().filter(is_wanted).map(|keyword| keyword.name)
}

/// True if a keyword limits a value by itself.
pub(super) fn limits_value(keyword: &str) -> bool {
    find_keyword(keyword).is_some_and(|keyword| {
        keyword.role == KeywordRole::Value && keyword.dialect == KeywordDialect::Current
    })
}

/// Keywords that are compared as one with the schemas around them.
pub(super) const BRANCHES: [&str; 9] = [
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// True if a keyword decides what is accepted. `$ref` and `allOf` are replaced by their targets.
pub(super) fn is_deciding(keyword: &str) -> bool {
    let is_constraint = |keyword: &SchemaKeyword| {
        keyword.is_constraint() && keyword.dialect == KeywordDialect::Current && keyword.name != "allOf"
    };
    // No validator of JSON Schema runs rules in CEL, but they are compared too.
    keyword == VALIDATIONS || find_keyword(keyword).is_some_and(is_constraint)
}

/// A pattern, compiled when it is first asked for.
#[derive(Debug)]
struct CompiledPattern {
    matcher: Option<Matcher>,
    automaton: OnceCell<Option<Rc<Automaton>>>,
}

/// Number of compiled patterns that are kept.
const MOST_PATTERNS: usize = 500;

/// All their automata together take about so many bytes.
const MOST_BYTES: usize = 32 << 20;

/// Patterns by their text. The same patterns are tested for many fields of one schema.
#[derive(Debug, Default)]
struct PatternCache {
    compiled: HashMap<String, Rc<CompiledPattern>>,
    bytes: usize,
}

thread_local! {
    static PATTERNS: RefCell<PatternCache> = RefCell::default();
}

fn compile_pattern(pattern: &str) -> Rc<CompiledPattern> {
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(known) = patterns.compiled.get(pattern) {
            return Rc::clone(known);
        }
        if patterns.compiled.len() >= MOST_PATTERNS || patterns.bytes > MOST_BYTES {
            *patterns = PatternCache::default();
        }
        let regex = to_re2(pattern).ok().and_then(|pattern| kvrules_regex::parse(&pattern).ok());
        let matcher = regex.and_then(|regex| regex.compile_matcher().ok());
        let compiled = Rc::new(CompiledPattern { matcher, automaton: OnceCell::new() });
        patterns.compiled.insert(pattern.to_owned(), Rc::clone(&compiled));
        compiled
    })
}

/// Returns the automaton of a pattern, if one can be made.
pub(super) fn pattern_automaton(pattern: &str) -> Option<Rc<Automaton>> {
    let compiled = compile_pattern(pattern);
    let made = || {
        let automaton = kvrules_regex::parse(&to_re2(pattern).ok()?).ok()?.to_automaton()?;
        PATTERNS.with_borrow_mut(|patterns| patterns.bytes += automaton.byte_size());
        Some(Rc::new(automaton))
    };
    compiled.automaton.get_or_init(made).clone()
}

/// True if a pattern matches a name. An invalid pattern matches none; the validator has the last word.
pub(super) fn pattern_matches(pattern: &str, name: &str) -> bool {
    compile_pattern(pattern).matcher.as_ref().is_some_and(|matcher| matcher.is_match(name))
}

/// The number of steps that the search for one name may take.
const MOST_STEPS: u64 = 2_000_000;

/// Names are kept from matching so many other patterns.
const MOST_OTHERS: usize = 12;

/// A text that a pattern matches and others do not. Of the others only those count that match the names which come up: most
/// never do.
pub(super) fn name_for(pattern: &str, others: &[&str]) -> Option<String> {
    name_within(pattern, others, &StepBudget::new(MOST_STEPS))
}

fn name_within(pattern: &str, others: &[&str], steps: &StepBudget) -> Option<String> {
    let own = pattern_automaton(pattern)?;
    let mut lacks: Vec<Rc<Automaton>> = Vec::new();
    loop {
        let refs: Vec<&Automaton> = lacks.iter().map(Rc::as_ref).collect();
        let demands = TextDemands { matches: &[&own], lacks: &refs, length: (1, Some(64)) };
        let TextSearch::Found(text) = demands.search_within(steps) else { return None };
        let Some(other) = others.iter().find(|other| pattern_matches(other, &text)) else {
            return Some(text);
        };
        if lacks.len() >= MOST_OTHERS {
            return None;
        }
        lacks.push(pattern_automaton(other)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_for_one_of_many_overlapping_patterns_takes_few_steps() {
        let patterns: Vec<String> = (0..100).map(|index| format!("{index}.*v")).collect();
        for (at, pattern) in patterns.iter().enumerate() {
            let others: Vec<&str> = patterns
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, it)| it.as_str())
                .collect();
            let steps = StepBudget::new(MOST_STEPS);
            let name = name_within(pattern, &others, &steps);
            assert!(steps.steps_used() < 1_500_000, "{pattern} {}", steps.steps_used());
            if let Some(name) = name {
                assert!(
                    pattern_matches(pattern, &name)
                        && !others.iter().any(|other| pattern_matches(other, &name)),
                    "{name}"
                );
            }
        }
    }
}
