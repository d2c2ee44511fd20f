//! KubeVirt's own definition of the VirtualMachine, with rules as templates have them.

use kvrules_apiserver::cost::review_schema;
use kvrules_emit::Fidelity;
use kvrules_ir::{Predicate, Subject, ValueTest};

use super::cases::{between, cases, guarded_bus, memory, test};
use super::merging::is_only_longer;
use super::support::{merged, rule, schema, set};

fn definition() -> Option<String> {
    kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES)
}

#[test]
fn only_lines_are_added_to_the_definition_of_virtual_machines() {
    let Some(text) = definition() else { return };
    let rules = vec![
        rule("minimal-required-memory", test(memory(), ValueTest::Integer(between(2_147_483_648, None)))),
        rule("windows-disk-bus", guarded_bus(&["sata", "scsi", "virtio"])),
    ];
    let set = set(rules);
    let made = merged(&set, Subject::virtual_machine(), &text).unwrap();
    let made = &made.files[0].text;
    is_only_longer(&text, made);
    let own: Vec<&str> = text.lines().collect();
    let mut next = own.iter().peekable();
    let added: Vec<&str> = made.lines().filter(|line| next.next_if(|own| *own == line).is_none()).collect();
    assert!(next.next().is_none(), "a line of the definition is gone");
    insta::assert_snapshot!(added.join("\n"));
    assert_eq!(merged(&set, Subject::virtual_machine(), made).unwrap().files[0].text, *made);
}

#[test]
fn the_server_takes_every_rule_in_the_definition_of_virtual_machines() {
    let Some(text) = definition() else { return };
    let before = review_schema(&schema(&text), "spec.validation", true);
    assert_eq!(before.errors, []);
    // Other cases use fields that virtual machines do not have.
    let of_machines = |(name, predicate): &(&str, Predicate)| {
        let places = format!("{predicate:?}");
        let below_template =
            "base: Root, steps: [Field { name: \"spec\", presence: Required }, Field { name: \"template\"";
        let rooted = [places.matches("base: Root").count(), places.matches(below_template).count()];
        rooted[0] > 0 && rooted[0] == rooted[1] && !name.contains("of the same name")
    };
    let rules: Vec<_> =
        cases().into_iter().filter(of_machines).map(|(name, predicate)| rule(name, predicate)).collect();
    let count = rules.len();
    let made = merged(&set(rules), Subject::virtual_machine(), &text).unwrap();
    let wording =
        made.fidelity.iter().filter(|entry| !matches!(entry.fidelity, Fidelity::Unsupported(_))).count();
    let report = review_schema(&schema(&made.files[0].text), "spec.validation", true);
    assert_eq!(report.errors, []);
    let bad: Vec<_> = report.rules.iter().filter(|rule| !rule.valid || !rule.errors.is_empty()).collect();
    assert!(bad.is_empty(), "{bad:?}");
    println!(
        "{wording} of {count} rules said, as {} validations for {}",
        report.rules.len(),
        report.total_cost
    );
    assert!(wording > 30, "{wording}");
}
