//! From the tree to instructions.

use super::{Instruction, MAX_INSTRUCTIONS, Program, too_large};
use crate::python::ast::{Greediness, Node};
use crate::python::error::PythonError;

/// Compiles a pattern.
pub(super) fn compile_program(node: &Node, groups: usize) -> Result<Program, PythonError> {
    let mut compiler = Compiler { instructions: Vec::new(), loops: 0 };
    compiler.node(node)?;
    compiler.push(Instruction::Match)?;
    let refers_back =
        node.has_node(&|node| matches!(node, Node::BackReference { .. } | Node::Conditional { .. }));
    Ok(Program { instructions: compiler.instructions, groups, loops: compiler.loops, refers_back })
}

struct Compiler {
    instructions: Vec<Instruction>,
    loops: usize,
}

impl Compiler {
    fn node(&mut self, node: &Node) -> Result<(), PythonError> {
        match node {
            Node::Empty => Ok(()),
            Node::Literal(char) => self.push(Instruction::Char(*char)).map(drop),
            Node::Any { newline } => self.push(Instruction::Any { newline: *newline }).map(drop),
            Node::Set(set) => self.push(Instruction::Class(set.class.clone())).map(drop),
            Node::Place(place) => self.push(Instruction::Place(*place)).map(drop),
            Node::Group { index, node, .. } => {
                self.push(Instruction::Save(index * 2))?;
                self.node(node)?;
                self.push(Instruction::Save(index * 2 + 1)).map(drop)
            }
            Node::Repeat { node, min, max, greed: Greediness::Possessive } => {
                self.sub(|to| to.repeat(node, *min, *max, true), |next| Instruction::Atomic { next })
            }
            Node::Repeat { node, min, max, greed } => {
                self.repeat(node, *min, *max, *greed == Greediness::Greedy)
            }
            Node::Concat(parts) => parts.iter().try_for_each(|part| self.node(part)),
            Node::Alternate(parts) => self.alternate(parts),
            Node::Atomic(node) => self.sub(|to| to.node(node), |next| Instruction::Atomic { next }),
            Node::Look { node, behind, negated } => self.sub(
                |to| to.node(node),
                |next| Instruction::Look { behind: *behind, negated: *negated, next },
            ),
            Node::BackReference { group, fold } => {
                self.push(Instruction::BackReference { group: *group, fold: *fold }).map(drop)
            }
            Node::Conditional { group, yes, no } => self.conditional(*group, yes, no),
        }
    }

    /// A program of its own that ends with a match, behind the instruction that runs it.
    fn sub(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<(), PythonError>,
        runner: impl FnOnce(usize) -> Instruction,
    ) -> Result<(), PythonError> {
        let at = self.push(Instruction::Fail)?;
        inner(self)?;
        self.push(Instruction::Match)?;
        let next = self.instructions.len();
        self.set(at, runner(next));
        Ok(())
    }

    fn alternate(&mut self, parts: &[Node]) -> Result<(), PythonError> {
        let mut ends = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if index + 1 == parts.len() {
                self.node(part)?;
                break;
            }
            let split = self.push(Instruction::Fail)?;
            self.node(part)?;
            ends.push(self.push(Instruction::Fail)?);
            let next = self.instructions.len();
            self.set(split, Instruction::Split(split + 1, next));
        }
        let end = self.instructions.len();
        for at in ends {
            self.set(at, Instruction::Jump(end));
        }
        Ok(())
    }

    fn conditional(&mut self, group: usize, yes: &Node, no: &Node) -> Result<(), PythonError> {
        let test = self.push(Instruction::Fail)?;
        self.node(yes)?;
        let jump = self.push(Instruction::Fail)?;
        let other = self.instructions.len();
        self.set(test, Instruction::Conditional { group, no: other });
        self.node(no)?;
        let end = self.instructions.len();
        self.set(jump, Instruction::Jump(end));
        Ok(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greedy: bool) -> Result<(), PythonError> {
        let empty = matches!(node, Node::Empty);
        for _ in 0..if empty { 0 } else { min } {
            self.node(node)?;
        }
        match max {
            _ if empty => Ok(()),
            None => self.star(node, greedy),
            Some(max) => self.optional(node, max.saturating_sub(min), greedy),
        }
    }

    fn star(&mut self, node: &Node, greedy: bool) -> Result<(), PythonError> {
        let register = self.loops;
        self.loops += 1;
        let split = self.push(Instruction::Fail)?;
        self.push(Instruction::LoopStart(register))?;
        self.node(node)?;
        self.push(Instruction::LoopCheck(register))?;
        self.push(Instruction::Jump(split))?;
        let end = self.instructions.len();
        self.set(split, split_of(split + 1, end, greedy));
        Ok(())
    }

    /// Up to `times` more.
    fn optional(&mut self, node: &Node, times: u32, greedy: bool) -> Result<(), PythonError> {
        let mut splits = Vec::new();
        for _ in 0..times {
            splits.push(self.push(Instruction::Fail)?);
            self.node(node)?;
        }
        let end = self.instructions.len();
        for at in splits {
            self.set(at, split_of(at + 1, end, greedy));
        }
        Ok(())
    }

    fn push(&mut self, instruction: Instruction) -> Result<usize, PythonError> {
        if self.instructions.len() >= MAX_INSTRUCTIONS {
            return Err(too_large());
        }
        self.instructions.push(instruction);
        Ok(self.instructions.len() - 1)
    }

    fn set(&mut self, at: usize, instruction: Instruction) {
        if let Some(place) = self.instructions.get_mut(at) {
            *place = instruction;
        }
    }
}

fn split_of(inside: usize, end: usize, greedy: bool) -> Instruction {
    if greedy { Instruction::Split(inside, end) } else { Instruction::Split(end, inside) }
}
