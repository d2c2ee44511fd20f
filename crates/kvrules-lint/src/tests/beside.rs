//! Lints that compare rules with each other: each relation of two rules is reported once, and nothing else.

use super::in_rules;

const BUS: &str = ".spec.domain.devices.disks[*].disk.bus";

/// The findings in rules `a`, `b`, … on one field, each guarded by that field.
fn found(path: &str, rules: &[&str]) -> Vec<String> {
    let rule = |(keys, name): (&&str, char)| {
        format!(
            r#"{{"name": "{name}", "message": "the value must be one that is allowed", "path": "jsonpath::{path}", "valid": "jsonpath::{path}", {keys}}}"#
        )
    };
    let rules: Vec<_> = rules.iter().zip('a'..='z').map(rule).collect();
    let found = in_rules(&format!("[{}]", rules.join(",\n")));
    // Other lints may have findings as well, such as a pattern that could be an enumeration.
    found.into_iter().filter(|found| found.starts_with("KV6")).collect()
}

#[test]
fn two_rules_on_one_field_have_one_finding_or_none() {
    let warning = |keys: &str| format!(r#"{keys}, "justWarning": true"#);
    let some = r#""rule": "enum", "values": ["virtio", "scsi"]"#;
    let more = r#""rule": "enum", "values": ["virtio", "scsi", "sata"]"#;
    let other = r#""rule": "enum", "values": ["usb"]"#;
    let equal = r#""rule": "regex", "regex": "^(scsi|virtio)$""#;
    let words = r#""rule": "regex", "regex": "^[a-z]+$""#;
    let five = r#""rule": "string", "minLength": 5"#;
    let never = r#""rule": "regex", "regex": "a^""#;
    let broken = r#""rule": "regex", "regex": "(""#;
    let cases: [(&[&str], &[&str]); 14] = [
        (&[some, five], &[]),
        (&[some, more], &["KV602 \"b\""]),
        (&[more, some], &["KV602 \"a\""]),
        (&[some, other], &["KV601 \"b\""]),
        (&[some, equal], &["KV604 \"b\""]),
        (&[some, words], &["KV602 \"b\""]),
        (&[some, &warning(more)], &["KV603 \"b\""]),
        (&[&warning(equal), some], &["KV603 \"a\""]),
        (&[&warning(some), more], &[]),
        (&[&warning(some), &warning(more)], &["KV602 \"b\""]),
        (&[never, some], &["KV605 \"b\""]),
        (&[broken, some, more], &["KV602 \"c\""]),
        (&[some, equal, more], &["KV604 \"b\"", "KV602 \"c\""]),
        (&[other, some, more], &["KV601 \"b\"", "KV601 \"c\"", "KV602 \"c\""]),
    ];
    for (rules, expected) in cases {
        assert_eq!(found(BUS, rules), expected, "{rules:?}");
    }
}

#[test]
fn bounds_and_comparisons_are_told_apart_exactly() {
    const CORES: &str = ".spec.domain.cpu.cores";
    let max = |max: &str| format!(r#""rule": "integer", "max": {max}"#);
    let min = |min: &str| format!(r#""rule": "integer", "min": {min}"#);
    let sockets = r#""jsonpath::.spec.domain.cpu.sockets""#;
    let cases: [(&[&str], &[&str]); 7] = [
        (&[&min("4"), &max("4")], &[]),
        (&[&min("5"), &max("4")], &["KV601 \"b\""]),
        (&[&min("9007199254740993"), &max("9007199254740992")], &["KV601 \"b\""]),
        (&[&min("2"), &min("4")], &["KV602 \"a\""]),
        (&[&max(sockets), &max(sockets)], &["KV604 \"b\""]),
        (&[&max(sockets), &min(sockets)], &[]),
        (&[&max(r#""jsonpath::.spec.domain.cpu.cores""#)], &["KV606 \"a\""]),
    ];
    for (rules, expected) in cases {
        assert_eq!(found(CORES, rules), expected, "{rules:?}");
    }
}
