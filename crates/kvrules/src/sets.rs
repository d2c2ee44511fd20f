//! From what was understood of an annotation to a rule set that stands by itself.

use kvrules_ir::{ElaboratedSet, RuleSetUser};
use kvrules_lint::ElaboratedAnnotation;

/// The rule set of one annotation, with its one user.
pub(crate) fn to_elaborated_set(annotated: ElaboratedAnnotation<'_>) -> ElaboratedSet {
    let ElaboratedAnnotation { set, elaboration, .. } = annotated;
    let audience = RuleSetUser { name: set.name.clone(), dialect: set.dialect, origin: set.origin };
    ElaboratedSet {
        name: set.name,
        used_by: vec![audience],
        rules: elaboration.rules,
        left_out: elaboration.left_out,
    }
}
