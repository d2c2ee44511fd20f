//! Checks that the elements of a literal are of one type.
//!
//! The checker accepts a `dyn` next to anything; the server checks the inferred types again, but not those of
//! arguments of `format`.

use crate::check::core::{Kind, Node};
use crate::check::{Facts, Mistake};
use crate::types::Type;

/// Adds the elements that are not of the type of the first.
pub(super) fn check(node: &Node, facts: &Facts, mistakes: &mut Vec<Mistake>) {
    if matches!(&node.kind, Kind::Call { function, .. } if function == "format") {
        return;
    }
    match &node.kind {
        Kind::List(items) => {
            let elements = items.iter().map(|item| (&item.value, item.optional));
            mistakes.extend(mismatches(elements, facts).into_iter().take(1));
        }
        Kind::Map(pairs) => {
            mistakes.extend(mismatches(pairs.iter().map(|pair| (&pair.key, false)), facts));
            mistakes.extend(mismatches(pairs.iter().map(|pair| (&pair.value, pair.optional)), facts));
        }
        _ => {}
    }
    for child in node.children() {
        check(child, facts, mistakes);
    }
}

fn mismatches<'a>(elements: impl Iterator<Item = (&'a Node, bool)>, facts: &Facts) -> Vec<Mistake> {
    let mut first = None;
    let mut mistakes = Vec::new();
    for (element, optional) in elements {
        let ty = facts.types.get(element.id).unwrap_or(&Type::Error);
        let ty = match ty {
            Type::Optional(value) if optional => value,
            other => other,
        };
        let first = first.get_or_insert(ty);
        if *first != ty {
            mistakes.push((element.at, format!("expected type '{first}' but found '{ty}'")));
        }
    }
    mistakes
}
