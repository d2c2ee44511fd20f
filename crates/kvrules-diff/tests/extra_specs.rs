//! Changes of definitions of extra specs.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_diagnostics::FileId;
use kvrules_diff::extra_specs::compare_definitions;
use kvrules_diff::{Change, Direction, EffectAnswer};
use kvrules_extra_specs::Definition;

fn definitions(list: &[&str]) -> Vec<Definition> {
    let entries: String =
        list.iter().fold(String::new(), |text, entry| text + "- {description: d, " + entry + "}\n");
    let text = format!("kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n{entries}");
    kvrules_extra_specs::parse_definitions(FileId(0), &text).0.expand_definitions()
}

fn only(old: &[&str], new: &[&str]) -> Change {
    let mut changes = compare_definitions(&definitions(old), &definitions(new)).changes;
    assert_eq!(changes.len(), 1, "{changes:#?}");
    changes.remove(0)
}

#[test]
fn values_of_different_types_are_compared() {
    let with = |value: &str| format!("name: 'a:b', value: {{{value}}}");
    for (old, new, direction) in [
        ("type: string, enum: ['1', '2']", "type: integer, min: 0, max: 5", Direction::Loosened),
        ("type: integer", "type: string", Direction::Loosened),
        ("type: string", "type: boolean", Direction::Tightened),
        ("type: string, enum: [ab, b]", "type: string, pattern: '[a-b]+'", Direction::Loosened),
        ("type: string, enum: [a, b]", "type: string, enum: [b, c]", Direction::Incomparable),
    ] {
        let change = only(&[&with(old)], &[&with(new)]);
        assert_eq!((change.direction, change.proved), (direction, true), "{old} → {new}: {change:#?}");
    }
}

#[test]
fn a_direction_without_a_proof_is_unknown() {
    let with = |value: &str| format!("name: 'a:b', value: {{{value}}}");
    // No text of the pattern is a boolean, and nothing proves that.
    let change = only(&[&with("type: string, pattern: 'q{30}'")], &[&with("type: boolean")]);
    assert_eq!(change.loosens(), EffectAnswer::Yes, "{change:#?}");
    assert!(change.tightens() != EffectAnswer::No, "{change:#?}");
}

#[test]
fn a_definition_that_comes_or_goes_is_decided_by_the_others() {
    let plain = "name: 'a:b', value: {type: integer}";
    let wide = "name: 'a:{x}', value: {type: string}, parameters: [{name: x, pattern: '[a-z]+'}]";
    let other = "name: 'c:{x}', value: {type: string}, parameters: [{name: x, pattern: '[a-z]+'}]";
    let decided = |old: &[&str], new: &[&str]| {
        let change = only(old, new);
        (change.direction, change.proved)
    };
    assert_eq!(decided(&[plain], &[plain, other]), (Direction::Loosened, true));
    assert_eq!(decided(&[plain, other], &[plain]), (Direction::Tightened, true));
    // Without the plain name, the pattern takes the key, and more values.
    assert_eq!(decided(&[plain, wide], &[wide]), (Direction::Loosened, true));
    let change = only(&[plain, wide], &[plain]);
    assert_eq!(change.tightens(), EffectAnswer::Yes, "{change:#?}");
    assert!(change.loosens() != EffectAnswer::No || change.proved);
}
