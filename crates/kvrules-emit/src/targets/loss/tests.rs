//! Levels of losses, errors or warnings, and their counts.

use crate::{Emission, RuleFidelity};
use kvrules_diagnostics::{FileId, SourceFile};

use super::*;
use crate::targets::TargetOutput;

fn fidelities() -> [Fidelity; 5] {
    let cause = || "a cause".to_owned();
    [
        Fidelity::Exact,
        Fidelity::Wider(cause()),
        Fidelity::Narrower(cause()),
        Fidelity::Incomparable(cause()),
        Fidelity::Unsupported(cause()),
    ]
}

fn levels(policy: &LossPolicy, target: &str) -> [Option<Level>; 5] {
    let target = crate::find_emitter(target).unwrap();
    fidelities().map(|fidelity| policy.loss_level(target, &fidelity))
}

const ERROR: Option<Level> = Some(Level::Error);
const WARNING: Option<Level> = Some(Level::Warning);

#[test]
fn what_refuses_too_much_is_an_error_and_what_refuses_too_little_a_warning() {
    assert_eq!(levels(&LossPolicy::default(), "cel"), [None, WARNING, ERROR, ERROR, WARNING]);
    assert_eq!(levels(&LossPolicy::for_all_targets(Loss::Error), "cel"), [None, ERROR, ERROR, ERROR, ERROR]);
    assert_eq!(
        levels(&LossPolicy::for_all_targets(Loss::Warn), "cel"),
        [None, WARNING, WARNING, WARNING, WARNING]
    );
    assert_eq!(levels(&LossPolicy::for_all_targets(Loss::Allow), "cel"), [None; 5]);
}

#[test]
fn a_target_may_have_a_policy_of_its_own() {
    let of_target = BTreeMap::from([("cel".to_owned(), Loss::Allow)]);
    let policy = LossPolicy { general: Some(Loss::Error), of_target };
    assert_eq!(levels(&policy, "cel"), [None; 5]);
    assert_eq!(levels(&policy, "openapi")[1], ERROR);
}

#[test]
fn documents_lose_nothing() {
    for target in crate::EMITTERS.iter().filter(|target| !target.enforces_rules()) {
        assert_eq!(levels(&LossPolicy::for_all_targets(Loss::Error), target.name), [None; 5]);
    }
}

/// Two rules that are understood and one that is left out, and an output that tells of `reported` rules.
fn report(reported: usize, policy: &LossPolicy) -> LossReport {
    let text = r#"
vm.kubevirt.io/validations: |
  [
    {"name": "a", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8},
    {"name": "gone", "rule": "colour", "message": "m", "path": "jsonpath::.spec.hostname"},
    {"name": "b", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.sockets", "max": 8}
  ]
"#;
    let reading = kvrules_sources::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text));
    let of_target =
        |fidelity: Fidelity| RuleFidelity { set: "rules".to_owned(), rule: "any".to_owned(), fidelity };
    let fidelity = fidelities().into_iter().take(reported).map(of_target).collect();
    let output = TargetOutput {
        target: "cel",
        emission: Emission { fidelity, ..Emission::default() },
        extra_specs: Emission::default(),
        resources: Emission::default(),
    };
    LossReport::new(&kvrules_elaborate::merge_equal_sets(reading.sets), &[output], policy)
}

#[test]
fn every_rule_is_counted_once_with_those_that_are_left_out() {
    let report = report(2, &LossPolicy::default());
    let totals = Totals { exact: 1, wider: 1, unsupported: 1, ..Totals::default() };
    assert_eq!(report.targets[0].totals, totals);
    let rules: Vec<_> = report.sets[0].rules.iter().map(|rule| (rule.name.as_str(), rule.left_out)).collect();
    assert_eq!(rules, [("a", false), ("b", false), ("gone", true)]);
    let of_target = &report.sets[0].rules[2].targets["cel"];
    assert_eq!((of_target.fidelity, of_target.level), ("unsupported", Some("warning")));
    assert!(of_target.cause.as_ref().unwrap().contains("colour"), "{of_target:?}");
    assert_eq!(report.error_count(), 0);
    assert_eq!(self::report(2, &LossPolicy::for_all_targets(Loss::Error)).error_count(), 2);
}

#[test]
fn a_rule_that_a_target_does_not_tell_of_is_not_taken_for_exact() {
    let report = report(1, &LossPolicy::default());
    assert_eq!(report.sets[0].rules[1].targets["cel"].fidelity, "unsupported");
}
