//! Filters: items of lists for which something is there, or holds.

use kvrules_ir::FilterOperator;

use super::compare::compare;
use super::{PRIVATE, Stop, Walk};
use crate::path::Node;
use crate::value::Value;

/// Result of one side of a comparison.
enum Side<'a> {
    One(Value<'a>),
    Nothing,
    Wrong,
}

impl<'a> Walk<'a> {
    pub(super) fn filter(
        &mut self,
        input: Vec<Value<'a>>,
        left: &'a [Node],
        comparison: Option<&'a (FilterOperator, Vec<Node>)>,
    ) -> Result<Vec<Value<'a>>, Stop<'a>> {
        let mut results = Vec::new();
        for value in &input {
            let list = value.indirect().and_then(|list| Some((list, list.list_length()?)));
            let Some((list, length)) = list else { return Err(Stop::Error(input)) };
            for item in (0..length).filter_map(|at| list.item(at)) {
                self.spend(1)?;
                let Some((operator, right)) = comparison else {
                    results.extend(self.is_there(item, left)?.then_some(item));
                    continue;
                };
                // Both sides are worked out before the operator is looked at.
                let sides = match self.side(item, left)? {
                    Side::One(left) => (Side::One(left), self.side(item, right)?),
                    other => (other, Side::Nothing),
                };
                match sides {
                    (Side::Wrong, _) | (_, Side::Wrong) => return Err(Stop::Error(input)),
                    (Side::Nothing, _) | (_, Side::Nothing) => {}
                    (Side::One(left), Side::One(right)) => match compare(left, *operator, right) {
                        Some(holds) => results.extend(holds.then_some(item)),
                        None => return Err(Stop::Error(results)),
                    },
                }
            }
        }
        Ok(results)
    }

    /// True if a walk finds anything, including the results that an error leaves behind (E121, E123).
    fn is_there(&mut self, item: Value<'a>, nodes: &'a [Node]) -> Result<bool, Stop<'a>> {
        match self.list(vec![item], nodes) {
            Ok(found) | Err(Stop::Error(found)) => Ok(!found.is_empty()),
            Err(stop) => Err(stop),
        }
    }

    fn side(&mut self, item: Value<'a>, nodes: &'a [Node]) -> Result<Side<'a>, Stop<'a>> {
        match self.list(vec![item], nodes) {
            Ok(found) => match *found.as_slice() {
                [] => Ok(Side::Nothing),
                [one] if one.is_private() => Err(Stop::Panic(PRIVATE)),
                [one] => Ok(Side::One(one)),
                _ => Ok(Side::Wrong),
            },
            Err(Stop::Error(_)) => Ok(Side::Wrong),
            Err(stop) => Err(stop),
        }
    }
}
