//! CEL of each shape of predicate.

use std::fmt::Write;

use kvrules_emit::Fidelity;
use kvrules_emit::cel::{Dialect, lower_predicate};

use super::cases::{cases, guarded_bus};

#[test]
fn predicates_read_as_a_person_would_write_them() {
    insta::assert_snapshot!("schema", page(Dialect::VIRTUAL_MACHINE_SCHEMA));
}

#[test]
fn policies_speak_of_the_object_without_types() {
    insta::assert_snapshot!("policy", page(Dialect::ADMISSION_POLICY));
}

fn page(dialect: Dialect) -> String {
    let mut page = String::new();
    for (name, predicate) in cases() {
        match lower_predicate(&predicate, dialect) {
            Err(unsupported) => writeln!(page, "{name}:\n  unsupported: {unsupported}").unwrap(),
            Ok(lowered) => {
                let lines = lowered.expression.to_fitting_text(110).replace('\n', "\n  ");
                writeln!(page, "{name}:\n  {lines}").unwrap();
                if let Fidelity::Wider(cause) | Fidelity::Narrower(cause) = &lowered.fidelity {
                    writeln!(page, "  {}: {cause}", lowered.fidelity.as_str()).unwrap();
                }
            }
        }
    }
    page
}

#[test]
fn no_question_is_asked_twice() {
    let rule = lower_predicate(&guarded_bus(&["sata", "scsi"]), Dialect::VIRTUAL_MACHINE_SCHEMA).unwrap();
    let text = rule.expression.to_string();
    assert_eq!(text.matches("has(disk.disk)").count(), 1, "{text}");
    assert_eq!(rule.fidelity, Fidelity::Exact);
}
