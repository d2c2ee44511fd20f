//! Contradictions of rules at different places, and repairs.

#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::{Diagnostic, FileId};
use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
use kvrules_syntax::edit::apply_edits;
use kvrules_syntax::parse_stream;

fn document(rules: &str) -> String {
    format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: web}}\nspec:\n  \
         subject: {{apiVersion: apps/v1, kind: Deployment}}\n  rules:\n{rules}"
    )
}

fn findings(text: &str) -> Vec<Diagnostic> {
    let stream = parse_stream(FileId(0), text);
    let mut findings = Vec::new();
    read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut findings);
    findings
}

fn contradictions(rules: &[&str]) -> Vec<String> {
    let listed: Vec<_> =
        rules.iter().enumerate().map(|(index, rule)| format!("  - {{name: r{index}, {rule}}}\n")).collect();
    let found = findings(&document(&listed.concat()));
    assert!(found.iter().all(|it| it.code == "KR105"), "{rules:?}: {found:?}");
    found.into_iter().map(|it| it.message).collect()
}

#[test]
fn loops_of_two_rules_are_not_the_same_loop() {
    let loop_of = |text: &str| format!("cel: \"self.spec.template.spec.containers.{text}\"");
    for (one, other, expected) in [
        // Containers named `a` with the image `b` pass both.
        ("all(c, c.name == 'a')", "exists(c, has(c.image) && c.image == 'b')", false),
        ("all(c, c.name.matches('a'))", "exists(c, !c.name.matches('^a'))", false),
        ("all(c, c.name == 'a')", "exists(c, c.name == 'b')", true),
        ("all(c, c.name == 'a')", "exists(d, d.name != 'a')", true),
    ] {
        let found = contradictions(&[&loop_of(one), &loop_of(other)]);
        assert_eq!(!found.is_empty(), expected, "{one} and {other}: {found:?}");
    }
}

#[test]
fn several_rules_that_no_object_passes_together_are_one_finding() {
    let rules = [
        "path: spec.minReadySeconds, atMost: spec.progressDeadlineSeconds",
        "path: spec.minReadySeconds, required: true",
        "path: spec.progressDeadlineSeconds, required: true",
        "path: spec.paused, required: true",
        "path: spec.minReadySeconds, integer: {min: 10}",
        "path: spec.progressDeadlineSeconds, integer: {max: 5}",
    ];
    assert_eq!(contradictions(&rules), ["no object passes `r0`, `r1`, `r2`, `r4` and `r5` together"]);
    // Without the deadline an object passes them.
    let optional: Vec<&str> =
        rules.into_iter().filter(|rule| !rule.ends_with("DeadlineSeconds, required: true")).collect();
    assert_eq!(contradictions(&optional), Vec::<String>::new());
}

#[test]
fn rules_at_different_places_that_no_object_passes_are_found() {
    for (rules, expected) in [
        (&["path: spec.replicas, required: true", "path: spec.replicas, forbidden: true"][..], true),
        (&["path: spec.replicas, required: true", "path: spec, forbidden: true"], true),
        (&["path: spec.paused, required: true", "atMostOneOf: [spec.paused, spec.replicas]"], false),
        (&["exactlyOneOf: [spec.paused, spec.replicas]", "allOrNone: [spec.paused, spec.replicas]"], true),
        // An object without replicas passes both.
        (
            &[
                "path: spec.replicas, integer: {min: 3}",
                "path: spec.replicas, integer: {max: 2}, when: {path: metadata.name, in: [a]}",
            ],
            false,
        ),
        (&["path: spec.replicas, required: true", "path: spec.paused, required: true"], false),
        (
            &["path: spec.replicas, required: true, severity: warn", "path: spec.replicas, forbidden: true"],
            false,
        ),
        (
            &[
                "each: 'spec.template.spec.containers[*]', path: resources.limits, required: true",
                "each: 'spec.template.spec.containers[*]', path: resources, forbidden: true",
            ],
            true,
        ),
    ] {
        let found = contradictions(rules);
        assert_eq!(found.iter().any(|it| it.contains("passes both")), expected, "{rules:?}: {found:?}");
    }
}

#[test]
fn names_that_are_nearly_right_have_a_repair() {
    for (from, to) in [
        ("path: spec.replcas, integer: {min: 2}", "path: spec.replicas, integer: {min: 2}"),
        ("path: 'spec.replcas', integer: {min: 2}", "path: 'spec.replicas', integer: {min: 2}"),
        ("path: spec.replicas, integr: {min: 2}", "path: spec.replicas, integer: {min: 2}"),
        ("path: spec.replicas, integer: {min: 9, max: 2}", "path: spec.replicas, integer: {min: 2, max: 9}"),
        ("path: spec.replicas, integer: {mni: 9}", "path: spec.replicas, integer: {min: 9}"),
        (
            "path: 'spec.template.spec.containers.image', required: true",
            "path: 'spec.template.spec.containers[*].image', required: true",
        ),
        (
            "path: spec.template.spec.hostname, format: dns-labl",
            "path: spec.template.spec.hostname, format: dns-label",
        ),
    ] {
        let text = document(&format!("  - {{name: a, {from}}}\n"));
        let found = findings(&text);
        let fix = found.iter().find_map(|it| it.fix.clone()).unwrap_or_else(|| panic!("{from}: {found:?}"));
        let repaired = apply_edits(&text, &fix.edits).unwrap();
        assert_eq!(repaired, document(&format!("  - {{name: a, {to}}}\n")));
        assert!(findings(&repaired).is_empty(), "{to}: {:?}", findings(&repaired));
    }
    // A list of YAML would come from brackets without quotation marks, and escapes hide the place.
    for rule in [
        "path: spec.template.spec.containers.image, required: true",
        r#"path: "spec.repl\u0063as", integer: {min: 2}"#,
    ] {
        let found = findings(&document(&format!("  - {{name: a, {rule}}}\n")));
        assert!(!found.is_empty() && found.iter().all(|it| it.fix.is_none()), "{found:?}");
    }
}

#[test]
fn words_of_other_notations_and_values_in_place_of_paths_get_the_word_that_fits() {
    for (rule, message, help) in [
        (
            "path: spec.replicas, atLeast: 1",
            "`atLeast` names the path of another field, not a value",
            "write `integer: {min: 1}`",
        ),
        (
            "path: 'spec.template.spec.containers[*].resources.limits.memory', atMost: 4Gi",
            "`atMost` names the path of another field, not a value",
            "write `quantity: {max: 4Gi}`",
        ),
        (
            "path: spec.replicas, atMost: 1.5",
            "`atMost` names the path of another field, not a value",
            "write `number: {max: 1.5}`",
        ),
        (
            "path: spec.paused, equals: true",
            "`equals` names the path of another field, not a value",
            "write `in: [true]`",
        ),
        ("path: metadata.name, matches: a", "unknown word `matches`", "write `pattern: EXPRESSION`"),
        ("path: spec.strategy.type, oneOf: [Recreate]", "unknown word `oneOf`", "write `in: [VALUE, …]`"),
        ("oneOf: [spec.paused, spec.replicas]", "unknown word `oneOf`", "write `exactlyOneOf: [PATH, …]`"),
        (
            "path: spec.selector, immutable: true",
            "`immutable` must be `always`, `onceSet` or `whileSet`",
            "write `always`, or `onceSet` if an update may set the field first",
        ),
    ] {
        let found = findings(&document(&format!("  - {{name: r, {rule}}}\n")));
        let found: Vec<_> = found.iter().map(|it| (it.message.as_str(), it.help.as_deref())).collect();
        assert_eq!(found, [(message, Some(help))], "{rule}");
    }
}
