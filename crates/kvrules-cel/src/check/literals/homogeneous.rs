//! Checks that the elements of a literal are of one type.
//!
//! The checker accepts a `dyn` next to anything; the server checks the inferred types again, but not those of
//! arguments of `format`.

use crate::check::core::{CoreKind, CoreNode};
use crate::check::{TypeError, TypeFacts};
use crate::types::Type;

/// Adds the elements that are not of the type of the first.
// cel-go cel/validator.go, homogeneousAggregateLiteralValidator.Validate; `format` is exempt (Configure)
pub(super) fn check_homogeneous(
    node: &CoreNode,
    facts: &TypeFacts,
    exempts_format: bool,
    errors: &mut Vec<TypeError>,
) {
    if exempts_format && matches!(&node.kind, CoreKind::Call { function, .. } if function == "format") {
        return;
    }
    match &node.kind {
        CoreKind::List(items) => {
            let elements = items.iter().map(|item| (&item.value, item.optional));
            // In a list the first mismatch ends the check, in a map it does not.
            errors.extend(find_mismatches(elements, facts).into_iter().take(1));
        }
        CoreKind::Map(pairs) => {
            errors.extend(find_mismatches(pairs.iter().map(|pair| (&pair.key, false)), facts));
            errors.extend(find_mismatches(pairs.iter().map(|pair| (&pair.value, pair.optional)), facts));
        }
        _ => {}
    }
    for child in node.children() {
        check_homogeneous(child, facts, exempts_format, errors);
    }
}

fn find_mismatches<'a>(
    elements: impl Iterator<Item = (&'a CoreNode, bool)>,
    facts: &TypeFacts,
) -> Vec<TypeError> {
    let mut first = None;
    let mut errors = Vec::new();
    for (element, optional) in elements {
        let ty = facts.types.get(element.id).unwrap_or(&Type::Error);
        let ty = match ty {
            Type::Optional(value) if optional => value,
            other => other,
        };
        let first = first.get_or_insert(ty);
        if *first != ty {
            errors.push((element.at, format!("expected type '{first}' but found '{ty}'")));
        }
    }
    errors
}
