//! From what was understood of an annotation to a rule set that stands by itself.

use kvrules_ir::{Audience, ElaboratedSet};
use kvrules_lint::Annotated;

/// The rule set of one annotation, with its one user.
pub(crate) fn elaborated(annotated: Annotated<'_>) -> ElaboratedSet {
    let Annotated { set, elaboration, .. } = annotated;
    let audience = Audience { name: set.name.clone(), dialect: set.dialect, origin: set.origin };
    ElaboratedSet {
        name: set.name,
        used_by: vec![audience],
        rules: elaboration.rules,
        left_out: elaboration.left_out,
    }
}
