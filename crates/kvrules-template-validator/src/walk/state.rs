//! The course of a walk: from part to part, and around in `{range}` loops.

use super::{PRIVATE, WalkStop};
use crate::path::{PathNode, PathPart};
use crate::schema::TypeId;
use crate::value::GoValue;

/// Results are counted, with those of steps between, so that a path cannot take all the time there is.
// client-go has no such limit: a few `..` in a row multiply their results.
const BUDGET: usize = 4_000_000;

/// Loops within loops.
const DEEPEST: usize = 64;

/// A path that is being walked. Walking a path with `{range}` changes it, so a second walk differs (SEMANTICS 17).
// client-go util/jsonpath/jsonpath.go, JSONPath: `begun`, `inside` and `ended` are beginRange, inRange and endRange.
pub(crate) struct PathWalk<'a> {
    parts: &'a [PathPart],
    /// The first part that is left: loops cut off what stands before their body, for good.
    first: usize,
    pub(super) begun: usize,
    pub(super) inside: usize,
    pub(super) ended: usize,
    last_end: Option<usize>,
    budget: usize,
}

impl<'a> PathWalk<'a> {
    pub(crate) fn new(parts: &'a [PathPart]) -> Self {
        Self { parts, first: 0, begun: 0, inside: 0, ended: 0, last_end: None, budget: BUDGET }
    }

    /// All results, part by part.
    pub(crate) fn results(&mut self, root: GoValue<'a>) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        self.walk_from(root, 0)
    }

    /// Takes so much off what may still be done.
    pub(super) fn spend_work(&mut self, work: usize) -> Result<(), WalkStop<'a>> {
        self.budget = self.budget.checked_sub(work).ok_or(WalkStop::TooMuch)?;
        Ok(())
    }

    // client-go util/jsonpath/jsonpath.go, JSONPath.FindResults.
    fn walk_from(&mut self, root: GoValue<'a>, depth: usize) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        if depth > DEEPEST {
            return Err(WalkStop::TooMuch);
        }
        let parts = self.parts;
        let mut all = Vec::new();
        let mut at = self.first;
        while let Some(part) = parts.get(at) {
            let results = match part {
                PathPart::Literal(text) => vec![GoValue::new(TypeId::STRING, text)],
                PathPart::Query(nodes) => self.walk_nodes(vec![root], nodes)?,
            };
            self.spend_work(1 + results.len())?;
            // The results of the part with the `{end}` are dropped.
            if self.ended > 0 && self.ended <= self.inside {
                self.ended -= 1;
                self.last_end = Some(at);
                break;
            }
            if self.begun > 0 {
                at = self.walk_loop(at, results, &mut all, depth)?;
            } else {
                all.extend(results);
            }
            at += 1;
        }
        Ok(all)
    }

    /// Walks what follows for each of the results, and gives the part that ends the loop.
    fn walk_loop(
        &mut self,
        at: usize,
        results: Vec<GoValue<'a>>,
        all: &mut Vec<GoValue<'a>>,
        depth: usize,
    ) -> Result<usize, WalkStop<'a>> {
        self.begun -= 1;
        self.inside += 1;
        if results.is_empty() {
            // The body is gone through all the same, to find its end.
            self.first = at + 1;
            self.walk_from(GoValue::invalid(), depth + 1)?;
        }
        for value in results {
            self.first = at + 1;
            // FindResults passes value.Interface() on to itself.
            if value.is_private() {
                return Err(WalkStop::Panic(PRIVATE));
            }
            all.extend(self.walk_from(value, depth + 1)?);
        }
        self.inside -= 1;
        Ok(self.last_end.filter(|end| *end > at).unwrap_or(at))
    }

    /// Walks one step after the other.
    // client-go util/jsonpath/jsonpath.go, JSONPath.evalList.
    pub(super) fn walk_nodes(
        &mut self,
        mut values: Vec<GoValue<'a>>,
        nodes: &'a [PathNode],
    ) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        for node in nodes {
            values = self.walk_node(values, node)?;
            self.spend_work(1 + values.len())?;
        }
        Ok(values)
    }

    // client-go util/jsonpath/jsonpath.go, JSONPath.walk.
    fn walk_node(
        &mut self,
        input: Vec<GoValue<'a>>,
        node: &'a PathNode,
    ) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        match node {
            PathNode::Field(name) => self.select_field(&input, name),
            PathNode::Wildcard => self.select_all(&input),
            PathNode::Slice(slice) => self.select_slice(input, *slice),
            PathNode::Union(branches) => self.select_union(input, branches),
            PathNode::Filter(left, comparison) => self.apply_filter(input, left, comparison.as_ref()),
            PathNode::Descend => self.select_descendants(&input),
            PathNode::Text(text) => Ok(vec![GoValue::new(TypeId::STRING, text)]),
            PathNode::Constant(ty, data) => Ok(vec![GoValue::new(*ty, data); input.len()]),
            PathNode::Identifier(word) => self.identifier(input, word),
        }
    }

    // client-go util/jsonpath/jsonpath.go, JSONPath.evalIdentifier: an unquoted word parses, and fails only here (E110).
    fn identifier(&mut self, input: Vec<GoValue<'a>>, word: &str) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        match word {
            "range" => {
                self.begun += 1;
                Ok(input)
            }
            "end" if self.inside > 0 => {
                self.ended += 1;
                Ok(Vec::new())
            }
            "end" => Err(WalkStop::Error(Vec::new())),
            _ => Err(WalkStop::Error(input)),
        }
    }
}
