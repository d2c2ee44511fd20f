//! Definitions among the objects of OpenShift templates, in every command that reads definitions.

use crate::place::{Place, Run};

/// A template of a definition; `MAX` is the largest depth, `STORAGE` whether its version is stored.
const TEMPLATE: &str = "apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: ponds}
parameters:
- {name: NAMESPACE, required: true, value: lakes}
- {name: MOST, value: '9'}
- {name: FREE}
objects:
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata:
    name: ponds.example.com
    namespace: ${NAMESPACE}
    labels: {app: \"${NAMESPACE}\"}
  spec:
    group: example.com
    scope: Namespaced
    names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
    versions:
    - name: v1
      served: true
      storage: STORAGE
      schema:
        openAPIV3Schema:
          type: object
          properties:
            depth:
              type: integer
              maximum: MAX
            names:
              type: array
              items: {type: string}
              x-kubernetes-validations:
              - rule: self.all(name, name != 'x')
";

fn template(storage: &str, most: &str) -> String {
    TEMPLATE.replace("STORAGE", storage).replace("MAX", most)
}

fn run(files: &[(&str, &str)], words: &[&str]) -> Run {
    Place::with(files).run(words)
}

#[test]
fn check_reports_what_it_reports_of_the_definition_alone() {
    let run = run(&[("t.yaml", &template("false", "9"))], &["check", "t.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("error[KC101]: no version has `storage: true`"), "{run:?}");
    assert!(run.err.contains("1 definition with 1 rule"), "{run:?}");
}

#[test]
fn check_names_what_parameters_decide_about() {
    let run = run(&[("t.yaml", &template("true", "${{MOST}}"))], &["check", "--level", "info", "t.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let message = "info[KV017]: template parameters affect `metadata.namespace`, `metadata.labels.app`, \
                   `spec.versions[0].schema.openAPIV3Schema.properties.depth.maximum`, which cannot be checked";
    assert!(run.out.contains(message), "{run:?}");
}

#[test]
fn cost_prices_a_definition_or_reports_that_parameters_decide() {
    let priced = run(&[("t.yaml", &template("true", "9"))], &["cost", "t.yaml"]);
    assert_eq!(priced.code, Some(0), "{priced:?}");
    assert!(priced.out.contains("self.all(name, name != 'x')"), "{priced:?}");
    let open = run(&[("t.yaml", &template("true", "${{MOST}}"))], &["cost", "t.yaml"]);
    assert_eq!(open.code, Some(2), "{open:?}");
    assert!(open.err.contains("the cost of 1 definition depends on parameters of a template"), "{open:?}");
}

#[test]
fn diff_compares_definitions_with_the_values_of_their_parameters() {
    let (old, new) = (template("true", "${{MOST}}"), template("true", "5"));
    let narrowed = run(&[("a.yaml", &old), ("b.yaml", &new)], &["diff", "a.yaml", "b.yaml"]);
    assert!(narrowed.out.contains("tightened") && narrowed.out.contains("depth"), "{narrowed:?}");
    let same = run(&[("a.yaml", &old), ("b.yaml", &template("true", "9"))], &["diff", "a.yaml", "b.yaml"]);
    assert!(same.code == Some(0) && !same.out.contains("tightened"), "{same:?}");
    let required = old.replace(", value: lakes", "");
    let open = run(&[("a.yaml", &required), ("b.yaml", &new)], &["diff", "a.yaml", "b.yaml"]);
    assert_eq!(open.code, Some(2), "{open:?}");
    assert!(open.err.contains("NAMESPACE"), "{open:?}");
}

#[test]
fn eval_judges_by_a_definition_as_it_is_processed() {
    let pond = |depth: u32| {
        format!("apiVersion: example.com/v1\nkind: Pond\nmetadata: {{name: p}}\ndepth: {depth}\n")
    };
    let schema = template("true", "${{MOST}}");
    for (depth, code) in [(9, 0), (10, 1)] {
        let run = run(
            &[("crd.yaml", &schema), ("p.yaml", &pond(depth))],
            &["eval", "--engine", "crd", "--schema", "crd.yaml", "p.yaml"],
        );
        assert_eq!(run.code, Some(code), "{run:?}");
    }
}
