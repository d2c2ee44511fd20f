//! Every distinct rule list of the recorded cases.

use std::collections::BTreeSet;

use kvrules_elaborate::{catalog::Catalog, merge_equal_sets};
use kvrules_emit::Request;
use kvrules_ir::ElaboratedSet;
use kvrules_verify::verify_targets;
use serde_json::json;

use crate::rules::{counts, faults, sets, targets};

#[test]
fn every_claim_about_the_recorded_rule_lists_holds() {
    let Some(rows) = kvrules_testdata::read_rows("kubevirt/evaluator-cases.jsonl") else { return };
    let lists: BTreeSet<String> = rows.iter().map(|row| row["rules"].as_str().unwrap().to_owned()).collect();
    let mut all = Vec::new();
    for list in &lists {
        let machine = json!({"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": list}}});
        all.extend(sets(&machine.to_string(), "recorded").into_iter().filter(|set| !set.rules.is_empty()));
    }
    let sets = merge_equal_sets(all);
    // All of them take some minutes in a debug build, longer than a test should.
    let stride = std::env::var("KVRULES_VERIFY_STRIDE").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let sets: Vec<_> = sets.into_iter().step_by(stride).collect();
    // Selects sets by the names that faults report: `KVRULES_VERIFY_SETS='recorded (366),recorded (729)'`.
    let named = std::env::var("KVRULES_VERIFY_SETS").ok();
    let is_named = |set: &ElaboratedSet| {
        named.as_ref().is_none_or(|names| names.split(',').any(|name| name == set.name))
    };
    let sets: Vec<_> = sets.into_iter().filter(is_named).collect();
    let start = std::time::Instant::now();
    let report =
        verify_targets(&targets(), &Request::for_virtual_machines(&sets), Catalog::kubevirt_vm(), &|_, _| ());
    println!(
        "{} rule lists, {} rule sets looked at, {} distinct rules, {} objects, {} comparisons in {:.1?}\n{}",
        lists.len(),
        sets.len(),
        report.rules,
        report.objects,
        report.comparisons,
        start.elapsed(),
        counts(&report)
    );
    if stride > 1 {
        println!("one rule set in {stride}; `cargo xtask verify` looks at all");
    }
    let faults = faults(&report);
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
