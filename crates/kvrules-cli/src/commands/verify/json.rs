//! The reports for programs.

use kvrules::all_differences;
use kvrules::render::json_text;
use kvrules::verify::{ClaimFault, ClaimFinding, Report, RuleReport, SspReport};
use serde_json::{Value, json};

use super::LeftOutRule;

/// The report of a verification.
///
/// Without a comparison no claim holds. `errors` files have errors, and their content was not examined.
pub(super) fn render_json(report: &Report, left_out: &[LeftOutRule], errors: usize) -> String {
    let is_compared = report.comparisons > 0;
    let targets = report.targets.iter().map(|target| {
        let count = target.count_results();
        json!({
            "target": target.target,
            "counts": {
                "exact": count.exact, "asClaimed": count.as_claimed, "unsupported": count.unsupported,
                "wrong": count.faults, "inconclusive": count.inconclusive,
            },
            "rules": target.rules.iter().map(rule_json).collect::<Vec<_>>(),
            "sets": target.sets.iter().map(|set| json!({
                "set": set.set, "objects": set.objects, "fault": set.fault.as_ref().map(fault_json),
                "inconclusive": set.inconclusive, "sample": set.is_sample,
            })).collect::<Vec<_>>(),
        })
    });
    pretty_json(&json!({
        "holds": report.all_claims_hold() && is_compared,
        "inconclusive": report.is_inconclusive() || !is_compared,
        "filesWithErrors": errors,
        "leftOut": left_out.iter().map(|rule| json!({
            "set": rule.set, "rule": rule.rule, "cause": rule.cause,
        })).collect::<Vec<_>>(),
        "rules": report.rules,
        "extraSpecs": report.extra_specs,
        "versions": report.resources,
        "ruleSets": report.rule_sets,
        "policies": report.policies,
        "objects": report.objects,
        "comparisons": report.comparisons,
        "reduced": report.reduced,
        "targets": targets.collect::<Vec<_>>(),
    }))
}

/// The report of a comparison with the deployed validator.
pub(super) fn render_ssp_json(report: &SspReport) -> String {
    let named = |id: &&'static str| {
        let known = all_differences().iter().find(|difference| difference.id == *id);
        known.map(|known| json!({"id": known.id, "name": known.name, "summary": known.summary}))
    };
    let departures = report.departures.iter().map(|departure| {
        json!({
            "set": departure.set,
            "rule": departure.rule,
            "named": departure.differences.iter().filter_map(named).collect::<Vec<_>>(),
            "means": departure.means,
            "validator": departure.validator,
            "change": departure.change,
            "object": departure.object,
        })
    });
    pretty_json(&json!({
        "rules": report.rules,
        "objects": report.objects,
        "differences": departures.collect::<Vec<_>>(),
    }))
}

fn rule_json(rule: &RuleReport) -> Value {
    let (finding, detail) = match &rule.finding {
        ClaimFinding::Exact => ("exact", Value::Null),
        ClaimFinding::AsClaimed { wider, narrower } => {
            ("as-claimed", json!({"wider": wider, "narrower": narrower}))
        }
        ClaimFinding::Unsupported => ("unsupported", Value::Null),
        ClaimFinding::Fault(found) => ("wrong", fault_json(found)),
        ClaimFinding::Inconclusive(why) => ("inconclusive", json!({"cause": why})),
    };
    json!({
        "rule": rule.rule,
        "sets": rule.sets,
        "claim": rule.claim.as_str(),
        "cause": rule.claim.cause(),
        "finding": finding,
        "detail": detail,
        "objects": rule.objects,
    })
}

fn fault_json(fault: &ClaimFault) -> Value {
    match fault {
        ClaimFault::UnclaimedDeparture { way, object, expected, actual } => {
            json!({"way": way.as_str(), "object": object, "expected": expected.as_str(), "actual": actual.as_str()})
        }
        ClaimFault::UnprovenDeparture(way) => json!({"unproven": way.as_str()}),
        ClaimFault::CannotRun(cause) => json!({"error": cause}),
    }
}

fn pretty_json(value: &Value) -> String {
    format!("{}\n", json_text(&format!("{value:#}")))
}
