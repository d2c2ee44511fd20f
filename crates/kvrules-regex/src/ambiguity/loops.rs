//! Loops that a text leads through in several ways.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::positions::Positions;
use super::{Ambiguity, Growth};

/// Larger automata are not searched for polynomial growth, which takes the third power of their size.
const MOST_FOR_POLYNOMIAL: usize = 40;

/// States that several readings of one text stand at.
type Stand = Vec<usize>;

/// States that lead back to themselves by one text in two ways.
pub(super) fn exponential(positions: &Positions) -> Vec<Ambiguity> {
    let looped = |state: &usize| {
        let away = walk(positions, vec![*state, *state]);
        // Two ways of one step count as two readings, just as two states do.
        let forks = away.iter().filter(|(stand, way)| is_apart(stand) || way.ways > 1);
        forks.into_iter().find_map(|(fork, _)| {
            let there = spell(&away, fork);
            let back = walk(positions, fork.clone());
            let home = vec![*state, *state];
            let back = if *fork == home {
                Some(String::new())
            } else {
                back.contains_key(&home).then(|| spell(&back, &home))
            };
            Some((*state, format!("{there}{}", back?)))
        })
    };
    (1..positions.len())
        .filter_map(|state| looped(&state))
        .filter_map(|(state, pump)| family(positions, state, pump, Growth::Exponential))
        .collect()
}

/// Pairs of states that loop by one text that also leads from the first to the second.
pub(super) fn polynomial(positions: &Positions) -> Vec<Ambiguity> {
    if positions.len() > MOST_FOR_POLYNOMIAL {
        return Vec::new();
    }
    let loops: Vec<_> = (1..positions.len())
        .filter(|state| walk(positions, vec![*state]).contains_key(&vec![*state]))
        .collect();
    let mut pumps: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for first in &loops {
        for second in &loops {
            if first != second {
                let away = walk(positions, vec![*first, *first, *second]);
                let target = vec![*first, *second, *second];
                if away.contains_key(&target) {
                    pumps.insert((*first, *second), spell(&away, &target));
                }
            }
        }
    }
    let mut found: Vec<_> = pumps
        .iter()
        .map(|((first, _), pump)| (chain(&pumps, *first, &mut BTreeSet::new()), *first, pump.clone()))
        .collect();
    found.sort_by_key(|(length, ..)| std::cmp::Reverse(*length));
    let family = |(length, state, pump)| family(positions, state, pump, Growth::Polynomial(length + 1));
    found.into_iter().filter_map(family).collect()
}

/// The length of the longest chain of such pairs from a state.
fn chain(pumps: &BTreeMap<(usize, usize), String>, state: usize, seen: &mut BTreeSet<usize>) -> u32 {
    if !seen.insert(state) {
        return 0;
    }
    let next = pumps.keys().filter(|(first, _)| *first == state).map(|(_, second)| *second);
    let longest =
        next.map(|second| if seen.contains(&second) { 0 } else { 1 + chain(pumps, second, seen) }).max();
    seen.remove(&state);
    longest.unwrap_or(0)
}

fn family(positions: &Positions, state: usize, pump: String, growth: Growth) -> Option<Ambiguity> {
    let from_start = walk(positions, vec![0]);
    let prefix = from_start.contains_key(&vec![state]).then(|| spell(&from_start, &vec![state]))?;
    Some(Ambiguity { prefix, pump, suffix: String::new(), growth })
}

fn is_apart(stand: &Stand) -> bool {
    stand.windows(2).any(|pair| pair.first() != pair.last())
}

/// How a stand was come by.
struct Way {
    before: Stand,
    char: char,
    /// In how many ways the last step leads here for all readings together.
    ways: u32,
}

/// All stands that texts lead to, from one that is itself among them only where a text leads back.
fn walk(positions: &Positions, start: Stand) -> BTreeMap<Stand, Way> {
    let mut ways: BTreeMap<Stand, Way> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(stand) = queue.pop_front() {
        let mut nexts: Vec<(Stand, u32)> = vec![(Vec::new(), 1)];
        for state in &stand {
            nexts = nexts
                .iter()
                .flat_map(|(next, count)| {
                    positions.after(*state).map(move |(state, ways)| {
                        ([next.as_slice(), &[state]].concat(), count.saturating_mul(ways))
                    })
                })
                .collect();
        }
        for (next, count) in nexts {
            if let Some(known) = ways.get_mut(&next) {
                // A step of several ways is worth more than the first that was found.
                if count > 1 && known.ways == 1 && known.before == stand {
                    known.ways = count;
                }
                continue;
            }
            let Some(char) = positions.common(&next) else { continue };
            ways.insert(next.clone(), Way { before: stand.clone(), char, ways: count });
            queue.push_back(next);
        }
    }
    ways
}

/// The text of the way to a stand. The start is where the ways end, or come round.
fn spell(ways: &BTreeMap<Stand, Way>, stand: &Stand) -> String {
    let mut text = Vec::new();
    let mut at = stand;
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.get(at).filter(|_| seen.insert(at)) {
        text.push(way.char);
        at = &way.before;
    }
    text.iter().rev().collect()
}
