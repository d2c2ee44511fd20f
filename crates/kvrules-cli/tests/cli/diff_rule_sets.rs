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

#[test]
fn a_rule_that_keeps_its_name_is_one_change() {
    let with = |rules: &str| rule_set("web", "{apiVersion: apps/v1, kind: Deployment}", rules);
    let place = Place::with(&[
        (
            "old.yaml",
            &with(
                "  - {name: size, path: spec.replicas, integer: {max: 9}}\n  \
                 - {name: least, path: spec.replicas, integer: {min: 2}}\n  \
                 - {name: wait, path: spec.minReadySeconds, integer: {max: 5}}\n  \
                 - {name: soft, path: spec.paused, in: [false]}\n",
            ),
        ),
        (
            "new.yaml",
            &with(
                "  - {name: least, path: spec.replicas, integer: {min: 3}}\n  \
                 - {name: size, path: spec.replicas, integer: {max: 12}}\n  \
                 - {name: wait, path: spec.progressDeadlineSeconds, integer: {max: 5}}\n  \
                 - {name: soft, path: spec.paused, in: [false], severity: warn}\n",
            ),
        ),
    ]);
    let found = changes(&place, "old.yaml", "new.yaml");
    let change = |name: &str| {
        let named = |change: &&Value| change["at"].as_str().unwrap().contains(&format!("`{name}`"));
        let mut all = found.iter().filter(named);
        let first = all.next().unwrap();
        assert!(all.next().is_none(), "{name}: {found:?}");
        assert!(first["proved"] == true && first["what"] == "rule", "{first}");
        first
    };
    assert_eq!(found.len(), 4, "{found:?}");
    let words = |name: &str| {
        let limits = change(name)["limits"].as_array().unwrap();
        let limit = limits.iter().find(|limit| limit["key"] == "rule").unwrap();
        (limit["before"].as_str().unwrap(), limit["after"].as_str().unwrap())
    };
    assert_eq!(words("size"), ("`spec.replicas` must be at most 9", "`spec.replicas` must be at most 12"));
    assert_eq!(change("size")["direction"], "loosened");
    let at =
        |change: &Value, side: &str, field: &str| change[side]["object"]["spec"][field].as_i64().unwrap();
    assert!((10..=12).contains(&at(change("size"), "accepted", "replicas")));
    assert_eq!(change("least")["direction"], "tightened");
    assert_eq!(change("least")["refused"]["object"]["spec"]["replicas"], 2);
    assert_eq!(change("wait")["direction"], "incomparable");
    assert_eq!(
        words("wait"),
        ("`spec.minReadySeconds` must be at most 5", "`spec.progressDeadlineSeconds` must be at most 5")
    );
    assert!(at(change("wait"), "refused", "progressDeadlineSeconds") > 5);
    assert!(at(change("wait"), "accepted", "minReadySeconds") > 5);
    assert_eq!((&change("wait")["old"]["line"], &change("wait")["new"]["line"]), (&9.into(), &9.into()));
    let soft = change("soft");
    assert_eq!(soft["direction"], "loosened");
    assert_eq!(soft["limits"][0]["key"], "severity");
    assert_eq!(soft["accepted"]["object"]["spec"]["paused"], true);
    for witness in found.iter().flat_map(|change| [&change["refused"], &change["accepted"]]) {
        if let Some(object) = witness.get("object") {
            assert_eq!((&object["apiVersion"], &object["kind"]), (&"apps/v1".into(), &"Deployment".into()));
            assert_eq!(object["metadata"]["name"], "example");
        }
    }
}
