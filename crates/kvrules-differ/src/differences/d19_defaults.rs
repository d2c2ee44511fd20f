//! Defaults that the validator does not fill in.

use kvrules_eval::{Judged, ValueOrigin};

use super::Difference;
use crate::context::{Context, SspOutcome};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D19",
    name: "defaults",
    summary: "a value that the object does not spell out is the default of the API by its meaning, and the zero value for the validator",
    applies,
};

/// A value is a default that is not the zero of its type, and the zero passes or fails otherwise.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((read, seen)) = rule.judged() else { return false };
    let values = &read.explanation.values;
    let has_default = values.iter().any(|value| value.finding.origin == ValueOrigin::Default);
    let passes = values.iter().all(Judged::passes);
    let is_cpu = values.iter().all(|value| value.finding.location.contains(".domain.cpu."));
    has_default && seen.on_machine && !is_cpu && passes != (rule.ssp == SspOutcome::Satisfied)
}
