//! Keys in other letter case, and older keys.

use super::Difference;
use crate::context::Context;
use crate::spec::Spec;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D16",
    name: "key-spelling",
    summary: "the validator matches keys without regard to letter case and does not know included",
    applies,
};

/// With its keys spelled as the validator takes them, the rule has another outcome by its meaning.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let effect = |spec: &Spec| (spec.outcome(), spec.rejects());
    rule.respelled.as_ref().is_some_and(|respelled| effect(respelled) != effect(&rule.spec))
}
