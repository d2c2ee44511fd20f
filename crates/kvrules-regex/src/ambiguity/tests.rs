//! The families that are found keep a small backtracking engine busy, and patterns without one do not.

use super::*;
use crate::ast::{Anchor, Node};

/// A matcher that backtracks as Perl's does, and counts its steps.
struct Backtracker {
    text: Vec<char>,
    steps: u64,
}

const ENOUGH: u64 = 200_000;

impl Backtracker {
    fn steps(regex: &Regex, text: &str) -> u64 {
        let mut engine = Self { text: text.chars().collect(), steps: 0 };
        for start in 0..=engine.text.len() {
            if engine.run(regex.ast(), start, &mut |_, _| true) {
                break;
            }
        }
        engine.steps
    }

    fn run(&mut self, node: &Node, at: usize, next: &mut dyn FnMut(&mut Self, usize) -> bool) -> bool {
        self.steps += 1;
        if self.steps > ENOUGH {
            return true;
        }
        let char = self.text.get(at).copied();
        let one = |fits: bool| if fits { Some(at + 1) } else { None };
        let after = match node {
            Node::Literal { char: wanted, fold: false } => one(char == Some(*wanted)),
            Node::Literal { char: wanted, .. } => {
                one(char.is_some_and(|c| crate::fold_orbit(*wanted).contains(&c)))
            }
            Node::Any { newline } => one(char.is_some_and(|c| *newline || c != '\n')),
            Node::Class(class) => one(char.is_some_and(|c| class.contains(c))),
            Node::Anchor(Anchor::TextStart) => (at == 0).then_some(at),
            Node::Anchor(Anchor::TextEnd) => (at == self.text.len()).then_some(at),
            Node::Empty | Node::Anchor(_) => Some(at),
            Node::Group { node, .. } => return self.run(node, at, next),
            Node::Concat(parts) => return self.sequence(parts, at, next),
            Node::Alternate(parts) => return parts.iter().any(|part| self.run(part, at, next)),
            Node::Repeat { node, min, max, .. } => return self.repeat(node, *min, *max, at, next),
        };
        after.is_some_and(|after| next(self, after))
    }

    fn sequence(
        &mut self,
        parts: &[Node],
        at: usize,
        next: &mut dyn FnMut(&mut Self, usize) -> bool,
    ) -> bool {
        match parts.split_first() {
            Some((first, rest)) => self.run(first, at, &mut |engine, at| engine.sequence(rest, at, next)),
            None => next(self, at),
        }
    }

    fn repeat(
        &mut self,
        node: &Node,
        min: u32,
        max: Option<u32>,
        at: usize,
        next: &mut dyn FnMut(&mut Self, usize) -> bool,
    ) -> bool {
        let more = max != Some(0)
            && self.run(node, at, &mut |engine, after| {
                // An iteration that consumes nothing ends the loop, as in every engine.
                after != at && engine.repeat(node, min.saturating_sub(1), max.map(|max| max - 1), after, next)
            });
        more || (min == 0 && next(self, at))
    }
}

fn family(pattern: &str) -> Option<Ambiguity> {
    match crate::parse(pattern).unwrap().exponential_ambiguity() {
        AmbiguitySearch::Found(found) => Some(found),
        AmbiguitySearch::Nothing | AmbiguitySearch::TooLarge => None,
    }
}

#[test]
fn exponential_families_double_the_steps_of_a_backtracking_engine() {
    let patterns = [
        "^(a+)+$",
        "^(a*)*$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "^(a|b|ab)*$",
        r"^(\w+\s?)*$",
        "^([a-z]+)*[0-9]$",
        "(x+x+)+y",
        "^((ab)*|(abab)*)*c$",
        r"^(([a-z])+.)+[A-Z]([a-z])+$",
        "(.*)*=.*x",
        "(?i)^(k|K)+$",
        "^(a?b?)*c$",
    ];
    for pattern in patterns {
        let found = family(pattern).unwrap_or_else(|| panic!("{pattern}"));
        let regex = crate::parse(pattern).unwrap();
        let steps = [8, 12, 16].map(|times| Backtracker::steps(&regex, &found.pumped_text(times)));
        assert!(steps[1] > 8 * steps[0] || steps[1] > ENOUGH, "{pattern} {found:?} {steps:?}");
        assert!(steps[2] > 8 * steps[1] || steps[2] > ENOUGH, "{pattern} {found:?} {steps:?}");
    }
}

#[test]
fn expressions_that_read_each_text_in_few_ways_have_no_family() {
    for pattern in [
        "",
        "a",
        "^(virtio|scsi)$",
        "^a*$",
        "^(ab)*$",
        "^[a-z]([-a-z0-9]*[a-z0-9])?!$",
        "^(a+b)+$",
        r"^\d+\.\d+$",
        "^(a|b)*c$",
        "(a*)*",
        "^[0-9]+(Ki|Mi|Gi)?$",
        "^a{2,5}$",
        ".*",
        // Ambiguous, but the work only grows with a power of the length.
        r"^\d*\d*$",
        "^.*a.*b$",
    ] {
        assert_eq!(family(pattern), None, "{pattern}");
    }
}

#[test]
fn large_expressions_are_given_up() {
    let search = |pattern: &str| crate::parse(pattern).unwrap().exponential_ambiguity();
    assert_eq!(search("^(a{1000}b?)*(a{1000}b?)*$"), AmbiguitySearch::TooLarge);
    // Every character of a run of optional ones may follow every other.
    assert_eq!(search("^((ab?c?){0,900})*$"), AmbiguitySearch::TooLarge);
}

/// The steps that the search of a pattern takes.
fn steps(pattern: &str) -> u64 {
    let regex = crate::parse(pattern).unwrap();
    let steps = StepBudget::new(MOST_STEPS);
    exponential_within(&regex, &steps);
    steps.steps_used()
}

#[test]
fn patterns_without_loops_take_no_search_for_exponential_backtracking() {
    for count in 1..=6 {
        let pattern = format!("^{}$", "((a?b?c?){0,3}){4}".repeat(count));
        assert_eq!(steps(&pattern), 0, "{pattern}");
    }
    assert_eq!(steps("^[a-z]{1,253}$"), 0);
}

#[test]
fn the_search_for_exponential_backtracking_grows_with_the_square_of_a_loop() {
    let loops = |count: usize| format!("^(?:{})*$", ('a'..='z').take(count).collect::<String>());
    let (small, large) = (steps(&loops(6)), steps(&loops(24)));
    assert!(small > 0 && large < 32 * small, "{small} {large}");
    // Nested stars are one loop, however deep.
    let stars = |depth: usize| format!("^{}a{}$", "(".repeat(depth), ")*".repeat(depth));
    assert_eq!(steps(&stars(3)), steps(&stars(100)));
}

#[test]
fn loops_of_more_than_a_hundred_characters_are_decided() {
    assert!(family("^((a?b?c?){0,50})*$").is_some());
    let letters: String = ('a'..='z').chain('A'..='Z').chain('0'..='9').flat_map(|c| [c, '-', '?']).collect();
    let search =
        crate::parse(&format!("^({letters}){{1,2}}(?:{letters})*$")).unwrap().exponential_ambiguity();
    assert_eq!(search, AmbiguitySearch::Nothing);
}
