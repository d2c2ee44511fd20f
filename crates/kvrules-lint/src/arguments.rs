//! Which arguments of a rule are its own.

use kvrules_elaborate::annotation::{ALL_KEYS, Key, RuleKind};

use crate::{RuleView, shape::faults};

/// The arguments that another kind of rule takes, with that kind. None are, where the rule's kind is not known; one
/// of a wrong type is that mistake and not this one.
pub(crate) fn foreign(rule: &RuleView<'_>) -> impl Iterator<Item = (Key, RuleKind)> {
    let kind = rule.kind();
    let others = move |key: Key| key.argument_of().filter(|owner| kind.is_some_and(|kind| kind != *owner));
    let others = ALL_KEYS.into_iter().filter_map(move |key| Some((key, others(key)?)));
    others.filter(|(key, _)| rule.value(*key).is_some() && faults(rule, *key).is_empty())
}
