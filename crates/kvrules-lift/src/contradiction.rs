//! Formulas that no value satisfies together.

/// Finds some of `count` formulas that contradict each other, none of which can be left out: their numbers, in order. `contradict` is
/// asked about formulas by their numbers. `None` if there are none.
pub(crate) fn smallest_contradiction(
    count: usize,
    contradict: &mut dyn FnMut(&[usize]) -> bool,
) -> Option<Vec<usize>> {
    // The first so many formulas, and those that are needed.
    let mut contradict = |first: usize, needed: &[usize]| {
        let needed = needed.iter().filter(|number| **number >= first);
        let numbers: Vec<usize> = (0..first).chain(needed.copied()).collect();
        contradict(&numbers)
    };
    let mut needed: Vec<usize> = Vec::new();
    // The last formula of the shortest beginning that contradicts what is known to be needed is needed too.
    while !contradict(0, &needed) {
        let (mut without, mut with) = (0, count);
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
