//! `kvrules diff` with RuleSets as sides.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use serde_json::Value;

use crate::place::Place;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  names: {kind: Pond, plural: ponds, singular: pond, listKind: PondList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: \"!has(self.depth) || self.depth < 10\"
            - rule: \"!has(self.name) || has(self.depth)\"
            properties:
              depth: {type: integer}
              name: {type: string, maxLength: 20}
";

fn rule_set(name: &str, subject: &str, rules: &str) -> String {
    format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: {name}}}\nspec:\n  subject: {subject}\n  rules:\n{rules}"
    )
}

const SUBJECT: &str = "{schema: crd.yaml}";
const EQUAL: &str = "  - {name: depth, path: spec.depth, integer: {max: 9}}\n  \
                     - {name: both, path: spec.depth, required: true, when: {path: spec.name, required: true}}\n";

fn changes(place: &Place, old: &str, new: &str) -> Vec<Value> {
    let run = place.run(&["diff", old, new, "--output-format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| unreachable!("{run:?}"));
    report["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|pair| pair["changes"].as_array().unwrap().clone())
        .collect()
}

fn directions(place: &Place, old: &str, new: &str) -> Vec<String> {
    let changes = changes(place, old, new);
    changes.iter().map(|change| change["direction"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_rule_set_is_compared_with_the_definition_that_has_the_rules() {
    let place = Place::with(&[
        ("crd.yaml", DEFINITION),
        ("equal.yaml", &rule_set("equal", SUBJECT, EQUAL)),
        ("less.yaml", &rule_set("less", SUBJECT, "  - {name: depth, path: spec.depth, integer: {max: 9}}\n")),
        ("more.yaml", &rule_set("more", SUBJECT, &EQUAL.replace("max: 9", "max: 8"))),
    ]);
    for (old, new) in [("crd.yaml", "equal.yaml"), ("equal.yaml", "crd.yaml")] {
        let found = changes(&place, old, new);
        assert!(!found.is_empty());
        for change in found {
            let direction = change["direction"].as_str().unwrap();
            assert!(["equal", "message-only"].contains(&direction) && change["proved"] == true, "{change}");
        }
    }
    assert!(directions(&place, "crd.yaml", "less.yaml").contains(&"loosened".to_owned()));
    assert!(directions(&place, "less.yaml", "crd.yaml").contains(&"tightened".to_owned()));
    let found = changes(&place, "crd.yaml", "more.yaml");
    let tightened = found.iter().find(|change| change["direction"] == "tightened").unwrap();
    assert_eq!(tightened["refused"]["object"]["spec"]["depth"], 9, "{tightened}");
    assert_eq!(
        (&tightened["new"]["file"], &tightened["new"]["line"]),
        (&"more.yaml".into(), &7.into()),
        "{tightened}"
    );
}

#[test]
fn two_rule_sets_are_compared_by_proof_and_by_severity() {
    let subject = "{apiVersion: apps/v1, kind: Deployment}";
    let with = |rules: &str| rule_set("web", subject, rules);
    let place = Place::with(&[
        ("old.yaml", &with("  - {name: a, path: spec.replicas, integer: {min: 2}}\n")),
        (
            "same.yaml",
            &with(
                "  - {name: b, cel: \"!has(self.spec) || !has(self.spec.replicas) || self.spec.replicas > 1\"}\n",
            ),
        ),
        (
            "warn.yaml",
            &with(
                "  - {name: a, path: spec.replicas, integer: {min: 2}}\n  - {name: c, path: spec.paused, in: [false], severity: warn}\n",
            ),
        ),
        (
            "other.yaml",
            &with("  - {name: a, path: spec.replicas, integer: {min: 2}}\n")
                .replace("Deployment", "StatefulSet"),
        ),
        (
            "prod.yaml",
            &with("  - {name: a, path: spec.replicas, integer: {min: 2}}\n")
                .replace("  rules:", "  match: {labels: {env: prod}}\n  rules:"),
        ),
    ]);
    let same = directions(&place, "old.yaml", "same.yaml");
    assert!(!same.is_empty() && same.iter().all(|it| it == "equal" || it == "message-only"), "{same:?}");
    assert_eq!(directions(&place, "old.yaml", "warn.yaml"), ["message-only"]);
    assert_eq!(directions(&place, "old.yaml", "other.yaml"), ["incomparable"]);
    assert_eq!(directions(&place, "old.yaml", "prod.yaml"), ["unknown"]);
    for (old, new, bound) in [("old.yaml", "prod.yaml", "milder"), ("prod.yaml", "old.yaml", "stricter")] {
        let run = place.run(&["diff", old, new]);
        assert!(run.out.contains(&format!("it can only be {bound}: the rules are evaluated")), "{run:?}");
    }
    let run = place.run(&["diff", "old.yaml", "old.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn a_rule_set_with_an_error_is_not_compared() {
    let place = Place::with(&[
        ("crd.yaml", DEFINITION),
        ("good.yaml", &rule_set("good", SUBJECT, EQUAL)),
        (
            "bad.yaml",
            &rule_set(
                "bad",
                SUBJECT,
                &EQUAL.replace("path: spec.depth, integer", "path: spec.dept, integer"),
            ),
        ),
        ("none.yaml", &rule_set("none", "{schema: nowhere.yaml}", EQUAL)),
    ]);
    for (file, message) in
        [("bad.yaml", "unknown field `dept` in `spec`"), ("none.yaml", "cannot read `nowhere.yaml`")]
    {
        let run = place.run(&["diff", "good.yaml", file]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(message), "{run:?}");
    }
}

#[test]
fn a_removed_rule_set_rejects_nothing_more() {
    let (one, other) = (rule_set("one", SUBJECT, EQUAL), rule_set("other", SUBJECT, EQUAL));
    let place = Place::with(&[
        ("old/crd.yaml", DEFINITION),
        ("old/one.yaml", &one),
        ("old/other.yaml", &other),
        ("new/crd.yaml", DEFINITION),
        ("new/one.yaml", &one),
    ]);
    let run = place.run(&["diff", "old", "new", "--fail-on", "tightened"]);
    assert!(run.code == Some(0) && run.out.contains("only the old side has the RuleSet `other`"), "{run:?}");
    assert_eq!(place.run(&["diff", "old", "new", "--fail-on", "any"]).code, Some(1));
}
