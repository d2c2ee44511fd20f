//! Rule sets from texts, and reports in words.

use kvrules_diagnostics::FileId;
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::{annotation, elaborate_rule_set, merge_equal_sets};
use kvrules_ir::{ElaboratedSet, RuleSetUser};
use kvrules_syntax::parse_stream;
use kvrules_verify::{ClaimFault, ClaimFinding, Report};

/// The distinct rule sets of a file.
pub(crate) fn sets(text: &str, name: &str) -> Vec<ElaboratedSet> {
    let stream = parse_stream(FileId(0), text);
    let found = stream.documents.iter().flat_map(|document| annotation::find_annotations(document));
    let sets = found.map(|found| {
        let set = annotation::read_rule_set(&found, name);
        let elaboration = elaborate_rule_set(&set, Catalog::kubevirt_vm());
        let user = RuleSetUser { name: set.name.clone(), dialect: set.dialect, origin: set.origin };
        ElaboratedSet {
            name: set.name,
            used_by: vec![user],
            rules: elaboration.rules,
            left_out: elaboration.left_out,
        }
    });
    merge_equal_sets(sets.collect::<Vec<_>>())
}

/// Every target that evaluates objects.
pub(crate) fn targets() -> Vec<&'static kvrules_emit::Emitter> {
    kvrules_emit::EMITTERS.iter().copied().filter(|target| target.enforces_rules()).collect()
}

/// Every fault, one a line.
pub(crate) fn faults(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for target in &report.targets {
        for rule in &target.rules {
            let claim = format!("{} ({})", rule.claim.as_str(), rule.claim.cause().unwrap_or_default());
            let what = match &rule.finding {
                ClaimFinding::Fault(fault) => words(fault),
                ClaimFinding::Inconclusive(why) => format!("inconclusive: {why}"),
                _ => continue,
            };
            lines.push(format!("{} {} [{}] claims {claim}: {what}", target.target, rule.rule, rule.sets[0]));
        }
        for set in &target.sets {
            if let Some(fault) = &set.fault {
                lines.push(format!("{} the set {}: {}", target.target, set.set, words(fault)));
            }
        }
    }
    lines
}

fn words(fault: &ClaimFault) -> String {
    match fault {
        ClaimFault::UnclaimedDeparture { way, object, expected, actual } => {
            format!("{} (means {}, {}) {object}", way.as_str(), expected.as_str(), actual.as_str())
        }
        ClaimFault::UnprovenDeparture(way) => format!("no object shows that it is {}", way.as_str()),
        ClaimFault::CannotRun(why) => format!("broken: {why}"),
    }
}

/// Returns the results of each target's rules, in lines.
pub(crate) fn counts(report: &Report) -> String {
    let line = |target: &kvrules_verify::TargetReport| {
        let count = target.count_results();
        format!(
            "  {:17} {} rules: {} exact, {} as claimed, {} not said; {} faults, {} inconclusive\n",
            target.target,
            target.rules.len(),
            count.exact,
            count.as_claimed,
            count.unsupported,
            count.faults,
            count.inconclusive
        )
    };
    report.targets.iter().map(line).collect()
}
