//! Rules that are too many or too large for a whole proof: what is said of them, and how much is looked at.

use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::{Emitter, Request, emitter};
use kvrules_verify::{Report, verify};

use crate::rules::{faults, sets};

/// Verifies rules with these keys, each on the same field.
fn report(targets: &[&'static Emitter], rules: &[String]) -> Report {
    let rules: Vec<String> = rules
        .iter()
        .enumerate()
        .map(|(index, keys)| format!(r#"{{"name": "r{index}", "message": "m", {keys}}}"#))
        .collect();
    let text = format!(
        "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: '[{}]'\n",
        rules.join(",")
    );
    verify(targets, &Request::of(&sets(&text, "set")), Catalog::kubevirt_vm(), &|_, _| ())
}

#[test]
fn a_set_of_many_rules_is_inconclusive_and_not_endless() {
    let cores = |index: usize| {
        format!(
            r#""path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "min": {index}, "max": {}"#,
            1000 + index
        )
    };
    let rules: Vec<String> = (0..60).map(cores).collect();
    let report = report(&[emitter("openapi").unwrap()], &rules);
    assert_eq!(report.rules, 60);
    assert!(faults(&report).is_empty(), "{:?}", faults(&report));
    let set = &report.targets[0].sets[0];
    assert!(set.inconclusive.as_deref().is_some_and(|why| why.starts_with("too large to decide")));
    // Each object is judged by each rule.
    assert!(set.objects * 60 <= 200_000, "{}", set.objects);
}

#[test]
fn a_long_list_of_values_is_inconclusive_and_not_endless() {
    let list = |count: usize| {
        let values: Vec<String> = (0..count).map(|index| format!("\"value{index}\"")).collect();
        format!(r#""path": "jsonpath::.spec.hostname", "rule": "enum", "values": [{}]"#, values.join(","))
    };
    let small = report(&[emitter("openapi").unwrap()], &[list(300)]);
    assert!(!small.is_inconclusive() && small.objects > 1_500, "{}", small.objects);
    let large = report(&[emitter("openapi").unwrap()], &[list(5_000)]);
    assert!(large.is_inconclusive() && large.holds());
    assert!(large.objects < 1_000, "{}", large.objects);
}
