//! The automaton whose states are the characters of an expression (Glushkov's).

use std::collections::BTreeMap;

use crate::ast::Node;
use crate::class::{Class, fold_orbit};
use crate::step_budget::StepBudget;

/// Expressions with more characters than this, repetitions written out, are not examined.
const MOST: usize = 1000;

/// Nor are those with more ways from one character to the next.
const MOST_STEPS: u64 = 200_000;

/// Relation of characters to those that may follow. State 0 is before the first one.
#[derive(Debug, Default)]
pub(super) struct PositionAutomaton {
    classes: Vec<Class>,
    /// For each state those that may follow, and in how many ways.
    follow: Vec<BTreeMap<usize, u32>>,
    steps: StepBudget,
}

/// A part: whether it can be empty, where it begins and where it ends.
#[derive(Clone, Debug)]
struct AutomatonPart {
    nullable: bool,
    first: Vec<usize>,
    last: Vec<usize>,
}

impl PositionAutomaton {
    /// The automaton of an expression, in which places such as `^` are passed by; none if it is too large.
    pub(super) fn from_node(node: &Node) -> Option<Self> {
        let mut positions = Self {
            classes: vec![Class::new([])],
            follow: vec![BTreeMap::new()],
            steps: StepBudget::new(MOST_STEPS),
        };
        let part = positions.part(node)?;
        positions.connect(&[0], &part.first)?;
        Some(positions)
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// The states that may follow one, and in how many ways.
    pub(super) fn following_states(&self, state: usize) -> impl Iterator<Item = (usize, u32)> {
        self.follow.get(state).into_iter().flatten().map(|(next, ways)| (*next, *ways))
    }

    /// The characters that lead to a state.
    pub(super) fn class_of(&self, state: usize) -> Option<&Class> {
        self.classes.get(state)
    }

    /// A character that leads to all of these states; a readable one, if there is one.
    pub(super) fn common_char(&self, states: &[usize]) -> Option<char> {
        let classes: Vec<_> = states.iter().filter_map(|state| self.classes.get(*state)).collect();
        let fits = |char: char| classes.iter().all(|class| class.contains(char));
        let readable =
            ('a'..='z').chain('0'..='9').chain('A'..='Z').chain(' '..='~').find(|char| fits(*char));
        let low =
            || classes.iter().flat_map(|class| class.ranges()).map(|(low, _)| *low).find(|char| fits(*char));
        readable.or_else(low)
    }

    fn part(&mut self, node: &Node) -> Option<AutomatonPart> {
        Some(match node {
            Node::Empty | Node::Anchor(_) => {
                AutomatonPart { nullable: true, first: Vec::new(), last: Vec::new() }
            }
            Node::Literal { char, fold: false } => self.leaf(Class::new([(*char, *char)]))?,
            Node::Literal { char, .. } => {
                self.leaf(Class::new(fold_orbit(*char).into_iter().map(|c| (c, c))))?
            }
            Node::Any { newline: true } => self.leaf(Class::new([('\0', char::MAX)]))?,
            Node::Any { newline: false } => self.leaf(Class::new([('\n', '\n')]).to_negated())?,
            Node::Class(class) => self.leaf(class.clone())?,
            Node::Group { node, .. } => self.part(node)?,
            Node::Repeat { node, min, max, .. } => self.repeat(node, *min, *max)?,
            Node::Concat(parts) => {
                let empty = AutomatonPart { nullable: true, first: Vec::new(), last: Vec::new() };
                parts.iter().try_fold(empty, |before, part| {
                    let part = self.part(part)?;
                    self.join(before, part)
                })?
            }
            Node::Alternate(parts) => {
                let mut all = AutomatonPart { nullable: false, first: Vec::new(), last: Vec::new() };
                for part in parts {
                    let part = self.part(part)?;
                    all.nullable |= part.nullable;
                    all.first.extend(part.first);
                    all.last.extend(part.last);
                }
                all
            }
        })
    }

    fn leaf(&mut self, class: Class) -> Option<AutomatonPart> {
        let state = self.classes.len();
        if state > MOST {
            return None;
        }
        self.classes.push(class);
        self.follow.push(BTreeMap::new());
        Some(AutomatonPart { nullable: false, first: vec![state], last: vec![state] })
    }

    /// Repeats a node: the required copies, and then the optional ones: `a{2,4}` is `aa(a(a)?)?`.
    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>) -> Option<AutomatonPart> {
        let mut whole = AutomatonPart { nullable: true, first: Vec::new(), last: Vec::new() };
        // The last required copy and any number of further ones form a single loop, as in `a+`.
        let needed = if max.is_none() { min.saturating_sub(1) } else { min };
        for _ in 0..needed {
            let part = self.part(node)?;
            whole = self.join(whole, part)?;
        }
        let Some(max) = max else {
            let mut part = self.part(node)?;
            let (last, first) = (part.last.clone(), part.first.clone());
            self.connect(&last, &first)?;
            part.nullable |= min == 0;
            return self.join(whole, part);
        };
        let mut rest: Option<AutomatonPart> = None;
        for _ in min..max {
            let part = self.part(node)?;
            let mut joined = match rest {
                Some(rest) => self.join(part, rest)?,
                None => part,
            };
            joined.nullable = true;
            rest = Some(joined);
        }
        match rest {
            Some(rest) => self.join(whole, rest),
            None => Some(whole),
        }
    }

    fn join(&mut self, before: AutomatonPart, after: AutomatonPart) -> Option<AutomatonPart> {
        self.connect(&before.last, &after.first)?;
        let mut first = before.first;
        if before.nullable {
            first.extend(&after.first);
        }
        let mut last = after.last;
        if after.nullable {
            last.extend(&before.last);
        }
        Some(AutomatonPart { nullable: before.nullable && after.nullable, first, last })
    }

    fn connect(&mut self, from: &[usize], to: &[usize]) -> Option<()> {
        let ways = from.len().saturating_mul(to.len()).saturating_add(1);
        if !self.steps.try_take(ways.try_into().unwrap_or(u64::MAX)) {
            return None;
        }
        for state in from {
            let Some(follow) = self.follow.get_mut(*state) else { continue };
            for next in to {
                *follow.entry(*next).or_default() += 1;
            }
        }
        Some(())
    }
}
