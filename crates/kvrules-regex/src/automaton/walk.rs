//! Walking several automata in step, over all texts, the shortest first.

use std::collections::{HashSet, VecDeque};
use std::sync::LazyLock;

use regex_automata::dfa::Automaton as _;
use regex_automata::util::primitives::StateID;

use super::{Automaton, Demands, TextSearch};

/// More states of all automata together than this are not looked at.
const MOST_STATES: usize = 50_000;

static TEXTS: LazyLock<Option<Automaton>> = LazyLock::new(Automaton::of_texts);

/// Where an automaton stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Standing {
    /// The text so far has a match, which nothing that follows takes away.
    Matched,
    /// No text that begins so has a match.
    Never,
    At(StateID),
}

/// Where all of them stand, and how many code points there were.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Stand {
    automata: Vec<Standing>,
    count: usize,
}

/// Walks the automata of the demands, and behind them that of all texts.
struct Walk<'a> {
    automata: Vec<&'a Automaton>,
    /// So many of them must match; those that follow must not, save the last.
    matching: usize,
    length: (usize, Option<usize>),
}

pub(super) fn search(demands: &Demands<'_>) -> TextSearch {
    let Some(texts) = TEXTS.as_ref() else { return TextSearch::TooLarge };
    let matches = std::iter::once(texts).chain(demands.matches.iter().copied());
    let walk = Walk {
        automata: matches.chain(demands.lacks.iter().copied()).collect(),
        matching: demands.matches.len() + 1,
        length: demands.length,
    };
    walk.run()
}

impl Walk<'_> {
    fn run(&self) -> TextSearch {
        let bytes = self.representatives();
        let start =
            Stand { automata: self.automata.iter().map(|one| one.standing(one.start)).collect(), count: 0 };
        let Some(start) = self.kept(start) else { return TextSearch::Nothing };
        let (mut seen, mut queue) = (HashSet::from([start.clone()]), VecDeque::new());
        // For each way into a stand: the way before it, and the byte.
        let mut ways: Vec<(usize, u8)> = vec![(0, 0)];
        queue.push_back((0, start));
        while let Some((way, stand)) = queue.pop_front() {
            if self.ends_well(&stand) {
                return found(&ways, way);
            }
            for byte in &bytes {
                let Some(next) = self.step(&stand, *byte).filter(|next| !seen.contains(next)) else {
                    continue;
                };
                if seen.len() >= MOST_STATES {
                    return TextSearch::TooLarge;
                }
                seen.insert(next.clone());
                ways.push((way, *byte));
                queue.push_back((ways.len() - 1, next));
            }
        }
        TextSearch::Nothing
    }

    /// One byte out of each set of bytes that no automaton tells apart; of those that people read, where there are any.
    fn representatives(&self) -> Vec<u8> {
        let readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(b' '..=b'~');
        let mut classes = HashSet::new();
        let class = |byte: u8| -> Vec<u8> {
            self.automata.iter().map(|one| one.dfa.byte_classes().get(byte)).collect()
        };
        readable.chain(0..=u8::MAX).filter(|byte| classes.insert(class(*byte))).collect()
    }

    fn step(&self, stand: &Stand, byte: u8) -> Option<Stand> {
        let next = |(standing, one): (&Standing, &&Automaton)| match standing {
            Standing::At(state) => one.standing(one.dfa.next_state(*state, byte)),
            settled => *settled,
        };
        let automata = stand.automata.iter().zip(&self.automata).map(next).collect();
        // Every code point has one byte that continues no other.
        let count = stand.count + usize::from(byte & 0b1100_0000 != 0b1000_0000);
        // Beyond what is asked for, counting would only make more states.
        let count = if self.length.1.is_none() { count.min(self.length.0) } else { count };
        self.kept(Stand { automata, count })
    }

    /// The stand, if anything can still come of it.
    fn kept(&self, stand: Stand) -> Option<Stand> {
        let (matching, lacking) = stand.automata.split_at_checked(self.matching)?;
        let lost = matching.contains(&Standing::Never)
            || lacking.contains(&Standing::Matched)
            || self.length.1.is_some_and(|most| stand.count > most);
        (!lost).then_some(stand)
    }

    fn ends_well(&self, stand: &Stand) -> bool {
        let all = stand.automata.iter().zip(&self.automata).enumerate();
        stand.count >= self.length.0
            && all
                .into_iter()
                .all(|(at, (standing, one))| one.matches_at_end(*standing) == (at < self.matching))
    }
}

impl Automaton {
    /// What a state means: a match is told one byte after its end.
    fn standing(&self, state: StateID) -> Standing {
        if self.dfa.is_match_state(state) {
            Standing::Matched
        } else if self.dfa.is_dead_state(state) {
            Standing::Never
        } else {
            Standing::At(state)
        }
    }

    fn matches_at_end(&self, standing: Standing) -> bool {
        match standing {
            Standing::Matched => true,
            Standing::Never => false,
            Standing::At(state) => self.dfa.is_match_state(self.dfa.next_eoi_state(state)),
        }
    }
}

/// The text that a way spells.
fn found(ways: &[(usize, u8)], mut way: usize) -> TextSearch {
    let mut bytes = Vec::new();
    while way > 0 {
        let Some((before, byte)) = ways.get(way) else { break };
        bytes.push(*byte);
        way = *before;
    }
    bytes.reverse();
    // The automaton of all texts has let nothing else through.
    String::from_utf8(bytes).map_or(TextSearch::TooLarge, TextSearch::Found)
}
