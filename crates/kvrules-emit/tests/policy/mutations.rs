//! A broken lowering does not go unnoticed.

use kvrules_ir::{ElaboratedSet, Severity};
use serde_json::Value;

use super::rules::{WINDOWS, machines, read};
use super::validators::{Validators, emit};

/// The mutation, the original text in the file, and its replacement.
const MUTATIONS: [(&str, &str, &str); 9] = [
    ("at least becomes more than", "compareTo(quantity('2Gi')) >= 0", "compareTo(quantity('2Gi')) > 0"),
    ("another limit", "quantity('2Gi')", "quantity('2G')"),
    ("the guard is dropped", "!has(disk.disk) || ", ""),
    ("the guard is swapped", "!has(disk.cdrom) ||", "has(disk.cdrom) ||"),
    ("all becomes exists", "disks.all(disk", "disks.exists(disk"),
    ("a value is lost", "['sata', 'scsi', 'virtio']", "['sata', 'scsi']"),
    ("another field", "disk.cdrom.bus == 'sata'", "disk.cdrom.bus != 'sata'"),
    ("has() is dropped before a list", "has(variables.domain.devices.disks)", "true"),
    ("a warning rejects", "validationActions:\n  - Warn", "validationActions:\n  - Deny"),
];

#[test]
fn each_broken_policy_differs_from_its_rules_on_some_object() {
    let set = read(WINDOWS, &["windows"]);
    let text = &emit(std::slice::from_ref(&set)).files[0].text;
    assert_eq!(differences(text, &set), 0);
    for (what, from, to) in MUTATIONS {
        let broken = text.replace(from, to);
        assert_ne!(*text, broken, "{what}: nothing to break in\n{text}");
        let count = differences(&broken, &set);
        assert!(count > 0, "{what}: no object shows it");
        println!("{what}: shown by {count} objects");
    }
}

/// Objects of which a file says something else than its rules do, fractions aside.
fn differences(text: &str, set: &ElaboratedSet) -> usize {
    let validators = Validators::of(text);
    let all = machines(set);
    all.iter()
        .filter(|object| !object.to_string().contains('.') && !object.to_string().contains("00m"))
        .filter(|object| validators.judge("windows", object) != intended(set, object))
        .count()
}

fn intended(set: &ElaboratedSet, object: &Value) -> (bool, bool) {
    let all = |severity: Severity| {
        let mut rules = set.rules.iter().filter(|rule| rule.severity == severity);
        rules.all(|rule| kvrules_eval::predicate_holds(&rule.predicate, object))
    };
    (all(Severity::Error), all(Severity::Warning))
}
