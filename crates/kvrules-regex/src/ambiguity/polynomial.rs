//! Loops that a text leads through one after another in several ways.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::positions::PositionAutomaton;
use super::{Ambiguity, AmbiguityGrowth};
use crate::step_budget::StepBudget;

/// Larger automata are not searched for polynomial growth, which takes the third power of their size.
const MOST_FOR_POLYNOMIAL: usize = 40;

/// States that several ways to match one text have reached.
type StateTuple = Vec<usize>;

/// Pairs of states that loop by one text that also leads from the first to the second.
///
/// None if the automaton is too large, or if there are not enough steps.
pub(super) fn find_families(positions: &PositionAutomaton, steps: &StepBudget) -> Option<Vec<Ambiguity>> {
    if positions.len() > MOST_FOR_POLYNOMIAL {
        return None;
    }
    let mut loops = Vec::new();
    for state in 1..positions.len() {
        if reachable_tuples(positions, vec![state], steps)?.contains_key(&vec![state]) {
            loops.push(state);
        }
    }
    let mut pumps: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for first in &loops {
        for second in &loops {
            if first != second {
                let away = reachable_tuples(positions, vec![*first, *first, *second], steps)?;
                let target = vec![*first, *second, *second];
                if away.contains_key(&target) {
                    pumps.insert((*first, *second), spell_path(&away, &target));
                }
            }
        }
    }
    let mut found: Vec<_> = pumps
        .iter()
        .map(|((first, _), pump)| (longest_chain(&pumps, *first, &mut BTreeSet::new()), *first, pump.clone()))
        .collect();
    found.sort_by_key(|(length, ..)| std::cmp::Reverse(*length));
    let from_start = reachable_tuples(positions, vec![0], steps)?;
    let family = |(length, state, pump): (u32, usize, String)| {
        let prefix = from_start.contains_key(&vec![state]).then(|| spell_path(&from_start, &vec![state]))?;
        Some(Ambiguity {
            prefix,
            pump,
            suffix: String::new(),
            growth: AmbiguityGrowth::Polynomial(length + 1),
        })
    };
    Some(found.into_iter().filter_map(family).collect())
}

/// The length of the longest chain of such pairs from a state.
fn longest_chain(pumps: &BTreeMap<(usize, usize), String>, state: usize, seen: &mut BTreeSet<usize>) -> u32 {
    if !seen.insert(state) {
        return 0;
    }
    let next = pumps.keys().filter(|(first, _)| *first == state).map(|(_, second)| *second);
    let longest = next
        .map(|second| if seen.contains(&second) { 0 } else { 1 + longest_chain(pumps, second, seen) })
        .max();
    seen.remove(&state);
    longest.unwrap_or(0)
}

/// Origin of a stand.
struct StepOrigin {
    before: StateTuple,
    char: char,
}

/// All stands that texts lead to, from one that is itself among them only where a text leads back.
fn reachable_tuples(
    positions: &PositionAutomaton,
    start: StateTuple,
    steps: &StepBudget,
) -> Option<BTreeMap<StateTuple, StepOrigin>> {
    let mut ways: BTreeMap<StateTuple, StepOrigin> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(stand) = queue.pop_front() {
        let mut nexts: Vec<StateTuple> = vec![Vec::new()];
        for state in &stand {
            let longer = |next: &StateTuple| {
                let next = next.clone();
                positions.following_states(*state).map(move |(state, _)| [next.as_slice(), &[state]].concat())
            };
            nexts = nexts.iter().flat_map(longer).collect();
            if !steps.try_take(u64::try_from(nexts.len()).unwrap_or(u64::MAX)) {
                return None;
            }
        }
        for next in nexts {
            if ways.contains_key(&next) {
                continue;
            }
            let Some(char) = positions.common_char(&next) else { continue };
            ways.insert(next.clone(), StepOrigin { before: stand.clone(), char });
            queue.push_back(next);
        }
    }
    Some(ways)
}

/// The text of the way to a stand. The start is where the ways end, or come round.
fn spell_path(ways: &BTreeMap<StateTuple, StepOrigin>, stand: &StateTuple) -> String {
    let mut text = Vec::new();
    let mut at = stand;
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.get(at).filter(|_| seen.insert(at)) {
        text.push(way.char);
        at = &way.before;
    }
    text.iter().rev().collect()
}
