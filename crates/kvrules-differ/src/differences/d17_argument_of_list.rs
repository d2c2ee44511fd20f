//! Arguments whose paths run through a list.

use kvrules_ir::CauseKind;

use crate::alone::{Effect, RuleAlone, Sign};
use crate::context::{Context, RuleContext};
use crate::difference::Difference;
use crate::paths::{Keyed, arguments};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D17",
    name: "argument-of-list",
    summary: "an argument that can yield several values is left out by kvrules, and accepted by the validator if it yields one",
    applies,
    in_rule: Some(in_rule),
};

/// An argument runs through a list, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::ManyValues)
}

/// An argument runs through a list.
fn in_rule(rule: &RuleAlone<'_>) -> Option<Sign> {
    if !rule.is_left_out(CauseKind::ManyValues) {
        return None;
    }
    let many = |path: &Keyed<'_>| path.resolved().is_ok_and(|selector| !selector.lists.is_empty());
    let key = arguments(&rule.written).find(many)?.key;
    let because = "it accepts this argument if it yields one value, and kvrules leaves the rule out";
    Some(Sign::new(Effect::Differs, key, because))
}
