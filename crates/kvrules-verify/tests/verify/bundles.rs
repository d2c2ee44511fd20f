//! The released bundles: every rule, every target.

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::{Artefact, Request};
use kvrules_syntax::parse_stream;
use kvrules_verify::{compare_with_validator, verify_targets};

use crate::rules::{counts, faults, sets, targets};

#[test]
fn every_claim_about_the_released_bundles_holds() {
    let Some(paths) = kvrules_testdata::list_files("kubevirt/templates", "yaml") else { return };
    let mut all = Vec::new();
    for path in &paths {
        let sets = sets(&std::fs::read_to_string(path).unwrap(), "bundle");
        let start = std::time::Instant::now();
        let report = verify_targets(
            &targets(),
            &Request::for_virtual_machines(&sets),
            Catalog::kubevirt_vm(),
            &|_, _| (),
        );
        println!(
            "{}: {} rule sets, {} distinct rules, {} objects, {} comparisons in {:.1?}\n{}",
            path.file_name().unwrap().to_string_lossy(),
            sets.len(),
            report.rules,
            report.objects,
            report.comparisons,
            start.elapsed(),
            counts(&report)
        );
        assert!(!report.is_inconclusive());
        all.extend(faults(&report));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn what_the_deployed_validator_does_otherwise_has_a_name() {
    let name = "kubevirt/templates/common-templates-v0.35.0.yaml";
    let Some(text) = kvrules_testdata::read_text(name) else { return };
    let stream = parse_stream(FileId(0), &text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let report = compare_with_validator(&documents, "bundle");
    println!("{} rules, {} objects, {} differences", report.rules, report.objects, report.departures.len());
    let unnamed: Vec<_> =
        report.departures.iter().filter(|departure| departure.differences.is_empty()).collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
    assert!(report.departures.iter().any(|departure| departure.differences.contains(&"D1")));
}

#[test]
fn every_claim_about_rules_put_into_the_real_definition_holds() {
    let name = "kubevirt/templates/common-templates-s390x-v0.35.0.yaml";
    let Some(bundle) = kvrules_testdata::read_text(name) else { return };
    let Some(text) = kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    let sets = sets(&bundle, "bundle");
    let schema = SourceFile::new(FileId(0), "virtualmachines.yaml", text);
    let request = Request { schema: Some(&schema), ..Request::for_virtual_machines(&sets) };
    let targets: Vec<_> = targets()
        .into_iter()
        .filter(|target| target.rule_set_artefact() == Some(Artefact::Definition))
        .collect();
    let report = verify_targets(&targets, &request, Catalog::kubevirt_vm(), &|_, _| ());
    println!("{} comparisons\n{}", report.comparisons, counts(&report));
    assert!(faults(&report).is_empty(), "{}", faults(&report).join("\n"));
    assert!(report.comparisons > 100);
}
