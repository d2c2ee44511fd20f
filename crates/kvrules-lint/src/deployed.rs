//! Predicts the behaviour of the deployed validator for a rule from the rule alone.

use kvrules_diagnostics::{Diagnostic, Lint, Span};
use kvrules_elaborate::annotation::Key;
use kvrules_template_validator::divergence::DifferenceEffect;

use crate::{RuleView, message_text::code};

/// Differences that a lint of their own reports: `KV103` empty keys, `KV105` names used twice, `KV204` paths that
/// cannot be compiled, `KV406` arguments through a list.
const REPORTED_ELSEWHERE: [&str; 4] = ["D12", "D13", "D14", "D17"];

/// Differences that show on unusual machines alone, whatever the author writes: values evaluated from the reference
/// object (D3), empty lists on the way (D4), pointers that are absent (D8), defaults (D19), crashes over these (D22). As
/// findings they would be at nearly every rule; `kvrules eval --engine both` reports them where they happen.
const OF_MACHINES: [&str; 5] = ["D3", "D4", "D8", "D19", "D22"];

/// Reports what is foreseen with an effect; `says` makes the message of the rule's title and of the reason.
pub(crate) fn report_effect(
    lint: &Lint,
    effect: DifferenceEffect,
    says: fn(&str, &str) -> String,
    rule: &RuleView<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for one in rule.foreseen().iter().filter(|one| one.effect == effect) {
        let difference = one.difference;
        let of_machines = one.effect == DifferenceEffect::Differs && OF_MACHINES.contains(&difference.id);
        if of_machines || REPORTED_ELSEWHERE.contains(&difference.id) {
            continue;
        }
        let explain = code(&format!("kvrules explain {}", difference.id));
        let finding =
            lint.diagnostic_at(difference_span(rule, one.key), says(&rule.message_title(), &one.because));
        found.push(
            finding.with_help(format!("see {explain} for details on this difference, {}", difference.name)),
        );
    }
}

/// The value of the key that shows the difference, else the head of the rule.
fn difference_span(rule: &RuleView<'_>, key: Option<&'static str>) -> Span {
    let value = key.and_then(Key::from_text).and_then(|key| rule.find_entry(key)).map(|entry| entry.value);
    match value {
        Some(value) if value.is_list() || value.is_map() => value.span().first_byte(),
        Some(value) => value.span(),
        None => rule.head_span(),
    }
}
