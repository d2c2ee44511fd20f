//! RuleSets with many rules that all change: each is decided, with work that grows with their number.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]

use std::collections::HashSet;

use kvrules::diff::{self, Diff, Direction, EffectAnswer, SideFile};
use kvrules::{Catalog, FileId, SourceFile};
use serde_json::{Value, json};

fn rule_set(rules: &[Value]) -> String {
    json!({
        "apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "web"},
        "spec": {"subject": {"apiVersion": "apps/v1", "kind": "Deployment"}, "rules": rules},
    })
    .to_string()
}

fn side(id: u32, rules: &[Value]) -> SideFile {
    let source = SourceFile::new(FileId(id), "x.yaml", rule_set(rules));
    let units = diff::read_units(&source, Catalog::kubevirt_vm()).unwrap();
    SideFile { path: String::new(), source, units }
}

fn compared(old: &[Value], new: &[Value]) -> Diff {
    diff::compare_sides(&[side(0, old)], &[side(1, new)]).unwrap()
}

/// Rule number `at` with another bound on each side.
type MakeRule = fn(usize, usize) -> Value;

const INTEGERS: [&str; 4] =
    ["spec.replicas", "spec.minReadySeconds", "spec.progressDeadlineSeconds", "spec.revisionHistoryLimit"];

const INPUTS: [(&str, MakeRule); 6] = [
    (
        "rules of labels",
        |at, side| json!({"path": format!("metadata.labels[\"l{at}\"]"), "length": {"max": 20 + side}}),
    ),
    (
        "rules of one field",
        |at, side| json!({"path": "spec.replicas", "integer": {"max": 1000 + 3 * at + side}}),
    ),
    (
        "rules of one field, the strictest last",
        |at, side| json!({"path": "spec.replicas", "integer": {"max": 9000 - 3 * at + side}}),
    ),
    (
        "rules of four fields",
        |at, side| json!({"path": INTEGERS[at % 4], "integer": {"max": 1000 + 3 * at + side}}),
    ),
    ("rules with guards of their own", |at, side| {
        let guard = json!({"path": format!("metadata.labels[\"l{at}\"]"), "in": ["a"]});
        json!({"path": INTEGERS[at % 4], "integer": {"max": 100 + side}, "when": guard})
    }),
    ("rules of items", |at, side| {
        let pattern = format!("^[a-z]{{1,{}}}$", 20 + at + side);
        json!({"path": "spec.template.spec.containers[*].env[*].name", "pattern": pattern})
    }),
];

fn rules(count: usize, side: usize, make_rule: MakeRule) -> Vec<Value> {
    let named = |at: usize| {
        let mut rule = make_rule(at, side);
        rule["name"] = format!("r{at}").into();
        rule
    };
    (0..count).map(named).collect()
}

fn steps_of(count: usize, make_rule: MakeRule) -> (Diff, u64) {
    let diff = compared(&rules(count, 0, make_rule), &rules(count, 1, make_rule));
    let steps = diff.pairs.iter().map(|pair| pair.steps).sum();
    (diff, steps)
}

/// Times the work for four times the rules: four, and the objects that are checked against all rules, which takes a few steps a rule.
const MOST_GROWTH: u64 = 8;
/// The most steps for one of many rules. A search among values that are made at random takes ten times as many.
const MOST_STEPS_OF_RULE: u64 = 2_500;
const FEW: usize = 24;
const MANY: usize = 4 * FEW;

#[test]
fn the_last_of_many_changed_rules_is_decided_as_the_first_without_much_more_work() {
    for (what, make_rule) in INPUTS {
        let (_, few) = steps_of(FEW, make_rule);
        let (diff, many) = steps_of(MANY, make_rule);
        println!("{what}: {few} steps, {many} steps, {:?}", diff.counts);
        assert!(many <= MOST_GROWTH * few, "{what}: {few} steps became {many}");
        assert!(many <= MOST_STEPS_OF_RULE * u64::try_from(MANY).unwrap(), "{what}: {many} steps");
        assert_eq!(diff.changes().count(), MANY, "{what}");
        for change in diff.changes() {
            assert!(change.proved, "{what}: {change:?}");
            assert_eq!(change.tightens(), EffectAnswer::No, "{what}: {change:?}");
        }
        // Of the rules of one field the strictest decides, and each field has one.
        let fields: HashSet<&str> =
            diff.changes().map(|change| change.at.split(" (").next().unwrap()).collect();
        let expected = if are_of_object(&diff) { MANY } else { fields.len() };
        assert_eq!(diff.count_changes(Direction::Loosened), expected, "{what}: {:?}", diff.counts);
    }
}

/// True if the rules are evaluated on the whole object, so that each is about fields of its own.
fn are_of_object(diff: &Diff) -> bool {
    diff.changes().all(|change| change.at.starts_with("rule `"))
}

#[test]
fn witnesses_have_the_kind_of_the_subject_and_a_name() {
    for (what, make_rule) in INPUTS {
        let (diff, _) = steps_of(8, make_rule);
        for witness in diff.changes().flat_map(|change| [&change.refused, &change.accepted]).flatten() {
            let object = &witness.object;
            let identity = (&object["apiVersion"], &object["kind"], &object["metadata"]["name"]);
            assert_eq!(
                identity,
                (&json!("apps/v1"), &json!("Deployment"), &json!("example")),
                "{what}: {object}"
            );
        }
    }
}

#[test]
fn a_rule_about_the_name_is_shown_by_another_name() {
    let named = |most: usize| [json!({"name": "short", "path": "metadata.name", "length": {"max": most}})];
    let diff = compared(&named(5), &named(3));
    let change = diff.changes().next().unwrap();
    assert_eq!(change.direction, Direction::Tightened, "{change:?}");
    let object = &change.refused.as_ref().unwrap().object;
    // Both sides reject the usual name, which has seven letters.
    assert!((4..=5).contains(&object["metadata"]["name"].as_str().unwrap().len()), "{object}");
    assert_eq!(object["kind"], "Deployment", "{object}");
}
