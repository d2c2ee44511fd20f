//! Formulas that no value satisfies together.

use kvrules_ir::Formula;
use serde_json::Value;

use crate::proof::is_implied;

/// Finds some of several formulas that no value of a schema satisfies together, though each of them by itself may be satisfied: their
/// numbers, in order. `None` if there are none or that is not known.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
/// use kvrules_lift::find_contradiction;
///
/// let five = || Term::Constant(Constant::Integer(5));
/// let less = |left, right| Formula::comparison_of(left, TermRelation::Less, right);
/// let (below, above) = (less(Term::Root("self".to_owned()), five()), less(five(), Term::Root("self".to_owned())));
/// let schema = serde_json::json!({"type": "integer"});
/// assert_eq!(find_contradiction(&[&below, &Formula::True, &above], &schema), Some(vec![0, 2]));
/// assert_eq!(find_contradiction(&[&below, &below], &schema), None);
/// ```
pub fn find_contradiction(formulas: &[&Formula], schema: &Value) -> Option<Vec<usize>> {
    // The first so many formulas, and those that are needed.
    let contradict = |first: usize, needed: &[usize]| {
        let needed = needed.iter().filter_map(|index| formulas.get(*index));
        let parts: Vec<&Formula> = formulas.iter().take(first).chain(needed).copied().collect();
        is_implied(&parts, &Formula::False, schema)
    };
    let mut needed: Vec<usize> = Vec::new();
    // The last formula of the shortest beginning that contradicts what is known to be needed is needed too.
    while !contradict(0, &needed) {
        let (mut without, mut with) = (0, formulas.len());
        if !contradict(with, &needed) {
            return None;
        }
        while with - without > 1 {
            let middle = without.midpoint(with);
            if contradict(middle, &needed) {
                with = middle;
            } else {
                without = middle;
            }
        }
        if needed.contains(&(with - 1)) {
            return None;
        }
        needed.push(with - 1);
    }
    needed.sort_unstable();
    Some(needed)
}
