//! Verdicts of whole rules, and how they are explained.

use kvrules_diagnostics::Origin;
use kvrules_eval::{Explanation, Outcome, Program, ValueOrigin, explain_rule};
use kvrules_ir::{
    ElaboratedRule, Operand, OperandRelation, Place, Predicate, RegexPattern, Requirement, Scalar, Selector,
    Severity, ValueTest, ValueType,
};
use serde_json::{Value, json};

use crate::support::{defaulted, integer, one_of, place, typed, within};

const DISKS: &str = "spec!.template!.spec.domain.devices.disks?";

fn selector(text: &str, lists: &[&str], leaf: Place) -> Selector {
    let lists = lists.iter().map(|list| typed(list, ValueType::List)).collect();
    Selector { text: text.to_owned(), lists, leaf }
}

fn rule(applies: Predicate, demand: Predicate, requirement: Requirement) -> ElaboratedRule {
    ElaboratedRule {
        name: "rule".to_owned(),
        message: "message".to_owned(),
        severity: Severity::Error,
        predicate: Predicate::implication_of(applies.clone(), demand),
        applies,
        requirement,
        written: kvrules_ir::AuthoredRule::default(),
        origin: Origin::default(),
    }
}

/// A rule on one place without lists and without guard.
fn single(leaf: Place, test: ValueTest) -> ElaboratedRule {
    let demand = Predicate::Test { place: leaf.clone(), test: test.clone() };
    let subject = selector(".a", &[], leaf);
    rule(
        Predicate::True,
        demand,
        Requirement { subject, guard: None, tests: vec![test], compared_with: vec![] },
    )
}

/// The disk bus rule of the common templates.
fn disk_bus(guarded: bool) -> ElaboratedRule {
    let (disk, bus) = (place("@0.disk?"), place("@0.disk?.bus"));
    let list = typed(DISKS, ValueType::List);
    let test = one_of(["virtio", "scsi"]);
    let there = Predicate::some_element(list.clone(), Predicate::presence_of(disk.clone()));
    let right = Predicate::Test { place: bus.clone(), test: test.clone() };
    let each = Predicate::each_element(
        list,
        Predicate::any_of([Predicate::negation_of(Predicate::presence_of(disk.clone())), right]),
    );
    let path = ".spec.domain.devices.disks[*].disk";
    let guard = guarded.then(|| selector(path, &[DISKS], disk));
    let subject = selector(&format!("{path}.bus"), &[DISKS], bus);
    let requirement = Requirement { subject, guard, tests: vec![test], compared_with: vec![] };
    if guarded {
        rule(there, each, requirement)
    } else {
        rule(Predicate::True, Predicate::all_of([there, each]), requirement)
    }
}

fn machine(disks: &Value) -> Value {
    json!({"spec": {"template": {"spec": {"domain": {"devices": {"disks": disks}}}}}})
}

#[expect(clippy::expect_used, reason = "a test may stop at the first surprise")]
fn explained(rule: &ElaboratedRule, object: &Value) -> Explanation {
    explain_rule(rule, object).expect("the patterns of these rules compile")
}

#[expect(clippy::expect_used, reason = "a test may stop at the first surprise")]
fn outcome(rule: &ElaboratedRule, object: &Value) -> Outcome {
    Program::new(rule).expect("the patterns of these rules compile").evaluate_object(object).outcome
}

/// The values of an explanation: location, value, origin, whether it passes.
fn values(explanation: &Explanation) -> Vec<(&str, Value, ValueOrigin, bool)> {
    let values = explanation.values.iter();
    values
        .map(|evaluated| {
            let finding = &evaluated.finding;
            (finding.location.as_str(), finding.value.clone(), finding.origin, evaluated.passes_tests())
        })
        .collect()
}

#[test]
fn a_guard_that_finds_nothing_skips() {
    let without_disk = json!([{"cdrom": {"bus": "sata"}}]);
    let cases = [
        (json!([]), Outcome::Skipped, Outcome::Violated),
        (json!(null), Outcome::Skipped, Outcome::Violated),
        (without_disk, Outcome::Skipped, Outcome::Violated),
        (json!([{"disk": {"bus": "virtio"}}, {"cdrom": {}}, null]), Outcome::Satisfied, Outcome::Satisfied),
        (
            json!([{"disk": {"bus": "virtio"}}, {"disk": {"bus": "sata"}}]),
            Outcome::Violated,
            Outcome::Violated,
        ),
        (json!([{"disk": {}}]), Outcome::Violated, Outcome::Violated),
    ];
    for (disks, guarded, unguarded) in cases {
        let object = machine(&disks);
        assert_eq!(outcome(&disk_bus(true), &object), guarded, "{disks}");
        assert_eq!(outcome(&disk_bus(false), &object), unguarded, "{disks}");
        for rule in [disk_bus(true), disk_bus(false)] {
            let explanation = explained(&rule, &object);
            let found = !explanation.values.is_empty();
            let passes = explanation.values.iter().all(kvrules_eval::EvaluatedValue::passes_tests);
            assert_eq!(explanation.verdict.outcome == Outcome::Satisfied, found && passes, "{disks}");
        }
    }
}

#[test]
fn warnings_never_reject() {
    let object = machine(&json!([{"disk": {"bus": "sata"}}]));
    for (severity, rejects) in [(Severity::Error, true), (Severity::Warning, false)] {
        let rule = ElaboratedRule { severity, ..disk_bus(true) };
        let verdict = Program::new(&rule).map(|program| program.evaluate_object(&object));
        assert_eq!(verdict.map(kvrules_eval::Verdict::rejects_object), Ok(rejects));
    }
}

#[test]
fn explanations_say_what_was_found_and_where() {
    let object = machine(
        &json!([{"cdrom": {}}, {"disk": {"bus": "virtio"}}, {"disk": {"bus": "sata"}}, {"disk": {}}]),
    );
    let explanation = explained(&disk_bus(true), &object);
    let disks = ".spec.template.spec.domain.devices.disks";
    assert_eq!(
        values(&explanation),
        [
            (format!("{disks}[1].disk.bus").as_str(), json!("virtio"), ValueOrigin::Object, true),
            (format!("{disks}[2].disk.bus").as_str(), json!("sata"), ValueOrigin::Object, false),
            (format!("{disks}[3].disk.bus").as_str(), json!(""), ValueOrigin::Zero, false),
        ]
    );
    assert_eq!(explanation.reason, "`sata` is not one of `scsi`, `virtio`");
    let guard: Vec<_> = explanation.guard.iter().flatten().map(|found| found.location.as_str()).collect();
    assert_eq!(guard, [1, 2, 3].map(|index| format!("{disks}[{index}].disk")));
}

#[test]
fn locations_count_indices_from_the_start_and_quote_odd_names() {
    let subject = selector("", &["a.#-1", "@0.b?"], place("@1.%it's.x/y?"));
    let requirement = Requirement { subject, guard: None, tests: vec![], compared_with: vec![] };
    let rule = rule(Predicate::True, Predicate::True, requirement);
    // The last item of `a` is a list of objects; each has a list `b`; the leaf is seen from one element out.
    let element = json!({"b": [1], "it's": {"x/y": 5}});
    let explanation = explained(&rule, &json!({"a": [[], [element]]}));
    assert_eq!(values(&explanation), [(r".a[1][0]['it\'s']['x/y']", json!(5), ValueOrigin::Object, true)]);
}

#[test]
fn reasons_are_one_sentence() {
    let quantity = typed("a?", ValueType::Quantity);
    let number = typed("a?", ValueType::Integer);
    let text = place("a?");
    let gib = || ValueTest::Integer(within(Some(2 << 30), Some(4 << 30)));
    let default = defaulted("a", ValueType::String, Scalar::Text("x".to_owned()));
    for (leaf, test, value, reason) in [
        (&quantity, gib(), json!("1Gi"), "`1Gi` is less than `2Gi`"),
        (&quantity, gib(), json!(5_368_709_120_u64), "`5368709120` is more than `4Gi`"),
        (&quantity, gib(), json!("100m"), "`100m` is not a whole quantity"),
        (&quantity, gib(), json!("3Gi"), "every value passes"),
        (&number, integer(2, 3), json!(1), "`1` is less than `2`"),
        (&number, integer(2, 3), json!("2"), "`2` is not an integer"),
        (&number, integer(2, 3), json!({}), "objects and lists have neither text nor number"),
        (
            &text,
            ValueTest::Length(within(Some(2), Some(3))),
            json!("ä"),
            "`ä` has 1 character, fewer than `2`",
        ),
        (
            &text,
            ValueTest::Length(within(None, Some(3))),
            json!("abcd"),
            "`abcd` has 4 characters, more than `3`",
        ),
        (&text, ValueTest::Matches(RegexPattern("^q".to_owned())), json!("pc"), "`pc` does not match `^q`"),
        (&text, one_of(["b"]), json!(null), "the value is missing"),
        (&default, one_of(["b"]), json!(null), "`x` is not one of `b`"),
    ] {
        let explanation = explained(&single(leaf.clone(), test), &json!({"a": value}));
        assert_eq!(explanation.reason, reason);
    }
    let skipped = explained(&disk_bus(true), &json!({}));
    assert_eq!(skipped.reason, "the guard `.spec.domain.devices.disks[*].disk` finds nothing");
    assert_eq!((skipped.guard, skipped.values), (Some(vec![]), vec![]));
}

#[test]
fn failed_comparisons_name_the_other_path() {
    let operand = |text| Operand::Integer(typed(text, ValueType::Integer));
    let demand =
        Predicate::Compare { left: operand("a?"), relation: OperandRelation::AtMost, right: operand("b?") };
    let subject = selector(".a", &[], typed("a?", ValueType::Integer));
    let tests = vec![ValueTest::Integer(within(None, None))];
    let requirement = Requirement { subject, guard: None, tests, compared_with: vec![".b".to_owned()] };
    let rule = rule(Predicate::True, demand, requirement);
    assert_eq!(explained(&rule, &json!({"a": 2, "b": 1})).reason, "the comparison with `.b` fails");
    assert_eq!(explained(&rule, &json!({"a": 2, "b": 2})).verdict.outcome, Outcome::Satisfied);
    assert_eq!(explained(&rule, &json!({"b": 2})).reason, "the value is missing");
}

#[test]
fn a_rule_with_an_unusable_pattern_makes_no_program() {
    let rule = single(place("a"), ValueTest::Matches(RegexPattern("(?=a)".to_owned())));
    let error = Program::new(&rule).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("invalid pattern `(?=a)`: look-ahead `(?=` is not part of RE2"));
    assert!(explain_rule(&rule, &json!({})).is_err());
}
