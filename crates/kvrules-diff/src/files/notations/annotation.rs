//! Rules of templates as rules of the schema of VirtualMachines.

use kvrules_emit::Fidelity;
use kvrules_emit::cel::{Dialect, lower_predicate, rule_message};
use kvrules_ir::{ElaboratedRule, ElaboratedSet, Severity};
use kvrules_rule_set::RuleSeverity;
use serde_json::json;

use super::policy_writes::WriteEntries;
use super::side_rules::{OpaquePart, SideRule, SideRules};
use crate::report::ChangeSite;
use crate::rules::rule_parts;

/// The rules of a template in CEL.
pub(super) fn annotation_expressions(set: &ElaboratedSet) -> impl Iterator<Item = String> {
    set.rules.iter().filter_map(|rule| Some(lower_rule(rule).ok()?.0))
}

/// A rule of a template in CEL, which rejects no object that the rule accepts, with the reason for which it accepts more.
fn lower_rule(rule: &ElaboratedRule) -> Result<(String, Option<String>), String> {
    let lowered = lower_predicate(&rule.predicate, Dialect::VIRTUAL_MACHINE_SCHEMA).map_err(|it| it.cause)?;
    let cause = lowered.fidelity.cause().map(str::to_owned);
    match lowered.fidelity {
        Fidelity::Exact | Fidelity::Wider(_) => Ok((lowered.expression.to_string(), cause)),
        _ => Err(cause.unwrap_or_default()),
    }
}

/// A rule as it is written: `path jsonpath::.spec.domain.cpu.cores, min 2, max 10`.
fn written_rule(rule: &ElaboratedRule) -> String {
    let parts = rule_parts(rule).into_iter().filter(|(key, _)| *key != "message");
    parts.map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ")
}

/// Reads the rules of a template.
pub(super) fn read_annotation(set: &ElaboratedSet) -> SideRules {
    let mut side = SideRules::default();
    for rule in &set.rules {
        let severity = match rule.severity {
            Severity::Error => RuleSeverity::Error,
            Severity::Warning => RuleSeverity::Warn,
        };
        let location = rule.origin.span().map_or(ChangeSite::Absent, ChangeSite::Span);
        let opaque =
            |reason: String| OpaquePart { name: rule.name.clone(), reason, severity, site: location.clone() };
        match lower_rule(rule) {
            Ok((text, wider)) => {
                side.opaque.extend(wider.map(opaque));
                side.rules.push(SideRule {
                    name: rule.name.clone(),
                    entries: WriteEntries::always(vec![json!({"rule": text, "message": rule_message(rule)})]),
                    text: written_rule(rule),
                    severity,
                    place: Vec::new(),
                    site: location,
                });
            }
            Err(reason) => side.opaque.push(opaque(reason)),
        }
    }
    side.opaque.extend(set.left_out.iter().map(|rule| OpaquePart {
        name: rule.name.clone(),
        reason: rule.cause.to_string(),
        severity: RuleSeverity::Error,
        site: rule.origin.span().map_or(ChangeSite::Absent, ChangeSite::Span),
    }));
    side
}
