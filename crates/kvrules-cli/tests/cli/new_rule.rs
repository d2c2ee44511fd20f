//! `kvrules new rule`: what it prints passes `kvrules check`, whatever the type of the field.

use crate::place::Place;

/// Fields of a Deployment with one of each type, and words that have to be offered.
const FIELDS: [(&str, &[&str]); 9] = [
    ("spec.replicas", &["integer", "atLeast", "required", "forbidden", "immutable"]),
    ("spec.paused", &["in", "immutable"]),
    ("metadata.name", &["pattern", "length", "format"]),
    ("metadata.labels", &["items", "noRemoval"]),
    ("spec.strategy", &["exactlyOneOf", "allOrNone", "required"]),
    ("spec.template.spec.containers", &["items", "noRemoval"]),
    ("spec.template.spec.containers[*].image", &["pattern", "in"]),
    ("spec.template.spec.containers[*].args", &["uniqueBy", "items"]),
    ("spec.template.spec.containers[*].resources.limits", &["items"]),
];

fn words_in(text: &str) -> Vec<String> {
    let words = text.lines().skip_while(|line| !line.contains("- name:")).skip(1);
    let words = words.filter_map(|line| line.trim().trim_start_matches("# ").split_once(": "));
    let is_word = |name: &&str| !["path", "message"].contains(name);
    words.map(|(name, _)| name).filter(is_word).map(str::to_owned).collect()
}

#[test]
fn every_offered_word_passes_check() {
    for (path, wanted) in FIELDS {
        let place = Place::with(&[]);
        let run = place.run(&["new", "rule", "--for", "apps/v1/Deployment", path]);
        assert_eq!(run.code, Some(0), "{path}: {run:?}");
        let words = words_in(&run.out);
        for word in wanted {
            assert!(words.iter().any(|offered| offered == word), "{path}: {word}: {}", run.out);
        }
        place.write("whole.yaml", &run.out);
        for word in &words {
            let run = place.run(&["new", "rule", "--for", "apps/v1/Deployment", "--word", word, path]);
            assert_eq!(run.code, Some(0), "{path}: {word}: {run:?}");
            place.write(&format!("{word}.yaml"), &run.out);
        }
        let check = place.run(&["check", "--fail-on", "info", "."]);
        assert_eq!(check.code, Some(0), "{path}: {check:?}");
    }
}

const POND: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
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
            properties:
              depth: {type: integer, minimum: 1, maximum: 9, description: Depth in metres. A second sentence.}
              slope: {type: number}
              phase: {type: string, enum: [Draft, Ready, Retired]}
              name: {type: string, maxLength: 20}
              fish: {type: array, maxItems: 8, items: {type: object, properties: {name: {type: string}}}}
";

#[test]
fn bounds_are_within_those_of_the_schema() {
    for (path, line) in [
        ("spec.depth", "integer: {min: 2, max: 8}"),
        ("spec.slope", "number: {min: 2.5, max: 7.5}"),
        ("spec.phase", "in: [Draft, Ready]"),
        ("spec.phase", "transitions: {Draft: [Ready]}"),
        ("spec.name", "length: {min: 1, max: 19}"),
        ("spec.fish", "uniqueBy: [name]"),
        ("spec.fish", "items: {min: 1, max: 7}"),
    ] {
        let place = Place::with(&[("pond.crd.yaml", POND)]);
        let run = place.run(&["new", "rule", "--for", "pond.crd.yaml", path]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.out.contains(line), "{line}: {}", run.out);
        place.write("new.yaml", &run.out);
        let check = place.run(&["check", "--fail-on", "info", "new.yaml"]);
        assert_eq!(check.code, Some(0), "{path}: {check:?}\n{}", run.out);
    }
    let run =
        Place::with(&[("pond.crd.yaml", POND)]).run(&["new", "rule", "--for", "pond.crd.yaml", "spec.depth"]);
    assert!(run.out.contains("spec.depth is an integer: Depth in metres\n"), "{}", run.out);
}

#[test]
fn for_a_rule_set_the_rule_alone_is_printed() {
    let set = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
        subject: {apiVersion: apps/v1, kind: Deployment}\n  rules:\n";
    let whole = format!("{set}  - {{name: one, path: spec.paused, in: [false]}}\n");
    let place = Place::with(&[("web.yaml", &whole)]);
    for args in [&["--for", "web.yaml"][..], &[]] {
        let run = place.run(&[&["new", "rule", "spec.replicas"], args].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.out.starts_with("  # spec.replicas is an integer"), "{}", run.out);
        let place = Place::with(&[("web.yaml", &(whole.clone() + &run.out))]);
        assert_eq!(place.run(&["check", "web.yaml"]).code, Some(0));
    }
}

#[test]
fn what_is_unknown_has_advice() {
    let place = Place::with(&[("pond.crd.yaml", POND), ("empty.yaml", "")]);
    for (args, message, help) in [
        (
            &["--for", "apps/v1/Deployment", "spec.replica"][..],
            "unknown field `replica` in `spec`",
            "did you mean `replicas`?",
        ),
        (&["--for", "pond.crd.yaml", "spec.fish.name"], "`spec.fish` is a list", "write `[*]` for its items"),
        (
            &["--for", "apps/v1/Deploymnt", "spec"],
            "Kubernetes does not serve the kind `Deploymnt`",
            "did you mean `Deployment`?",
        ),
        (
            &["--for", "Deployment", "spec"],
            "`Deployment` is neither a file nor a kind",
            "such as `apps/v1/Deployment`",
        ),
        (&["--for", "pond.crd.yaml", "spec..depth"], "empty step in the path", ""),
        (&["--for", "pond.crd.yaml", ""], "empty path", "name a field"),
        (&["--for", "empty.yaml", "spec"], "`empty.yaml` is empty", "`--for` takes"),
        (
            &["--for", "pond.crd.yaml", "--word", "pattern", "spec.depth"],
            "`pattern` does not fit `spec.depth`, which is an integer",
            "`integer`",
        ),
        (&["spec.depth"], "no RuleSet below the working directory", "--for"),
    ] {
        let run = place.run(&[&["new", "rule"], args].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{args:?}: {run:?}");
        assert!(run.err.contains(message) && run.err.contains(help), "{args:?}: {}", run.err);
    }
    let two = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\n";
    let place = Place::with(&[("a.yaml", two), ("b/c.yaml", two)]);
    let run = place.run(&["new", "rule", "spec.a"]);
    assert!(run.err.contains("several files have RuleSets: ./a.yaml, ./b/c.yaml"), "{}", run.err);
    assert_eq!(Place::with(&[]).run(&["new"]).code, Some(2));
}
