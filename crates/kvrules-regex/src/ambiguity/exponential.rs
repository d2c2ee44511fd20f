//! States that lead back to themselves by one text in two ways.
//!
//! Such a state and all states on the two ways lie in one strongly connected component of the automaton, so each component is
//! searched by itself. In a component all pairs `(state, state)` lead to one another; two searches, from one of them and back
//! to it, therefore find every pair of different states that one text leads to and back from.

use std::collections::{HashMap, VecDeque};

use super::positions::PositionAutomaton;
use super::{Ambiguity, AmbiguitySearch};
use crate::Class;
use crate::step_budget::StepBudget;

/// Searches all components; `accept` completes a family, or turns it down.
pub(super) fn search_components(
    positions: &PositionAutomaton,
    steps: &StepBudget,
    accept: &mut dyn FnMut(Ambiguity) -> Option<Ambiguity>,
) -> AmbiguitySearch {
    let mut prefixes = None;
    for states in find_components(positions) {
        let component = Component::new(positions, states);
        let mut visit = |state: usize, pump: String| {
            let prefixes = prefixes.get_or_insert_with(|| prefixes_of(positions));
            let prefix = prefixes.get(state)?.clone()?;
            accept(Ambiguity { prefix, pump, suffix: String::new() })
        };
        match component.search_component(positions, steps, &mut visit) {
            AmbiguitySearch::Nothing => {}
            known => return known,
        }
    }
    AmbiguitySearch::Nothing
}

/// The strongly connected components that have a loop, each in ascending order.
fn find_components(positions: &PositionAutomaton) -> Vec<Vec<usize>> {
    let count = positions.len();
    let after: Vec<Vec<usize>> =
        (0..count).map(|state| positions.following_states(state).map(|(next, _)| next).collect()).collect();
    let mut before = vec![Vec::new(); count];
    for (state, nexts) in after.iter().enumerate() {
        for next in nexts {
            before.get_mut(*next).into_iter().for_each(|list| list.push(state));
        }
    }
    let mut seen = vec![false; count];
    let mut finished = Vec::new();
    for state in 0..count {
        finished.extend(finish_order(state, &after, &mut seen));
    }
    let mut seen = vec![false; count];
    let mut found = Vec::new();
    for state in finished.into_iter().rev() {
        let mut component = finish_order(state, &before, &mut seen);
        component.sort_unstable();
        let is_loop = component.len() > 1 || after.get(state).is_some_and(|nexts| nexts.contains(&state));
        if is_loop && !component.is_empty() {
            found.push(component);
        }
    }
    found.sort_unstable();
    found
}

/// The states that a state leads to, itself included and none that was seen before, in the order in which a depth-first
/// search leaves them.
fn finish_order(state: usize, after: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut visit = |state: usize| seen.get_mut(state).is_some_and(|seen| !std::mem::replace(seen, true));
    let mut finished = Vec::new();
    let mut open = if visit(state) { vec![(state, 0)] } else { Vec::new() };
    while let Some((state, at)) = open.pop() {
        match after.get(state).and_then(|nexts| nexts.get(at)) {
            None => finished.push(state),
            Some(next) => {
                open.push((state, at + 1));
                if visit(*next) {
                    open.push((*next, 0));
                }
            }
        }
    }
    finished
}

/// A text that leads to each state from the start.
fn prefixes_of(positions: &PositionAutomaton) -> Vec<Option<String>> {
    let mut texts: Vec<Option<String>> = vec![None; positions.len()];
    let mut queue = VecDeque::from([(0, String::new())]);
    while let Some((state, text)) = queue.pop_front() {
        for (next, _) in positions.following_states(state) {
            let is_new = texts.get(next).is_some_and(Option::is_none);
            if let (true, Some(char)) = (is_new, positions.common_char(&[next])) {
                let longer = format!("{text}{char}");
                texts.get_mut(next).into_iter().for_each(|known| *known = Some(longer.clone()));
                queue.push_back((next, longer));
            }
        }
    }
    texts
}

/// Two states of a component, by their numbers in it.
type StatePair = (usize, usize);

/// A set of states of a component for each of its states.
#[derive(Clone, Debug)]
struct BitRows {
    words: usize,
    bits: Vec<u64>,
}

impl BitRows {
    fn new(count: usize) -> Self {
        let words = count.div_ceil(64);
        Self { words, bits: vec![0; words * count] }
    }

    fn row(&self, state: usize) -> &[u64] {
        self.bits.get(state * self.words..(state + 1) * self.words).unwrap_or_default()
    }

    fn insert(&mut self, (row, state): StatePair) {
        if let Some(word) = self.bits.get_mut(row * self.words + state / 64) {
            *word |= 1 << (state % 64);
        }
    }

    fn contains(&self, (row, state): StatePair) -> bool {
        self.row(row).get(state / 64).is_some_and(|word| word >> (state % 64) & 1 == 1)
    }
}

/// One strongly connected component.
struct Component {
    /// The states in the automaton.
    states: Vec<usize>,
    after: Vec<Vec<usize>>,
    after_bits: BitRows,
    before: Vec<Vec<usize>>,
    before_bits: BitRows,
    /// The states that have a character in common with a state.
    compatible: BitRows,
    /// Steps that can be taken in two ways.
    doubled: Vec<StatePair>,
}

/// The result of a search over pairs: which were seen, and the pair before each.
struct ReachedPairs {
    seen: BitRows,
    before: Vec<u32>,
    /// The pair at which the search was stopped.
    stop: Option<StatePair>,
}

impl Component {
    fn new(positions: &PositionAutomaton, states: Vec<usize>) -> Self {
        let count = states.len();
        let mut component = Self {
            after: vec![Vec::new(); count],
            after_bits: BitRows::new(count),
            before: vec![Vec::new(); count],
            before_bits: BitRows::new(count),
            compatible: compatible_states(positions, &states),
            doubled: Vec::new(),
            states,
        };
        for (at, state) in component.states.iter().enumerate() {
            for (next, ways) in positions.following_states(*state) {
                let Ok(next) = component.states.binary_search(&next) else { continue };
                component.after.get_mut(at).into_iter().for_each(|list| list.push(next));
                component.before.get_mut(next).into_iter().for_each(|list| list.push(at));
                component.after_bits.insert((at, next));
                component.before_bits.insert((next, at));
                component.doubled.extend((ways > 1).then_some((at, next)));
            }
        }
        component
    }

    fn search_component(
        &self,
        positions: &PositionAutomaton,
        steps: &StepBudget,
        visit: &mut dyn FnMut(usize, String) -> Option<Ambiguity>,
    ) -> AmbiguitySearch {
        self.try_search(positions, steps, visit).unwrap_or(AmbiguitySearch::TooLarge)
    }

    /// None if there are not enough steps.
    fn try_search(
        &self,
        positions: &PositionAutomaton,
        steps: &StepBudget,
        visit: &mut dyn FnMut(usize, String) -> Option<Ambiguity>,
    ) -> Option<AmbiguitySearch> {
        for (from, to) in &self.doubled {
            let (goal, home) = ((*from, *from), (*to, *to));
            let there = self.reach_pairs(home, steps, &|pair| pair == goal)?;
            let way = self.spell_path(positions, &there, home, goal);
            let pump = format!("{way}{}", self.char(positions, home)?);
            if let Some(found) = self.states.get(*to).and_then(|state| visit(*state, pump)) {
                return Some(AmbiguitySearch::Found(found));
            }
        }
        let forward = self.reach_pairs((0, 0), steps, &|_| false)?;
        let forks = self.leading_back((0, 0), &forward.seen, steps)?;
        if !forks.iter().any(|(one, other)| one != other) {
            return Some(AmbiguitySearch::Nothing);
        }
        let mut is_fork = BitRows::new(self.states.len());
        forks.into_iter().filter(|(one, other)| one != other).for_each(|pair| is_fork.insert(pair));
        for (at, state) in self.states.iter().enumerate() {
            let home = (at, at);
            let away = self.reach_pairs(home, steps, &|pair| is_fork.contains(pair))?;
            let Some(fork) = away.stop else { continue };
            let back = self.reach_pairs(fork, steps, &|pair| pair == home)?;
            let there = self.spell_path(positions, &away, home, fork);
            let pump = there + &self.spell_path(positions, &back, fork, home);
            if let Some(found) = visit(*state, pump) {
                return Some(AmbiguitySearch::Found(found));
            }
        }
        Some(AmbiguitySearch::Nothing)
    }

    /// The pairs that one text leads to from a pair, up to the first that `is_goal`.
    fn reach_pairs(
        &self,
        start: StatePair,
        steps: &StepBudget,
        is_goal: &dyn Fn(StatePair) -> bool,
    ) -> Option<ReachedPairs> {
        let count = self.states.len();
        let mut reach =
            ReachedPairs { seen: BitRows::new(count), before: vec![u32::MAX; count * count], stop: None };
        if !steps.try_take(u64::try_from(reach.before.len() / 64).unwrap_or(u64::MAX)) {
            return None;
        }
        if is_goal(start) {
            reach.stop = Some(start);
            return Some(reach);
        }
        reach.seen.insert(start);
        let mut queue = VecDeque::from([start]);
        while let Some(pair) = queue.pop_front() {
            for one in self.after.get(pair.0).into_iter().flatten() {
                let masks = [self.after_bits.row(pair.1), self.compatible.row(*one)];
                for other in unseen_states(&reach.seen, *one, masks, steps)? {
                    let next = (*one, other);
                    reach.seen.insert(next);
                    let before = u32::try_from(pair.0 * count + pair.1).unwrap_or(u32::MAX);
                    reach.before.get_mut(next.0 * count + next.1).into_iter().for_each(|it| *it = before);
                    if is_goal(next) {
                        reach.stop = Some(next);
                        return Some(reach);
                    }
                    queue.push_back(next);
                }
            }
        }
        Some(reach)
    }

    /// The pairs among some from which one text leads to a pair.
    fn leading_back(&self, goal: StatePair, among: &BitRows, steps: &StepBudget) -> Option<Vec<StatePair>> {
        let mut seen = BitRows::new(self.states.len());
        seen.insert(goal);
        let mut found = vec![goal];
        let mut next = 0;
        while let Some(pair) = found.get(next).copied() {
            next += 1;
            for one in self.before.get(pair.0).into_iter().flatten() {
                let masks = [self.before_bits.row(pair.1), among.row(*one)];
                for other in unseen_states(&seen, *one, masks, steps)? {
                    seen.insert((*one, other));
                    found.push((*one, other));
                }
            }
        }
        Some(found)
    }

    /// The text that leads from one pair to another in a search.
    fn spell_path(
        &self,
        positions: &PositionAutomaton,
        reach: &ReachedPairs,
        start: StatePair,
        end: StatePair,
    ) -> String {
        let count = self.states.len();
        let (mut text, mut at) = (Vec::new(), end);
        while at != start {
            text.extend(self.char(positions, at));
            let before =
                reach.before.get(at.0 * count + at.1).copied().and_then(|it| usize::try_from(it).ok());
            let Some(before) = before.filter(|before| *before < count * count) else { break };
            at = (before / count, before % count);
        }
        text.iter().rev().collect()
    }

    fn char(&self, positions: &PositionAutomaton, (one, other): StatePair) -> Option<char> {
        positions.common_char(&[*self.states.get(one)?, *self.states.get(other)?])
    }
}

/// The states in both masks that a row does not have yet.
fn unseen_states(seen: &BitRows, row: usize, masks: [&[u64]; 2], steps: &StepBudget) -> Option<Vec<usize>> {
    if !steps.try_take(u64::try_from(seen.words).unwrap_or(u64::MAX)) {
        return None;
    }
    let mut found = Vec::new();
    let words = masks[0].iter().zip(masks[1]).zip(seen.row(row)).enumerate();
    for (word, ((one, other), seen)) in words {
        let mut bits = one & other & !seen;
        while bits != 0 {
            found.push(word * 64 + usize::try_from(bits.trailing_zeros()).unwrap_or(0));
            bits &= bits - 1;
        }
    }
    Some(found)
}

/// For each state those that have a character in common with it.
fn compatible_states(positions: &PositionAutomaton, states: &[usize]) -> BitRows {
    // Many states have the same characters.
    let mut classes: HashMap<&Class, Vec<usize>> = HashMap::new();
    for (at, class) in states.iter().enumerate().filter_map(|(at, it)| Some((at, positions.class_of(*it)?))) {
        classes.entry(class).or_default().push(at);
    }
    let mut rows = BitRows::new(states.len());
    for (one, members) in &classes {
        for others in classes.iter().filter(|(other, _)| one.intersects_with(other)).map(|(_, others)| others)
        {
            for pair in members.iter().flat_map(|one| others.iter().map(|other| (*one, *other))) {
                rows.insert(pair);
            }
        }
    }
    rows
}
