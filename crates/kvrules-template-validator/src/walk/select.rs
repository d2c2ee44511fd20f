//! Steps that pick parts of what was found: names, items, all parts, everything below.

use kvrules_ir::PathSlice;

use super::{NIL_EMBEDDED, NO_TYPE, PathWalk, WalkStop};
use crate::path::PathNode;
use crate::schema::GoShape;
use crate::value::GoValue;

/// Result of a slice on a list of a certain length.
enum SliceBounds {
    /// Nothing, which ends the whole step (E151).
    End,
    Items {
        from: usize,
        to: usize,
        step: usize,
    },
    Wrong,
}

impl<'a> PathWalk<'a> {
    /// Whatever has no such name is dropped; if nothing is left of something, that is an error.
    // client-go util/jsonpath/jsonpath.go, JSONPath.evalField; names are resolved by findFieldInValue.
    pub(super) fn select_field(
        &mut self,
        input: &[GoValue<'a>],
        name: &str,
    ) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        self.spend_work(input.len())?;
        let mut results = Vec::new();
        for value in input.iter().filter_map(|value| value.follow_pointers()) {
            let result = match value.ty().shape {
                GoShape::Map(_) => value.map_entry(name),
                _ => value.find_field(name).map_err(|_| WalkStop::Panic(NIL_EMBEDDED))?,
            };
            results.extend(result);
        }
        // Without input, an empty result is not an error, so a path below an empty list finds nothing (E178).
        if results.is_empty() && !input.is_empty() { Err(WalkStop::Error(results)) } else { Ok(results) }
    }

    // client-go util/jsonpath/jsonpath.go, JSONPath.evalWildcard: a value without parts gives nothing, and is no error.
    pub(super) fn select_all(&mut self, input: &[GoValue<'a>]) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        let mut results = Vec::new();
        for value in input.iter().filter_map(|value| value.follow_pointers()) {
            let children = value.children();
            self.spend_work(children.len())?;
            results.extend(children);
        }
        Ok(results)
    }

    // client-go util/jsonpath/jsonpath.go, JSONPath.evalArray.
    pub(super) fn select_slice(
        &mut self,
        input: Vec<GoValue<'a>>,
        slice: PathSlice,
    ) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        let mut results = Vec::new();
        for value in input.iter().filter_map(|value| value.follow_pointers()) {
            let Some(length) = value.list_length() else {
                let invalid = matches!(value.ty().shape, GoShape::Invalid);
                return Err(if invalid { WalkStop::Panic(NO_TYPE) } else { WalkStop::Error(input) });
            };
            match slice_bounds(slice, length) {
                // evalArray returns here instead of going on with the next list.
                SliceBounds::End => return Ok(results),
                SliceBounds::Wrong => return Err(WalkStop::Error(input)),
                SliceBounds::Items { from, to, step } => {
                    self.spend_work((to - from).div_ceil(step))?;
                    results.extend((from..to).step_by(step).filter_map(|at| value.list_item(at)));
                }
            }
        }
        Ok(results)
    }

    // client-go util/jsonpath/jsonpath.go, JSONPath.evalUnion.
    pub(super) fn select_union(
        &mut self,
        input: Vec<GoValue<'a>>,
        branches: &'a [Vec<PathNode>],
    ) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        let mut results = Vec::new();
        for branch in branches {
            self.spend_work(input.len())?;
            match self.walk_nodes(input.clone(), branch) {
                Ok(found) => results.extend(found),
                Err(WalkStop::Error(_)) => return Err(WalkStop::Error(input)),
                Err(stop) => return Err(stop),
            }
        }
        Ok(results)
    }

    /// Everything that has something in it, the outer before the inner.
    // client-go util/jsonpath/jsonpath.go, JSONPath.evalRecursive: a value without parts is no result.
    pub(super) fn select_descendants(
        &mut self,
        input: &[GoValue<'a>],
    ) -> Result<Vec<GoValue<'a>>, WalkStop<'a>> {
        let mut results = Vec::new();
        self.collect_descendants(input, &mut results)?;
        Ok(results)
    }

    /// As deep as the types are nested, which is not deep.
    fn collect_descendants(
        &mut self,
        input: &[GoValue<'a>],
        results: &mut Vec<GoValue<'a>>,
    ) -> Result<(), WalkStop<'a>> {
        for value in input.iter().filter_map(|value| value.follow_pointers()) {
            // The bytes of a string have no parts, so only the presence of any matters.
            if let Some(text) = value.text() {
                results.extend((!text.is_empty()).then_some(value));
                continue;
            }
            let children = value.children();
            if !children.is_empty() {
                self.spend_work(children.len())?;
                results.push(value);
                self.collect_descendants(&children, results)?;
            }
        }
        Ok(())
    }
}

/// The bounds of a slice, in the order in which client-go works them out.
// client-go util/jsonpath/jsonpath.go, JSONPath.evalArray.
fn slice_bounds(slice: PathSlice, length: usize) -> SliceBounds {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let mut from = slice.start.unwrap_or(0);
    let mut to = match slice.end {
        // `[n]` is `[n:n+1]`, worked out before a negative n is.
        _ if slice.single => from.wrapping_add(1),
        Some(end) => end,
        None => length,
    };
    if from < 0 {
        from = from.wrapping_add(length);
    }
    // An end that the parser derived from `[-1]` is 0 and means the length; a written 0 stays 0 (E085).
    if to < 0 || (to == 0 && slice.single) {
        to = to.wrapping_add(length);
    }
    // Compared before the bounds are: `[9:9]` of two items is no error.
    if from == to {
        return SliceBounds::End;
    }
    let inside = (0..length).contains(&from) && (0..=length).contains(&to) && from <= to;
    let step = slice.step.unwrap_or(1);
    if !inside || step <= 0 {
        return SliceBounds::Wrong;
    }
    let place = |at: i64| usize::try_from(at).unwrap_or(usize::MAX);
    SliceBounds::Items { from: place(from), to: place(to), step: place(step) }
}
