//! Output of the `cel` target.

use kvrules_diagnostics::Origin;
use kvrules_emit::{Emission, Fidelity, Request, find_emitter};
use kvrules_ir::{
    AnnotationDialect, ElaboratedRule, ElaboratedSet, Predicate, Requirement, RuleSetUser, Selector,
    Severity, ValueTest,
};

use super::cases::{between, cases, guarded_bus, memory, test};

fn emit(sets: &[ElaboratedSet]) -> Emission {
    find_emitter("cel")
        .unwrap()
        .emit_rule_sets(&Request { version: "0", ..Request::for_virtual_machines(sets) })
        .unwrap()
}

fn rule(name: &str, message: &str, severity: Severity, predicate: Predicate) -> ElaboratedRule {
    let subject = Selector { text: ".spec".to_owned(), lists: Vec::new(), leaf: memory() };
    ElaboratedRule {
        name: name.to_owned(),
        message: message.to_owned(),
        severity,
        applies: Predicate::True,
        predicate,
        requirement: Requirement { subject, guard: None, tests: Vec::new(), compared_with: Vec::new() },
        written: kvrules_ir::AuthoredRule::default(),
        origin: Origin::default(),
    }
}

fn set(rules: Vec<ElaboratedRule>) -> ElaboratedSet {
    let audience = |number| RuleSetUser {
        name: format!("windows2k{number}-server-medium"),
        dialect: AnnotationDialect::Annotation201902,
        origin: Origin::default(),
    };
    ElaboratedSet {
        name: "Windows Server".to_owned(),
        used_by: (10..16).map(audience).collect(),
        rules,
        left_out: Vec::new(),
    }
}

#[test]
fn a_rule_set_is_one_file_of_rules_with_messages() {
    let least = test(memory(), ValueTest::Integer(between(2_147_483_648, None)));
    let lines = "This VM requires\n  more memory.\n";
    let rules = vec![
        rule("minimal-required-memory", lines, Severity::Error, least),
        rule("windows-disk-bus", "  ", Severity::Error, guarded_bus(&["sata", "scsi", "virtio"])),
        rule("windows-virtio-bus", "virtio is faster", Severity::Warning, guarded_bus(&["virtio"])),
        rule("anything", "never said", Severity::Error, Predicate::True),
    ];
    let emission = emit(&[set(rules)]);
    let fidelity: Vec<&str> = emission.fidelity.iter().map(|entry| entry.fidelity.as_str()).collect();
    assert_eq!(fidelity, ["wider", "exact", "unsupported", "exact"]);
    insta::assert_snapshot!("target", emission.files[0].text);
}

#[test]
fn every_entry_is_one_the_server_takes() {
    let rules = cases().into_iter().map(|(name, predicate)| rule(name, name, Severity::Error, predicate));
    let emission = emit(&[set(rules.collect())]);
    let file: serde_json::Value = serde_yaml::from_str(&emission.files[0].text).unwrap();
    let entries = file["x-kubernetes-validations"].as_array().unwrap();
    assert!(entries.len() > 60, "{}", entries.len());
    for entry in entries {
        let (rule, message) = (entry["rule"].as_str().unwrap(), entry["message"].as_str().unwrap());
        assert!(rule.len() <= 5000, "{rule}");
        assert!(!rule.trim().is_empty() && !message.trim().is_empty() && !message.contains('\n'), "{entry}");
        assert!(rule.lines().all(|line| line == line.trim_end()), "{rule}");
    }
    let wording =
        emission.fidelity.iter().filter(|entry| !matches!(entry.fidelity, Fidelity::Unsupported(_)));
    assert!(wording.count() >= entries.len());
}

#[test]
fn a_set_that_says_nothing_is_an_empty_list() {
    let emission = emit(&[set(Vec::new())]);
    assert!(emission.files[0].text.ends_with("x-kubernetes-validations: []\n"));
    assert_eq!(emission.files[0].path, "windows-server.yaml");
}
