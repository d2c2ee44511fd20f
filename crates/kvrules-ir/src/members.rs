//! Looking values up among others with work that grows with their number, and not with its square.

use std::collections::HashSet;
use std::hash::Hash;

/// Values that others are looked up among: one by one if they are few, else by their hashes.
pub(crate) enum Members<'a, T> {
    Few(Vec<&'a T>),
    Many(HashSet<&'a T>),
}

/// To compare a few values takes less than to hash them.
const FEW: usize = 8;

impl<'a, T: Eq + Hash> Members<'a, T> {
    pub(crate) fn of(values: Vec<&'a T>) -> Self {
        if values.len() <= FEW { Self::Few(values) } else { Self::Many(values.into_iter().collect()) }
    }

    pub(crate) fn contains(&self, value: &T) -> bool {
        match self {
            Self::Few(values) => values.contains(&value),
            Self::Many(values) => values.contains(value),
        }
    }
}

/// Leaves out values that are equal to an earlier one.
pub(crate) fn retain_distinct<T: Eq + Hash>(parts: &mut Vec<T>) {
    let mut is_first: Vec<bool> = Vec::with_capacity(parts.len());
    if parts.len() <= FEW {
        let is_new = |(at, part): (usize, &T)| !parts.iter().take(at).any(|other| other == part);
        is_first.extend(parts.iter().enumerate().map(is_new));
    } else {
        let mut seen = HashSet::with_capacity(parts.len());
        is_first.extend(parts.iter().map(|part| seen.insert(part)));
    }
    let mut is_first = is_first.into_iter();
    parts.retain(|_| is_first.next() == Some(true));
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hasher;

    use super::*;

    thread_local! {
        static COMPARISONS: Cell<usize> = const { Cell::new(0) };
    }

    #[derive(Debug, Eq)]
    struct Counted(usize);

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            COMPARISONS.set(COMPARISONS.get() + 1);
            self.0 == other.0
        }
    }

    impl Hash for Counted {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn equal_values_are_found_with_few_comparisons() {
        let mut values: Vec<Counted> = (0..4_000).map(|number| Counted(number % 2_000)).collect();
        retain_distinct(&mut values);
        assert!(values.iter().map(|value| value.0).eq(0..2_000));
        let members = Members::of(values.iter().collect());
        assert!((0..3_000).all(|number| members.contains(&Counted(number)) == (number < 2_000)));
        assert!(COMPARISONS.get() < 20_000, "{}", COMPARISONS.get());
    }

    #[test]
    fn a_few_values_keep_their_order() {
        let mut values = vec![3, 1, 3, 2, 1];
        retain_distinct(&mut values);
        assert_eq!(values, [3, 1, 2]);
    }
}
