//! Equal rule sets, written once.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use kvrules_ir::{ElaboratedSet, OmittedRule};

/// Joins sets whose rules are equal: the first gives the name, and all who use them are listed. Where two sets that
/// differ have one name, as templates of two releases do, the later ones get a number.
///
/// Two rules are equal when their names, messages, severities and meanings are, wherever they are written.
pub fn merge_equal_sets(sets: impl IntoIterator<Item = ElaboratedSet>) -> Vec<ElaboratedSet> {
    let mut united: Vec<ElaboratedSet> = Vec::new();
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    for set in sets {
        let alike = by_hash.entry(hash_rules(&set)).or_default();
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
    number_names(&mut united);
    united
}

/// Makes names unique.
fn number_names(sets: &mut [ElaboratedSet]) {
    let mut taken: HashSet<String> = HashSet::new();
    for set in sets {
        let numbered = (2..).map(|number| format!("{} ({number})", set.name));
        let free = std::iter::once(set.name.clone()).chain(numbered).find(|name| !taken.contains(name));
        set.name = free.unwrap_or_default();
        taken.insert(set.name.clone());
    }
}

fn is_same(one: &ElaboratedSet, other: &ElaboratedSet) -> bool {
    // Of rules that are left out, only the name and the cause appear in any output.
    let are_shown_alike =
        |(one, other): (&OmittedRule, &OmittedRule)| one.name == other.name && one.cause == other.cause;
    one.rules == other.rules
        && one.left_out.len() == other.left_out.len()
        && one.left_out.iter().zip(&other.left_out).all(are_shown_alike)
}

fn hash_rules(set: &ElaboratedSet) -> u64 {
    let mut hasher = DefaultHasher::new();
    set.rules.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use kvrules_ir::{AnnotationDialect, OmittedRuleContent, RuleSetUser};

    use super::*;

    fn set(name: &str, rule: &str, text: &str) -> ElaboratedSet {
        let origin = kvrules_diagnostics::Origin::default();
        let dialect = AnnotationDialect::Annotation201902;
        ElaboratedSet {
            name: name.to_owned(),
            used_by: vec![RuleSetUser { name: name.to_owned(), dialect, origin }],
            rules: Vec::new(),
            left_out: vec![OmittedRule {
                name: rule.to_owned(),
                cause: kvrules_ir::OmissionCause::unreadable_rule(""),
                content: OmittedRuleContent::Text { keys: text.to_owned(), message: None },
                origin,
            }],
        }
    }

    #[test]
    fn equal_sets_are_joined_and_names_made_unique() {
        let united = merge_equal_sets([
            set("a", "x", ""),
            set("b", "x", ""),
            set("a", "y", ""),
            set("a", "z", ""),
            set("c", "x", "other"),
        ]);
        let shown: Vec<_> = united.iter().map(|set| (set.name.as_str(), set.used_by.len())).collect();
        assert_eq!(shown, [("a", 3), ("a (2)", 1), ("a (3)", 1)]);
    }
}
