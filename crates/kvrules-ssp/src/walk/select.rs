//! Steps that pick parts of what was found: names, items, all parts, everything below.

use kvrules_ir::PathSlice;

use super::{NIL_EMBEDDED, NO_TYPE, Stop, Walk};
use crate::path::Node;
use crate::schema::Shape;
use crate::value::Value;

/// Result of a slice on a list of a certain length.
enum Cut {
    /// Nothing, which ends the whole step (E151).
    End,
    Items {
        from: usize,
        to: usize,
        step: usize,
    },
    Wrong,
}

impl<'a> Walk<'a> {
    /// Whatever has no such name is dropped; if nothing is left of something, that is an error.
    pub(super) fn select_field(
        &mut self,
        input: &[Value<'a>],
        name: &str,
    ) -> Result<Vec<Value<'a>>, Stop<'a>> {
        self.spend(input.len())?;
        let mut results = Vec::new();
        for value in input.iter().filter_map(|value| value.indirect()) {
            let result = match value.ty().shape {
                Shape::Map(_) => value.entry(name),
                _ => value.find_field(name).map_err(|_| Stop::Panic(NIL_EMBEDDED))?,
            };
            results.extend(result);
        }
        if results.is_empty() && !input.is_empty() { Err(Stop::Error(results)) } else { Ok(results) }
    }

    pub(super) fn wildcard(&mut self, input: &[Value<'a>]) -> Result<Vec<Value<'a>>, Stop<'a>> {
        let mut results = Vec::new();
        for value in input.iter().filter_map(|value| value.indirect()) {
            let children = value.children();
            self.spend(children.len())?;
            results.extend(children);
        }
        Ok(results)
    }

    pub(super) fn slice(
        &mut self,
        input: Vec<Value<'a>>,
        slice: PathSlice,
    ) -> Result<Vec<Value<'a>>, Stop<'a>> {
        let mut results = Vec::new();
        for value in input.iter().filter_map(|value| value.indirect()) {
            let Some(length) = value.list_length() else {
                let invalid = matches!(value.ty().shape, Shape::Invalid);
                return Err(if invalid { Stop::Panic(NO_TYPE) } else { Stop::Error(input) });
            };
            match cut(slice, length) {
                Cut::End => return Ok(results),
                Cut::Wrong => return Err(Stop::Error(input)),
                Cut::Items { from, to, step } => {
                    self.spend((to - from).div_ceil(step))?;
                    results.extend((from..to).step_by(step).filter_map(|at| value.item(at)));
                }
            }
        }
        Ok(results)
    }

    pub(super) fn union(
        &mut self,
        input: Vec<Value<'a>>,
        branches: &'a [Vec<Node>],
    ) -> Result<Vec<Value<'a>>, Stop<'a>> {
        let mut results = Vec::new();
        for branch in branches {
            self.spend(input.len())?;
            match self.list(input.clone(), branch) {
                Ok(found) => results.extend(found),
                Err(Stop::Error(_)) => return Err(Stop::Error(input)),
                Err(stop) => return Err(stop),
            }
        }
        Ok(results)
    }

    /// Everything that has something in it, the outer before the inner.
    pub(super) fn descend(&mut self, input: &[Value<'a>]) -> Result<Vec<Value<'a>>, Stop<'a>> {
        let mut results = Vec::new();
        self.collect_descendants(input, &mut results)?;
        Ok(results)
    }

    /// As deep as the types are nested, which is not deep.
    fn collect_descendants(
        &mut self,
        input: &[Value<'a>],
        results: &mut Vec<Value<'a>>,
    ) -> Result<(), Stop<'a>> {
        for value in input.iter().filter_map(|value| value.indirect()) {
            // A string's bytes have nothing in them; that there are some is enough.
            if let Some(text) = value.text() {
                results.extend((!text.is_empty()).then_some(value));
                continue;
            }
            let children = value.children();
            if !children.is_empty() {
                self.spend(children.len())?;
                results.push(value);
                self.collect_descendants(&children, results)?;
            }
        }
        Ok(())
    }
}

/// The bounds of a slice, in the order in which client-go works them out.
fn cut(slice: PathSlice, length: usize) -> Cut {
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
    if to < 0 || (to == 0 && slice.single) {
        to = to.wrapping_add(length);
    }
    if from == to {
        return Cut::End;
    }
    let inside = (0..length).contains(&from) && (0..=length).contains(&to) && from <= to;
    let step = slice.step.unwrap_or(1);
    if !inside || step <= 0 {
        return Cut::Wrong;
    }
    let place = |at: i64| usize::try_from(at).unwrap_or(usize::MAX);
    Cut::Items { from: place(from), to: place(to), step: place(step) }
}
