//! Walking several automata in step, over all texts, the shortest first.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::sync::LazyLock;

use regex_automata::dfa::Automaton as _;
use regex_automata::util::primitives::StateID;

use super::{Automaton, TextDemands, TextSearch};
use crate::step_budget::StepBudget;

/// More states of all automata together than this are not examined.
const MOST_STATES: usize = 50_000;

static TEXTS: LazyLock<Option<Automaton>> = LazyLock::new(Automaton::of_texts);

/// State of an automaton: a state of its own, or one of the two below.
type StandingState = u32;

/// The text so far has a match, which nothing that follows takes away.
const MATCHED: StandingState = u32::MAX;

/// No text that begins so has a match.
const NEVER: StandingState = u32::MAX - 1;

/// States of all automata, followed by the number of code points so far.
type StateVector = Rc<[u32]>;

/// Walks the automata of the demands, and behind them that of all texts.
struct ProductWalk<'a> {
    automata: Vec<&'a Automaton>,
    /// Number of automata that must match; those that follow must not.
    matching: usize,
    length: (u32, Option<u32>),
    steps: &'a StepBudget,
}

pub(super) fn search_text(demands: &TextDemands<'_>, steps: &StepBudget) -> TextSearch {
    let Some(texts) = TEXTS.as_ref() else { return TextSearch::TooLarge };
    let matches = std::iter::once(texts).chain(demands.matches.iter().copied());
    let (least, most) = demands.length;
    let (Ok(least), most) = (u32::try_from(least), most.map(|most| u32::try_from(most).unwrap_or(NEVER)))
    else {
        return TextSearch::TooLarge;
    };
    let walk = ProductWalk {
        automata: matches.chain(demands.lacks.iter().copied()).collect(),
        matching: demands.matches.len() + 1,
        length: (least, most),
        steps,
    };
    walk.run_search()
}

impl ProductWalk<'_> {
    fn run_search(&self) -> TextSearch {
        let bytes = self.representatives();
        let mut next: Vec<u32> = self.automata.iter().map(|one| one.standing(one.start)).collect();
        next.push(0);
        if !self.can_do(&next) {
            return TextSearch::Nothing;
        }
        let start: StateVector = Rc::from(next.as_slice());
        let (mut seen, mut queue) = (HashSet::from([Rc::clone(&start)]), VecDeque::from([(0, start)]));
        // For each queued state: the index of the state before it, and the byte between them.
        let mut ways: Vec<(usize, u8)> = vec![(0, 0)];
        let cost = u64::try_from(bytes.len() * self.automata.len()).unwrap_or(u64::MAX);
        while let Some((way, stand)) = queue.pop_front() {
            if self.ends_well(&stand) {
                return spell_found(&ways, way);
            }
            if !self.steps.try_take(cost) {
                return TextSearch::TooLarge;
            }
            for byte in &bytes {
                if !self.step(&stand, *byte, &mut next) || seen.contains(next.as_slice()) {
                    continue;
                }
                if seen.len() >= MOST_STATES {
                    return TextSearch::TooLarge;
                }
                let next: StateVector = Rc::from(next.as_slice());
                seen.insert(Rc::clone(&next));
                ways.push((way, *byte));
                queue.push_back((ways.len() - 1, next));
            }
        }
        TextSearch::Nothing
    }

    /// One byte out of each set of bytes that no automaton distinguishes; of those that people read, if there are any.
    fn representatives(&self) -> Vec<u8> {
        let readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(b' '..=b'~');
        let mut classes = HashSet::new();
        let class = |byte: u8| -> Vec<u8> {
            self.automata.iter().map(|one| one.dfa.byte_classes().get(byte)).collect()
        };
        readable.chain(0..=u8::MAX).filter(|byte| classes.insert(class(*byte))).collect()
    }

    /// Puts into `next` where a byte leads; false if no match can follow.
    fn step(&self, stand: &[u32], byte: u8, next: &mut Vec<u32>) -> bool {
        next.clear();
        for (at, (standing, one)) in stand.iter().zip(&self.automata).enumerate() {
            let standing = match *standing {
                settled @ (MATCHED | NEVER) => settled,
                state => id(state).map_or(NEVER, |state| one.standing(one.dfa.next_state(state, byte))),
            };
            if standing == self.lost_standing(at) {
                return false;
            }
            next.push(standing);
        }
        // Every code point has one byte that continues no other.
        let count = stand.last().map_or(0, |count| count + u32::from(byte & 0b1100_0000 != 0b1000_0000));
        // Without a maximum length, count only up to the minimum, because higher counts would only add states.
        next.push(if self.length.1.is_none() { count.min(self.length.0) } else { count });
        self.length.1.is_none_or(|most| count <= most)
    }

    /// State of an automaton from which the required result cannot be reached.
    fn lost_standing(&self, at: usize) -> StandingState {
        if at < self.matching { NEVER } else { MATCHED }
    }

    fn can_do(&self, stand: &[u32]) -> bool {
        let automata = stand.iter().take(self.automata.len()).enumerate();
        automata.into_iter().all(|(at, standing)| *standing != self.lost_standing(at))
    }

    fn ends_well(&self, stand: &[u32]) -> bool {
        let mut all = stand.iter().zip(&self.automata).enumerate();
        stand.last().is_some_and(|count| *count >= self.length.0)
            && all.all(|(at, (standing, one))| one.matches_at_end(*standing) == (at < self.matching))
    }
}

impl Automaton {
    /// Returns the meaning of a state: a match is reported one byte after its end.
    fn standing(&self, state: StateID) -> StandingState {
        if self.dfa.is_match_state(state) {
            MATCHED
        } else if self.dfa.is_dead_state(state) {
            NEVER
        } else {
            state.as_u32()
        }
    }

    fn matches_at_end(&self, standing: StandingState) -> bool {
        match standing {
            MATCHED => true,
            NEVER => false,
            state => id(state).is_some_and(|state| self.dfa.is_match_state(self.dfa.next_eoi_state(state))),
        }
    }
}

/// A state by its number, of those that an automaton gave away itself.
fn id(number: u32) -> Option<StateID> {
    StateID::try_from(number).ok()
}

/// The text that a way spells.
fn spell_found(ways: &[(usize, u8)], mut way: usize) -> TextSearch {
    let mut bytes = Vec::new();
    while way > 0 {
        let Some((before, byte)) = ways.get(way) else { break };
        bytes.push(*byte);
        way = *before;
    }
    bytes.reverse();
    // The automaton of all strings accepts only valid UTF-8, so this does not fail.
    String::from_utf8(bytes).map_or(TextSearch::TooLarge, TextSearch::Found)
}
