//! Verdicts recorded from the validator itself: each must come out word for word.

#![expect(clippy::print_stdout, reason = "the run shows how many recorded cases agreed")]

mod support;

use std::collections::BTreeMap;

use support::{Case, cases, differences};

fn all_agree(name: &str) {
    let Some(text) = kvrules_testdata::read_text(name) else { return };
    let mut families: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut differing = Vec::new();
    for case in cases(&text) {
        let family = families.entry(case.family.clone()).or_default();
        family.1 += 1;
        match differences(&case) {
            None => family.0 += 1,
            Some(difference) => differing.push((case.id, difference)),
        }
    }
    for (family, (agreed, total)) in &families {
        println!("{family}: {agreed}/{total}");
    }
    for (id, difference) in differing.iter().take(20) {
        println!("{id} {difference}");
    }
    assert!(differing.is_empty(), "{} of {name} differ", differing.len());
}

#[test]
fn every_recorded_verdict_comes_out_the_same() {
    all_agree("kubevirt/evaluator-cases.jsonl");
}

#[test]
fn every_example_comes_out_the_same() {
    all_agree("kubevirt/semantics-examples.jsonl");
}

#[test]
fn the_selection_in_the_repository_comes_out_the_same() {
    let text = include_str!("../../../tests/conformance/kubevirt-ssp.jsonl");
    let differing: Vec<(String, String)> =
        cases(text).filter_map(|case: Case| Some((case.id.clone(), differences(&case)?))).collect();
    assert!(differing.is_empty(), "{differing:#?}");
}
