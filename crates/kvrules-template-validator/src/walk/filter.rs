//! Filters: items of lists for which something is there, or holds.

use kvrules_ir::FilterOperator;

use super::compare::compare_values;
use super::{PRIVATE, PathWalk, WalkStop};
use crate::path::PathNode;
use crate::value::GoValue;

/// Result of one side of a comparison.
enum FilterSide<'a> {
    One(GoValue<'a>),
    Nothing,
    Wrong,
}

impl<'a> PathWalk<'a> {
    // client-go util/jsonpath/jsonpath.go, JSONPath.evalFilter.
    pub(super) fn apply_filter(
        &mut self,
        input: Vec<GoValue<'a>>,
        left: &'a [PathNode],
        comparison: Option<&'a (FilterOperator, Vec<PathNode>)>,
    ) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        let mut results = Vec::new();
        for value in &input {
            let list = value.follow_pointers().and_then(|list| Some((list, list.list_length()?)));
            // Other than the other steps, evalFilter does not skip a nil pointer: it is an error.
            let Some((list, length)) = list else { return Err(WalkStop::Error(input)) };
            for item in (0..length).filter_map(|at| list.list_item(at)) {
                self.spend_work(1)?;
                let Some((operator, right)) = comparison else {
                    results.extend(self.is_there(item, left)?.then_some(item));
                    continue;
                };
                // Both sides are worked out before the operator is looked at.
                let sides = match self.evaluate_side(item, left)? {
                    FilterSide::One(left) => (FilterSide::One(left), self.evaluate_side(item, right)?),
                    // An item for which the left side finds nothing is dropped before the right side is walked.
                    other => (other, FilterSide::Nothing),
                };
                match sides {
                    (FilterSide::Wrong, _) | (_, FilterSide::Wrong) => return Err(WalkStop::Error(input)),
                    (FilterSide::Nothing, _) | (_, FilterSide::Nothing) => {}
                    (FilterSide::One(left), FilterSide::One(right)) => {
                        match compare_values(left, *operator, right) {
                            Some(holds) => results.extend(holds.then_some(item)),
                            // A failed comparison hands out the items so far; all other errors hand out the input.
                            None => return Err(WalkStop::Error(results)),
                        }
                    }
                }
            }
        }
        Ok(results)
    }

    /// True if a walk finds anything, including the results that an error leaves behind (E121, E123).
    // evalFilter looks only at the number of results for `exists`, and not at the error.
    fn is_there(&mut self, item: GoValue<'a>, nodes: &'a [PathNode]) -> Result<bool, WalkStop<'a>> {
        match self.walk_nodes(vec![item], nodes) {
            Ok(found) | Err(WalkStop::Error(found)) => Ok(!found.is_empty()),
            Err(stop) => Err(stop),
        }
    }

    // evalFilter calls Interface on the only result, which panics on a private one; more than one is an error.
    fn evaluate_side(
        &mut self,
        item: GoValue<'a>,
        nodes: &'a [PathNode],
    ) -> Result<FilterSide<'a>, WalkStop<'a>> {
        match self.walk_nodes(vec![item], nodes) {
            Ok(found) => match *found.as_slice() {
                [] => Ok(FilterSide::Nothing),
                [one] if one.is_private() => Err(WalkStop::Panic(PRIVATE)),
                [one] => Ok(FilterSide::One(one)),
                _ => Ok(FilterSide::Wrong),
            },
            Err(WalkStop::Error(_)) => Ok(FilterSide::Wrong),
            Err(stop) => Err(stop),
        }
    }
}
