//! Predicates with other names for their fields.

use kvrules_ir::{PlaceStep, Predicate};

use super::rebase;

/// The predicate with names that every expression can select, no two fields under one name.
///
/// True if a predicate holds where a field is absent does not depend on what the field is called, but some names cannot be
/// selected in an expression.
pub(super) fn to_selectable(predicate: &Predicate) -> Predicate {
    rebase::each_place(predicate, 0, &|mut place, _| {
        for step in &mut place.steps {
            if let PlaceStep::Field { name, .. } = step {
                *name = name.bytes().fold("n".to_owned(), |name, byte| format!("{name}{byte:02x}"));
            }
        }
        place
    })
}
