//! Pointers into a document.

use std::collections::HashMap;

use kvrules_diagnostics::{Span, find_nearest};
use kvrules_syntax::Node;

/// Maps with fewer keys are searched one by one.
const FEW_KEYS: usize = 16;

/// Similar names are searched for so many references; the search compares each with all names.
const MOST_SUGGESTIONS: usize = 20;

/// Keys of large maps, so that many references into one map take no time.
#[derive(Default)]
pub(super) struct PointerIndex<'d> {
    maps: HashMap<Span, HashMap<&'d str, Node<'d>>>,
    suggestions: usize,
}

impl<'d> PointerIndex<'d> {
    fn find_child(&mut self, node: Node<'d>, step: &str) -> Option<Node<'d>> {
        if node.is_list() {
            // A pointer has no leading zeros.
            let number = step.parse::<usize>().ok().filter(|number| number.to_string() == step)?;
            return node.items().nth(number);
        }
        if !node.is_map() || node.entries().nth(FEW_KEYS).is_none() || node.has_merges() {
            return node.get(step);
        }
        let read = || node.entries().map(|entry| (entry.key.text(), entry.value)).collect();
        self.maps.entry(node.span_of(0..0)).or_insert_with(read).get(step).copied()
    }

    /// Follows a pointer, or returns the last node on its way and the number of steps to it.
    pub(super) fn follow_pointer(
        &mut self,
        root: Node<'d>,
        steps: &[String],
    ) -> Result<Node<'d>, (Node<'d>, usize)> {
        let mut node = root;
        for (number, step) in steps.iter().enumerate() {
            node = self.find_child(node, step).ok_or((node, number))?;
        }
        Ok(node)
    }

    /// Returns a pointer like one that leads nowhere.
    pub(super) fn find_similar(&mut self, root: Node<'d>, steps: &[String]) -> Option<Vec<String>> {
        self.suggestions += 1;
        if self.suggestions > MOST_SUGGESTIONS {
            return None;
        }
        let name = steps.last()?;
        let places: [&[&str]; 3] = [&["definitions"], &["$defs"], &["components", "schemas"]];
        for place in places {
            let moved: Vec<String> =
                place.iter().copied().chain([name.as_str()]).map(str::to_owned).collect();
            if self.follow_pointer(root, &moved).is_ok() {
                return Some(moved);
            }
        }
        let (last, number) = self.follow_pointer(root, steps).err()?;
        let keys = last.entries().map(|entry| entry.key.text());
        let nearest = find_nearest(steps.get(number)?, keys)?;
        let mut similar = steps.to_vec();
        nearest.clone_into(similar.get_mut(number)?);
        self.follow_pointer(root, &similar).is_ok().then_some(similar)
    }
}
