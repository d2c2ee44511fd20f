//! Equal rule sets, written once.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use kvrules_ir::ElaboratedSet;

/// Joins sets whose rules are equal: the first gives the name, and all who use them are listed.
///
/// Two rules are equal when their names, messages, severities and meanings are, wherever they are written.
pub fn unite(sets: impl IntoIterator<Item = ElaboratedSet>) -> Vec<ElaboratedSet> {
    let mut united: Vec<ElaboratedSet> = Vec::new();
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    for set in sets {
        let alike = by_hash.entry(hash(&set)).or_default();
        let same = |index: &usize| united.get(*index).is_some_and(|other| is_same(other, &set));
        if let Some(other) =
            alike.iter().copied().find(|index| same(index)).and_then(|index| united.get_mut(index))
        {
            other.used_by.extend(set.used_by);
        } else {
            alike.push(united.len());
            united.push(set);
        }
    }
    united
}

fn is_same(one: &ElaboratedSet, other: &ElaboratedSet) -> bool {
    one.rules == other.rules && one.left_out == other.left_out
}

fn hash(set: &ElaboratedSet) -> u64 {
    let mut hasher = DefaultHasher::new();
    set.rules.hash(&mut hasher);
    hasher.finish()
}
