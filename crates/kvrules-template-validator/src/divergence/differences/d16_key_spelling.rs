//! Keys in other letter case, and older keys.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::spec_result::SpecResult;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use crate::divergence::written_rule::{KEYS, matches_key};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D16",
    name: "key-spelling",
    summary: "the validator matches keys ignoring case and does not support included",
    applies,
    in_rule: Some(in_rule),
};

/// With its keys spelled as the validator takes them, the rule has another outcome by its meaning.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let effect = |spec: &SpecResult| (spec.outcome(), spec.rejects_object());
    rule.respelled.as_ref().is_some_and(|respelled| effect(respelled) != effect(&rule.spec))
}

/// A key is known except for its letter case, or an enumeration has the older `included`, without which it has no values.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    if !rule.written.keys_differ || !rule.is_sound() {
        return None;
    }
    let mut keys = rule.node.entries().map(|entry| entry.key.text());
    let respelled = keys.find_map(|key| KEYS.iter().find(|known| **known != key && matches_key(known, key)));
    if let Some(known) = respelled {
        let because = format!("it reads this key as `{known}`, ignoring case");
        return Some(DifferenceSign::new(DifferenceEffect::Differs, known, because));
    }
    if rule.written.kind != "enum" {
        return None;
    }
    let effect =
        if rule.written.values.is_empty() { rule.unsatisfied_effect() } else { DifferenceEffect::Differs };
    let because = "it does not support `included`";
    Some(DifferenceSign { effect, key: Some("included"), because: because.to_owned() })
}
