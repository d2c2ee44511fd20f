//! `--explain-proof` of `check` and `diff`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use serde_json::Value;

use crate::place::Place;

fn definition(depth: &str, rules: &[&str]) -> String {
    let rules: Vec<String> =
        rules.iter().map(|rule| format!("              - {{rule: '{rule}', message: wrong}}\n")).collect();
    let rules = rules.concat();
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ponds.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: ponds, singular: pond, kind: Pond, listKind: PondList}}
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
            required: [depth]
            properties:
              depth: {{type: integer{depth}}}
              kind: {{type: string, maxLength: 20}}
              fish: {{type: array, maxItems: 9, items: {{type: integer}}}}
            x-kubernetes-validations:
{rules}"
    )
}

fn findings(rules: &[&str]) -> Vec<Value> {
    let place = Place::with(&[("crd.yaml", &definition(", minimum: 1", rules))]);
    let run =
        place.run(&["check", "crd.yaml", "--level", "info", "--explain-proof", "--output-format", "json"]);
    let found: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    assert!(!found.is_empty(), "{run:?}");
    found
}

/// The certificates of the finding with a code.
fn certificates(code: &str, rules: &[&str]) -> Vec<Value> {
    let found = findings(rules);
    let finding = found.iter().find(|it| it["code"] == code).unwrap_or(&Value::Null);
    finding["proof"]["certificates"].as_array().cloned().unwrap_or_default()
}

#[test]
fn claims_of_check_have_certificates_that_the_checker_accepts() {
    for (code, rules, parts) in [
        ("KC308", &["self.depth > 0"][..], 1),
        ("KC308", &["self.depth < 1"], 1),
        ("KC310", &["self.fish.all(f, f > 5)", "self.fish.all(f, f > 3)"], 1),
        ("KC311", &["self.depth < 7"], 2),
        ("KC313", &["self.depth > 7", "self.depth < 5"], 1),
    ] {
        let found = certificates(code, rules);
        assert_eq!(found.len(), parts, "{code} of {rules:?}: {:#?}", findings(rules));
        for certificate in found {
            assert_eq!(certificate["accepted"], true, "{certificate:#}");
            assert_eq!(certificate["unchecked"], serde_json::json!([]), "{certificate:#}");
            assert!(!certificate["cases"].as_array().unwrap().is_empty(), "{certificate:#}");
        }
    }
}

#[test]
fn what_the_checker_knows_by_name_alone_is_listed() {
    let rule = "!has(self.kind) || !self.kind.matches(\"^abc\") || self.kind.matches(\"^ab\")";
    let found = certificates("KC308", &[rule]);
    assert_eq!(found[0]["accepted"], true, "{found:#?}");
    assert!(!found[0]["unchecked"].as_array().unwrap().is_empty(), "{found:#?}");
}

#[test]
fn proofs_are_shown_to_those_who_ask() {
    let text = definition("", &["self.depth > 7", "self.depth > 5"]);
    let place = Place::with(&[("crd.yaml", &text)]);
    let shown = place.run(&["check", "crd.yaml", "--explain-proof"]);
    assert!(shown.out.contains("= proof: no object satisfies all of these:"), "{shown:?}");
    assert!(shown.out.contains("self.depth > 7") && shown.out.contains("cases ("), "{shown:?}");
    assert!(shown.out.contains("the checker accepts all steps"), "{shown:?}");
    let plain = place.run(&["check", "crd.yaml"]);
    assert!(plain.out.contains("KC310") && !plain.out.contains("proof:"), "{plain:?}");
    let plain = place.run(&["check", "crd.yaml", "--output-format", "json"]);
    assert!(!plain.out.contains("\"proof\""), "{plain:?}");
}

#[test]
fn diff_has_the_certificates_of_excluded_directions() {
    let old = definition("", &["self.depth > 7", "self.depth > 5"]);
    let new = definition("", &["self.depth > 7"]);
    let place = Place::with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let shown = place.run(&["diff", "old.yaml", "new.yaml", "--explain-proof"]);
    assert!(shown.out.contains("proved: nothing is newly accepted"), "{shown:?}");
    assert!(shown.out.contains("the checker accepts all steps"), "{shown:?}");
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--explain-proof", "--output-format", "json"]);
    let diff: Value = serde_json::from_str(&run.out).unwrap();
    let proof = &diff["pairs"][0]["changes"][0]["proofs"][0];
    assert_eq!(proof["certificates"][0]["accepted"], true, "{diff:#}");
    let plain = place.run(&["diff", "old.yaml", "new.yaml", "--output-format", "json"]);
    assert!(plain.out.contains("\"proofs\"") && !plain.out.contains("certificates"), "{plain:?}");
}

#[test]
fn a_proof_without_a_certificate_says_so() {
    // The keywords of both sides are compared by themselves.
    let (old, new) = (definition("", &["self.depth > 7"]), definition(", minimum: 8", &["self.depth > 7"]));
    let place = Place::with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--explain-proof"]);
    let has_lines = run.out.contains("has no certificate") || run.out.contains("the checker accepts");
    assert!(run.out.contains("proved:") && has_lines, "{run:?}");
}
