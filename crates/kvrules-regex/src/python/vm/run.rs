//! Running instructions over a text.

use std::collections::HashSet;

use super::{Instruction, MAX_STEPS, MatchAnswer, Program};
use crate::python::ast::{CaseFolding, PythonAnchor};
use crate::python::unicode::{case_variants, is_word};

/// Matches the whole text.
pub(super) fn full_match(program: &Program, text: &str) -> MatchAnswer {
    let chars: Vec<char> = text.chars().collect();
    let mut machine = Machine {
        program,
        chars: &chars,
        slots: vec![None; program.groups * 2],
        loops: vec![usize::MAX; program.loops],
        steps: 0,
    };
    match machine.run(0, 0, true) {
        Ok(Some(_)) => MatchAnswer::Match(machine.captures(text)),
        Ok(None) => MatchAnswer::NoMatch,
        Err(StepLimitReached) => MatchAnswer::GaveUp,
    }
}

struct StepLimitReached;

/// Job that remains: a position to try, or a value to restore on the way to it.
enum MachineJob {
    Try { at: usize, pos: usize },
    Slot(usize, Option<usize>),
    Loop(usize, usize),
}

struct Machine<'p> {
    program: &'p Program,
    chars: &'p [char],
    slots: Vec<Option<usize>>,
    loops: Vec<usize>,
    steps: usize,
}

impl Machine<'_> {
    /// Runs from an instruction up to `Match`, and answers where that was.
    fn run(&mut self, start: usize, pos: usize, to_end: bool) -> Result<Option<usize>, StepLimitReached> {
        let mut visited = HashSet::new();
        let mut jobs = vec![MachineJob::Try { at: start, pos }];
        while let Some(job) = jobs.pop() {
            match job {
                MachineJob::Slot(slot, old) => set_at(&mut self.slots, slot, old),
                MachineJob::Loop(register, old) => set_at(&mut self.loops, register, old),
                MachineJob::Try { at, pos } => {
                    if let Some(end) = self.follow(at, pos, to_end, &mut visited, &mut jobs)? {
                        return Ok(Some(end));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Follows one way until it ends.
    fn follow(
        &mut self,
        mut at: usize,
        mut pos: usize,
        to_end: bool,
        visited: &mut HashSet<(usize, usize)>,
        jobs: &mut Vec<MachineJob>,
    ) -> Result<Option<usize>, StepLimitReached> {
        loop {
            self.steps += 1;
            if self.program.refers_back {
                if self.steps > MAX_STEPS {
                    return Err(StepLimitReached);
                }
            } else if self.is_crossing(at) && !visited.insert((at, pos)) {
                return Ok(None);
            }
            let program = self.program;
            let next = match program.instructions.get(at) {
                Some(Instruction::Match) if !to_end || pos == self.chars.len() => return Ok(Some(pos)),
                Some(instruction) => self.step(instruction, at, pos, jobs)?,
                None => None,
            };
            match next {
                Some(next) => (at, pos) = next,
                None => return Ok(None),
            }
        }
    }

    /// Executes an instruction and returns the next position; `None` if the path ends.
    fn step(
        &mut self,
        instruction: &Instruction,
        at: usize,
        pos: usize,
        jobs: &mut Vec<MachineJob>,
    ) -> Result<Option<(usize, usize)>, StepLimitReached> {
        Ok(match instruction {
            Instruction::Match | Instruction::Fail => None,
            Instruction::Jump(to) => Some((*to, pos)),
            Instruction::Split(first, second) => {
                jobs.push(MachineJob::Try { at: *second, pos });
                Some((*first, pos))
            }
            Instruction::Place(place) => self.is_at(*place, pos).then_some((at + 1, pos)),
            Instruction::Save(slot) => {
                jobs.push(MachineJob::Slot(*slot, self.slots.get(*slot).copied().flatten()));
                set_at(&mut self.slots, *slot, Some(pos));
                Some((at + 1, pos))
            }
            Instruction::LoopStart(register) => {
                jobs.push(MachineJob::Loop(
                    *register,
                    self.loops.get(*register).copied().unwrap_or(usize::MAX),
                ));
                set_at(&mut self.loops, *register, pos);
                Some((at + 1, pos))
            }
            Instruction::LoopCheck(register) => {
                (self.loops.get(*register) != Some(&pos)).then_some((at + 1, pos))
            }
            Instruction::Atomic { next } => {
                let mark = self.slots.clone();
                let end = self.run(at + 1, pos, false)?;
                self.restore_on_return(&mark, jobs);
                end.map(|end| (*next, end))
            }
            Instruction::Look { behind, negated, next } => {
                self.looks(at + 1, *behind, *negated, pos, jobs)?.then_some((*next, pos))
            }
            Instruction::BackReference { group, fold } => {
                self.taken_again(*group, *fold, pos).map(|end| (at + 1, end))
            }
            Instruction::Conditional { group, no } => {
                let took_part = self.slots.get(group * 2 + 1).copied().flatten().is_some();
                Some((if took_part { at + 1 } else { *no }, pos))
            }
            Instruction::Char(_) | Instruction::Any { .. } | Instruction::Class(_) => {
                self.takes(instruction, pos).then_some((at + 1, pos + 1))
            }
        })
    }

    /// True if a look-around that begins at an instruction succeeds.
    fn looks(
        &mut self,
        start: usize,
        behind: Option<usize>,
        negated: bool,
        pos: usize,
        jobs: &mut Vec<MachineJob>,
    ) -> Result<bool, StepLimitReached> {
        let mark = self.slots.clone();
        let from = behind.map_or(Some(pos), |width| pos.checked_sub(width));
        let found = match from {
            Some(from) => self.run(start, from, false)?.is_some(),
            None => false,
        };
        if negated && found {
            self.slots = mark;
        } else {
            self.restore_on_return(&mark, jobs);
        }
        Ok(found != negated)
    }

    /// True if paths split or join here; repeated visits are detected at such instructions.
    fn is_crossing(&self, at: usize) -> bool {
        matches!(
            self.program.instructions.get(at),
            Some(
                Instruction::Split(..)
                    | Instruction::Jump(_)
                    | Instruction::Look { .. }
                    | Instruction::Atomic { .. }
            )
        )
    }

    /// Notes what a program of its own changed, for when this way is given up.
    fn restore_on_return(&self, before: &[Option<usize>], jobs: &mut Vec<MachineJob>) {
        for (slot, (old, new)) in before.iter().zip(&self.slots).enumerate() {
            if old != new {
                jobs.push(MachineJob::Slot(slot, *old));
            }
        }
    }

    fn takes(&self, instruction: &Instruction, pos: usize) -> bool {
        let Some(char) = self.chars.get(pos) else { return false };
        match instruction {
            Instruction::Char(wanted) => wanted == char,
            Instruction::Any { newline } => *newline || *char != '\n',
            Instruction::Class(class) => class.contains(*char),
            _ => false,
        }
    }

    fn is_at(&self, place: PythonAnchor, pos: usize) -> bool {
        let end = self.chars.len();
        let is_feed = |pos: usize| self.chars.get(pos) == Some(&'\n');
        match place {
            PythonAnchor::TextStart => pos == 0,
            PythonAnchor::TextEnd => pos == end,
            PythonAnchor::LastLineEnd => pos == end || (pos + 1 == end && is_feed(pos)),
            PythonAnchor::LineStart => pos == 0 || is_feed(pos - 1),
            PythonAnchor::LineEnd => pos == end || is_feed(pos),
            PythonAnchor::Word { ascii, negated } => {
                let word = |pos: Option<usize>| {
                    pos.and_then(|pos| self.chars.get(pos)).is_some_and(|char| is_word(*char, ascii))
                };
                // Python finds neither a boundary nor its absence in an empty text.
                end > 0 && (word(pos.checked_sub(1)) != word(Some(pos))) != negated
            }
        }
    }

    /// The place behind what a group took, where that stands here again.
    fn taken_again(&self, group: usize, fold: Option<CaseFolding>, pos: usize) -> Option<usize> {
        let start = self.slots.get(group * 2).copied().flatten()?;
        let end = self.slots.get(group * 2 + 1).copied().flatten()?;
        let taken = self.chars.get(start..end)?;
        let here = self.chars.get(pos..pos + taken.len())?;
        let same = |(one, other): (&char, &char)| {
            one == other || fold.is_some_and(|fold| case_variants(*one, fold).contains(other))
        };
        taken.iter().zip(here).all(same).then_some(pos + taken.len())
    }

    /// Returns the ranges of the groups, in bytes of the text.
    fn captures(&self, text: &str) -> Vec<Option<std::ops::Range<usize>>> {
        let mut bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        bytes.push(text.len());
        let byte =
            |slot: Option<&Option<usize>>| slot.copied().flatten().and_then(|at| bytes.get(at).copied());
        (0..self.program.groups)
            .map(|group| Some(byte(self.slots.get(group * 2))?..byte(self.slots.get(group * 2 + 1))?))
            .collect()
    }
}

fn set_at<T>(values: &mut [T], at: usize, value: T) {
    if let Some(place) = values.get_mut(at) {
        *place = value;
    }
}
