//! A matcher for what finite automata cannot do: look-around, atomic groups, references, words of Unicode.
//!
//! It backtracks, but never comes twice to the same instruction at the same place, so that its time is bounded by the
//! product of pattern and text. That rule does not hold where a pattern refers back to what a group took: there
//! steps are counted, and beyond a bound the answer is that there is none.

mod compile;
mod run;

use super::Captures;
use super::ast::{CaseFolding, Node, PythonAnchor};
use super::error::{PythonError, PythonErrorKind};
use crate::class::Class;

/// More instructions than this are not compiled.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// The steps after which a pattern with references gets no answer.
const MAX_STEPS: usize = 2_000_000;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Program {
    instructions: Vec<Instruction>,
    groups: usize,
    /// The registers that loops keep their last place in.
    loops: usize,
    /// True if an instruction may depend on the content of groups, so that a second visit is not the same.
    refers_back: bool,
}

#[derive(Clone, Debug)]
enum Instruction {
    Match,
    Char(char),
    Any {
        newline: bool,
    },
    Class(Class),
    Place(PythonAnchor),
    /// Tries the first, then the second.
    Split(usize, usize),
    Jump(usize),
    Save(usize),
    /// Remembers where an iteration begins.
    LoopStart(usize),
    /// Ends a way on which an iteration took nothing.
    LoopCheck(usize),
    /// Runs the instructions up to their `Match`, then continues at `next`.
    Look {
        behind: Option<usize>,
        negated: bool,
        next: usize,
    },
    Atomic {
        next: usize,
    },
    BackReference {
        group: usize,
        fold: Option<CaseFolding>,
    },
    /// Continues with the next instruction if the group took part in the match, else at `no`.
    Conditional {
        group: usize,
        no: usize,
    },
    Fail,
}

/// The answer about one text.
pub(super) enum MatchAnswer {
    Match(Captures),
    NoMatch,
    /// The bound on steps was reached.
    GaveUp,
}

impl Program {
    /// Compiles a pattern that has this many groups.
    pub(super) fn new(node: &Node, groups: usize) -> Result<Self, PythonError> {
        compile::compile_program(node, groups)
    }

    /// Matches the whole text.
    pub(super) fn full_match(&self, text: &str) -> MatchAnswer {
        run::full_match(self, text)
    }
}

fn too_large() -> PythonError {
    PythonError::new(PythonErrorKind::TooLarge, 0..0, "the pattern is too large to compile")
}
