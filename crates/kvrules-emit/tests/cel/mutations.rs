//! A broken lowering does not go unnoticed.

use kvrules_emit::{Request, find_emitter};
use kvrules_ir::{ElaboratedSet, Severity};
use serde_json::Value;

use super::engine::Rule;
use super::rules::{WINDOWS, machines, read};

/// The mutation, the original text in the file, and its replacement.
const MUTATIONS: [(&str, &str, &str); 8] = [
    ("at least becomes more than", "compareTo(quantity('2Gi')) >= 0", "compareTo(quantity('2Gi')) > 0"),
    ("another limit", "quantity('2Gi')", "quantity('2G')"),
    ("the guard is dropped", "!has(disk.disk) || ", ""),
    ("the guard is swapped", "!has(disk.cdrom) ||", "has(disk.cdrom) ||"),
    ("all becomes exists", "disks.all(disk", "disks.exists(disk"),
    ("a value is lost", "['sata', 'scsi', 'virtio']", "['sata', 'scsi']"),
    ("another field", "disk.cdrom.bus == 'sata'", "disk.cdrom.bus != 'sata'"),
    ("has() is dropped before a list", "!has(self.spec.template.spec.domain.devices.disks)", "false"),
];

#[test]
fn each_broken_file_differs_from_its_rules_on_some_object() {
    let set = read(WINDOWS, &["windows"]);
    let emission = find_emitter("cel")
        .unwrap()
        .emit_rule_sets(&Request::for_virtual_machines(std::slice::from_ref(&set)))
        .unwrap();
    let text = &emission.files[0].text;
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
    let file: Value = serde_yaml::from_str(text).unwrap();
    let entries = file["x-kubernetes-validations"].as_array().unwrap();
    let rules: Vec<Rule> =
        entries.iter().map(|entry| Rule::new(entry["rule"].as_str().unwrap(), "self")).collect();
    let intended = |object: &Value| {
        let mut errors = set.rules.iter().filter(|rule| rule.severity == Severity::Error);
        errors.all(|rule| kvrules_eval::predicate_holds(&rule.predicate, object))
    };
    let whole = |object: &&Value| !object.to_string().contains('.') && !object.to_string().contains("00m");
    let machines = machines(set);
    let differ = |object: &&Value| rules.iter().all(|rule| rule.accepts(object)) != intended(object);
    machines.iter().filter(whole).filter(differ).count()
}
