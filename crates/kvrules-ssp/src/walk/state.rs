//! The course of a walk: from part to part, and around in `{range}` loops.

use super::{PRIVATE, Stop};
use crate::path::{Node, Part};
use crate::schema::TypeId;
use crate::value::Value;

/// Results are counted, with those of steps between, so that a path cannot take all the time there is.
const BUDGET: usize = 4_000_000;

/// Loops within loops.
const DEEPEST: usize = 64;

/// A path that is being walked. Walking a path with `{range}` changes it, so a second walk differs (SEMANTICS 17).
pub(crate) struct Walk<'a> {
    parts: &'a [Part],
    /// The first part that is left: loops cut off what stands before their body, for good.
    first: usize,
    pub(super) begun: usize,
    pub(super) inside: usize,
    pub(super) ended: usize,
    last_end: Option<usize>,
    budget: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(parts: &'a [Part]) -> Self {
        Self { parts, first: 0, begun: 0, inside: 0, ended: 0, last_end: None, budget: BUDGET }
    }

    /// All results, part by part.
    pub(crate) fn results(&mut self, root: Value<'a>) -> Result<Vec<Value<'a>>, Stop<'a>> {
        self.from(root, 0)
    }

    /// Takes so much off what may still be done.
    pub(super) fn spend(&mut self, work: usize) -> Result<(), Stop<'a>> {
        self.budget = self.budget.checked_sub(work).ok_or(Stop::TooMuch)?;
        Ok(())
    }

    fn from(&mut self, root: Value<'a>, depth: usize) -> Result<Vec<Value<'a>>, Stop<'a>> {
        if depth > DEEPEST {
            return Err(Stop::TooMuch);
        }
        let parts = self.parts;
        let mut all = Vec::new();
        let mut at = self.first;
        while let Some(part) = parts.get(at) {
            let results = match part {
                Part::Literal(text) => vec![Value::new(TypeId::STRING, text)],
                Part::Query(nodes) => self.list(vec![root], nodes)?,
            };
            self.spend(1 + results.len())?;
            if self.ended > 0 && self.ended <= self.inside {
                self.ended -= 1;
                self.last_end = Some(at);
                break;
            }
            if self.begun > 0 {
                at = self.around(at, results, &mut all, depth)?;
            } else {
                all.extend(results);
            }
            at += 1;
        }
        Ok(all)
    }

    /// Walks what follows for each of the results, and gives the part that ends the loop.
    fn around(
        &mut self,
        at: usize,
        results: Vec<Value<'a>>,
        all: &mut Vec<Value<'a>>,
        depth: usize,
    ) -> Result<usize, Stop<'a>> {
        self.begun -= 1;
        self.inside += 1;
        if results.is_empty() {
            // The body is gone through all the same, to find its end.
            self.first = at + 1;
            self.from(Value::invalid(), depth + 1)?;
        }
        for value in results {
            self.first = at + 1;
            if value.is_private() {
                return Err(Stop::Panic(PRIVATE));
            }
            all.extend(self.from(value, depth + 1)?);
        }
        self.inside -= 1;
        Ok(self.last_end.filter(|end| *end > at).unwrap_or(at))
    }

    /// Walks one step after the other.
    pub(super) fn list(
        &mut self,
        mut values: Vec<Value<'a>>,
        nodes: &'a [Node],
    ) -> Result<Vec<Value<'a>>, Stop<'a>> {
        for node in nodes {
            values = self.step(values, node)?;
            self.spend(1 + values.len())?;
        }
        Ok(values)
    }

    fn step(&mut self, input: Vec<Value<'a>>, node: &'a Node) -> Result<Vec<Value<'a>>, Stop<'a>> {
        match node {
            Node::Field(name) => self.select_field(&input, name),
            Node::Wildcard => self.wildcard(&input),
            Node::Slice(slice) => self.slice(input, *slice),
            Node::Union(branches) => self.union(input, branches),
            Node::Filter(left, comparison) => self.filter(input, left, comparison.as_ref()),
            Node::Descend => self.descend(&input),
            Node::Text(text) => Ok(vec![Value::new(TypeId::STRING, text)]),
            Node::Constant(ty, data) => Ok(vec![Value::new(*ty, data); input.len()]),
            Node::Identifier(word) => self.identifier(input, word),
        }
    }

    fn identifier(&mut self, input: Vec<Value<'a>>, word: &str) -> Result<Vec<Value<'a>>, Stop<'a>> {
        match word {
            "range" => {
                self.begun += 1;
                Ok(input)
            }
            "end" if self.inside > 0 => {
                self.ended += 1;
                Ok(Vec::new())
            }
            "end" => Err(Stop::Error(Vec::new())),
            _ => Err(Stop::Error(input)),
        }
    }
}
