//! The loops of a condition: those of the formula that holds and those of the one that fails.

use kvrules_ir::{Formula, Quantification};

/// The loops of two formulas, each once, and true for those about all entries.
pub(super) fn loops_of(formulas: [&Formula; 2]) -> Vec<(bool, &Quantification)> {
    let mut loops: Vec<(bool, &Quantification)> = Vec::new();
    for formula in formulas {
        formula.visit_formulas(&mut |part| {
            let found = match part {
                Formula::Each(it) => (true, &**it),
                Formula::Some(it) => (false, &**it),
                _ => return,
            };
            if !loops.contains(&found) {
                loops.push(found);
            }
        });
    }
    loops
}
