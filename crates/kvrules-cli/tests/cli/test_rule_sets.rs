//! `kvrules test` with RuleSets: their examples, suites and files about them, and what these miss.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::Value;

use crate::place::{Place, Run};

const RULES: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: web}
spec:
  subject: {apiVersion: apps/v1, kind: Deployment}
  rules:
  - name: replicas
    path: spec.replicas
    integer: {min: 2, max: 4}
    when: {path: metadata.labels.tier, in: [web]}
    message: web tiers run 2 to 4 replicas
  - name: paused
    path: spec.paused
    forbidden: true
    severity: warn
    message: pausing is for emergencies
  examples:
    accept:
    - {metadata: {labels: {tier: web}}, spec: {replicas: 2}}
    - {spec: {replicas: 1}}
    reject:
    - name: a single one
      object: {metadata: {labels: {tier: web}}, spec: {replicas: 1}}
      violates: [replicas]
      messages: [2 to 4]
";

fn rules_with(from: &str, to: &str) -> String {
    assert!(RULES.contains(from), "{from}");
    RULES.replacen(from, to, 1)
}

fn run_rules(rules: &str, args: &[&str]) -> Run {
    Place::with(&[("web.yaml", rules)]).run(&[&["test", "web.yaml"], args].concat())
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn examples_are_cases() {
    let run = run_rules(RULES, &[]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "3 cases passed\n"), "{}", run.out);
    assert_eq!(run.out, "ok     web.yaml (rule-set): 3 cases\n");
    let run = run_rules(RULES, &["--format", "tap"]);
    assert!(run.out.contains("web: accept[1]") && run.out.contains("web: a single one"), "{}", run.out);
}

#[test]
fn examples_with_another_verdict_rule_or_message_fail_at_their_lines() {
    for (from, to, line, message) in [
        (
            "{spec: {replicas: 1}}",
            "{metadata: {labels: {tier: web}}, spec: {replicas: 5}}",
            20,
            "violates `replicas`",
        ),
        ("tier: web}}, spec: {replicas: 1}", "tier: web}}, spec: {replicas: 3}", 22, "violates no rule"),
        ("violates: [replicas]", "violates: [paused]", 24, "does not violate `paused`, but `replicas`"),
        ("messages: [2 to 4]", "messages: [2 to 5]", 25, "no violated rule has `2 to 5` in its message"),
    ] {
        let run = run_rules(&rules_with(from, to), &[]);
        assert_eq!(run.code, Some(1), "{to}: {run:?}");
        assert!(
            run.out.contains(&format!("web.yaml:{line}:")) && run.out.contains(message),
            "{to}: {}",
            run.out
        );
        assert!(run.err.contains("2 cases passed, 1 failed"), "{}", run.err);
    }
}

#[test]
fn a_rule_set_with_errors_is_not_evaluated() {
    let run = run_rules(&rules_with("integer: {min: 2", "integer: {min: two"), &[]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.out.contains("`min` of `integer` must be an integer"), "{}", run.out);
    assert!(run.out.contains("the RuleSet `web` has errors"), "{}", run.out);
    let run = run_rules(&rules_with("  examples:\n", "  samples:\n"), &[]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("no test suite in `web.yaml`"), "{}", run.err);
}

const SUITE: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleTests
rules: [web.yaml]
base: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {tier: web}}, spec: {replicas: 4}}
cases:
- {name: four, expect: accept}
- {name: five, patch: {spec: {replicas: 5}}, expect: reject, rules: [replicas], messages: [web tiers run]}
- {name: paused, patch: {spec: {paused: true}}, expect: warn, warnings: [pausing is for emergencies]}
";

#[test]
fn suites_are_about_rule_sets() {
    let place = Place::with(&[("web.yaml", RULES), ("web.test.yaml", SUITE)]);
    let run = place.run(&["test"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "6 cases passed\n"), "{}", run.out);
    let wrong =
        SUITE.replace("rules: [replicas]", "rules: [paused]").replace("expect: warn", "expect: accept");
    let place = Place::with(&[("web.yaml", RULES), ("web.test.yaml", &wrong)]);
    let run = place.run(&["test", "web.test.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("1 case passed, 2 failed"), "{run:?}");
    let unknown = SUITE.replace("rules: [replicas]", "rules: [replica]");
    let place = Place::with(&[("web.yaml", RULES), ("web.test.yaml", &unknown)]);
    let run = place.run(&["test", "web.test.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.out.contains("no rule is named `replica`"), "{}", run.out);
    let other = SUITE.replace("kind: Deployment", "kind: StatefulSet");
    let place = Place::with(&[("web.yaml", RULES), ("web.test.yaml", &other)]);
    let run = place.run(&["test", "web.test.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.out.contains("the rules are about Deployment"), "{}", run.out);
}

#[test]
fn objects_that_a_rule_set_does_not_select_are_skipped() {
    let rules = rules_with(
        "  rules:\n",
        "  match: {labels: {team: shop}, namespaces: {labels: {stage: live}}}\n  rules:\n",
    );
    let suite = SUITE.replace("labels: {tier: web}", "labels: {tier: web, team: shop}")
        + "- {name: of others, patch: {metadata: {labels: {team: other}}, spec: {replicas: 9}}, expect: skip}\n";
    let suite = suite.replace("expect: accept", "namespaceLabels: {stage: live}, expect: accept");
    let suite = suite.replace("expect: reject", "namespaceLabels: {stage: live}, expect: reject");
    let suite = suite.replace("expect: warn", "namespaceLabels: {stage: live}, expect: warn");
    let suite = suite + "- {name: in another stage, patch: {spec: {replicas: 9}}, expect: skip}\n";
    let place = Place::with(&[("web.yaml", &rules), ("web.test.yaml", &suite)]);
    let run = place.run(&["test", "web.test.yaml"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "5 cases passed\n"), "{run:?}");
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
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {depth: {type: integer}}}}}}
";

#[test]
fn files_by_name_are_about_rule_sets_and_examples_still_run() {
    let rules = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: ponds}
spec:
  subject: {schema: pond.crd.yaml}
  rules: [{name: depth, path: spec.depth, integer: {min: 1}, message: too shallow}, {name: fixed, path: spec.depth, immutable: onceSet}]
  examples: {accept: [{spec: {depth: 1}}]}
";
    let pond = |depth: u32| {
        format!("apiVersion: example.com/v1\nkind: Pond\nmetadata: {{name: a}}\nspec: {{depth: {depth}}}\n")
    };
    let files: Vec<(&str, String)> = vec![
        ("pond.crd.yaml", POND.to_owned()),
        ("ponds.yaml", rules.to_owned()),
        ("tests/accept-one.yaml", pond(1)),
        ("tests/reject-depth-none.yaml", pond(0)),
        ("tests/reject-too-shallow.yaml", pond(0)),
        ("tests/reject-fixed-deeper.yaml", pond(3)),
        ("tests/reject-fixed-deeper.old.yaml", pond(2)),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let place = Place::with(&files);
    for args in [&["test"][..], &["test", "ponds.yaml"]] {
        let run = place.run(args);
        assert_eq!((run.code, run.err.as_str()), (Some(0), "5 cases passed\n"), "{run:?}");
        assert!(
            run.out.contains("(named-files): 4 cases") && run.out.contains("(rule-set): 1 case"),
            "{}",
            run.out
        );
    }
}

/// The number of mutants with a status.
fn count_mutants(report: &Value, status: &str) -> usize {
    let measures = report["measures"].as_array().unwrap().iter();
    measures.flat_map(|one| one["mutants"].as_array().unwrap()).filter(|it| it["status"] == status).count()
}

#[test]
fn missing_outcomes_are_named_and_suggested_cases_kill_what_survives() {
    let place = Place::with(&[("web.yaml", RULES)]);
    let run = place.run(&["test", "--coverage", "web.yaml"]);
    for missing in [
        "no case violates it",
        "\"`spec.replicas` is set\" is never false",
        "no case has 4 for \"`spec.replicas` is from 2 to 4\", the last accepted value",
        "no case has 5 for",
    ] {
        assert!(run.out.contains(missing), "{missing}: {}", run.out);
    }
    let before = json(&place.run(&["test", "--mutate", "--format", "json", "web.yaml"]));
    assert!(
        count_mutants(&before, "survived") >= 4 && count_mutants(&before, "undecided") == 0,
        "{before:#}"
    );
    let run = place.run(&["test", "--mutate", "--suggest", "more.test.yaml", "web.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let after = json(&place.run(&["test", "--mutate", "--format", "json"]));
    let statuses = |status: &str| count_mutants(&after, status);
    assert_eq!((statuses("survived"), statuses("undecided")), (0, 0), "{after:#}");
    assert_eq!(after["summary"]["failed"], 0);
}

#[test]
fn rules_of_other_files_and_parameters_are_measured() {
    let base = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: base}
spec:
  subject: {apiVersion: apps/v1, kind: Deployment}
  rules: [{name: paused, path: spec.paused, in: [false]}]
";
    let rules = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: web}
spec:
  subject: {apiVersion: apps/v1, kind: Deployment}
  include: [{file: lib/base.yaml, namePrefix: base-}]
  parameters: {most: {type: integer, default: 4}}
  rules: [{name: replicas, path: spec.replicas, integer: {max: $(most)}}]
  examples:
    accept: [{spec: {replicas: 4}}]
    reject: [{object: {spec: {replicas: 5}}, violates: [replicas]}]
";
    let place = Place::with(&[("web.yaml", rules), ("lib/base.yaml", base)]);
    let run = place.run(&["test", "--coverage", "--mutate", "--format", "json", "web.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = json(&run);
    let coverage = report["measures"][0]["coverage"].as_array().unwrap();
    let violated = |name: &str| coverage.iter().find(|it| it["rule"] == name).unwrap()["violated"].clone();
    assert_eq!((violated("replicas"), violated("base-paused")), (1.into(), 0.into()), "{report:#}");
    let mutants = report["measures"][0]["mutants"].as_array().unwrap();
    let changes: Vec<&str> = mutants.iter().map(|it| it["change"].as_str().unwrap()).collect();
    assert!(
        changes.contains(&"`integer`: `max` becomes 5") && changes.contains(&"`integer`: `max` becomes 3"),
        "{changes:?}"
    );
    assert!(mutants.iter().all(|it| it["rule"] == "replicas" && it["status"] == "killed"), "{report:#}");
}

#[test]
fn each_word_and_each_part_of_a_condition_is_changed() {
    let rules = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: all}
spec:
  subject: {apiVersion: apps/v1, kind: Deployment}
  rules:
  - {name: one, exactlyOneOf: [spec.paused, spec.replicas, spec.minReadySeconds]}
  - name: two
    path: metadata.name
    pattern: ^a
    length: {min: 2}
    when: {any: [{path: metadata.labels.a, required: true}, {not: {path: metadata.labels.b, in: [p, q]}}]}
  - {name: three, path: spec.replicas, immutable: onceSet}
  - {name: four, cel: \"!has(self.spec) || !has(self.spec.replicas) || self.spec.replicas < 9\"}
  examples: {accept: [{metadata: {name: ab}, spec: {replicas: 1}}]}
";
    let report = json(&run_rules(rules, &["--mutate", "--format", "json"]));
    let mutants = report["measures"][0]["mutants"].as_array().unwrap();
    let has = |rule: &str, change: &str| {
        mutants.iter().any(|it| it["rule"] == rule && it["change"].as_str().unwrap().contains(change))
    };
    for (rule, change) in [
        ("one", "the rule is dropped"),
        ("one", "`exactlyOneOf`: becomes `atMostOneOf`"),
        ("one", "\"spec.paused\" is removed from the list"),
        ("two", "`pattern` is dropped"),
        ("two", "`pattern`: `^` is dropped"),
        ("two", "`length`: `min` becomes 3"),
        ("two", "`when` is dropped"),
        ("two", "`any` becomes `all`"),
        ("two", "`not` is dropped"),
        ("two", "`required`: becomes `forbidden`"),
        ("two", "\"p\" is removed from the list"),
        ("three", "`immutable`: becomes `always`"),
        ("four", "`cel`: `<` becomes `<=`"),
        ("four", "`cel`: `9` becomes `10`"),
    ] {
        assert!(has(rule, change), "{rule}: {change}: {mutants:#?}");
    }
}

#[test]
fn the_examples_of_the_suites_reach_all_and_notice_all() {
    let rules = include_str!("../../../../docs/suites/deployments.yaml");
    let place = Place::with(&[("deployments.yaml", rules)]);
    let run = place.run(&["test", "--coverage", "--mutate", "--fail-under", "100", "deployments.yaml"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "8 cases passed\n"), "{run:?}");
    assert!(
        run.out.contains("outcomes, 100 %\n") && run.out.contains("mutation score: 100 %"),
        "{}",
        run.out
    );
    // Without one of the examples it is noticed.
    let less = rules.replace("    - {spec: {replicas: 1}}\n", "");
    let place = Place::with(&[("deployments.yaml", &less)]);
    let run = place.run(&["test", "--coverage", "--mutate", "--fail-under", "100", "deployments.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
}
