//! `kvrules test`: results and exit status, in our own format.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::Value;

use crate::place::{Place, Run};

const DEFINITION: &str = include_str!("../../../../docs/suites/widgets.crd.yaml");
const SUITE: &str = include_str!("../../../../docs/suites/widgets.test.yaml");

/// The suite of the examples with a part replaced.
fn suite_with(from: &str, to: &str) -> String {
    assert!(SUITE.contains(from), "{from}");
    SUITE.replacen(from, to, 1)
}

fn run_suite(suite: &str, args: &[&str]) -> Run {
    let place = Place::with(&[("widgets.crd.yaml", DEFINITION), ("widgets.test.yaml", suite)]);
    place.run(&[&["test", "widgets.test.yaml"], args].concat())
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn the_suite_of_the_examples_passes() {
    let run = run_suite(SUITE, &[]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "12 cases passed\n"), "{}", run.out);
    assert_eq!(run.out, "ok     widgets.test.yaml (rule-tests): 12 cases\n");
}

#[test]
fn a_wrong_verdict_fails_at_its_line_and_shows_the_object() {
    let run = run_suite(&suite_with("{replicas: 6, reason: sale}", "{replicas: 6}"), &[]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let message = "`six replicas with a reason`: expected accept, and the object is rejected";
    assert!(run.out.contains(message), "{}", run.out);
    assert!(run.out.contains("widgets.test.yaml:18:9"), "{}", run.out);
    assert!(
        run.out.contains("replicas: 6") && run.out.contains("more than 5 replicas need a reason"),
        "{}",
        run.out
    );
    assert!(run.err.contains("11 cases passed, 1 failed"), "{}", run.err);
}

#[test]
fn a_message_that_is_not_reported_fails() {
    let run =
        run_suite(&suite_with("should be less than or equal to 10", "at most 10"), &["--format", "json"]);
    let report = json(&run);
    assert_eq!((run.code, &report["summary"]["failed"]), (Some(1), &1.into()));
    let failed: Vec<_> = report["suites"][0]["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["status"] == "failed")
        .collect();
    let difference = &failed[0]["differences"][0];
    assert_eq!(difference["expected"], "at most 10");
    assert!(difference["actual"].as_str().unwrap().contains("should be less than or equal to 10"));
    assert_eq!((&difference["line"], &difference["column"]), (&34.into(), &14.into()));
}

#[test]
fn a_wrong_warning_and_a_wrong_stored_object_fail() {
    let stored = suite_with(
        "- name: five replicas need no reason\n  expect: accept",
        "- name: five replicas need no reason\n  expect: accept\n  stored: {apiVersion: example.com/v1, kind: Widget, spec: {replicas: 4}}",
    );
    let run = run_suite(&stored, &[]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out.contains("the stored object differs") && run.out.contains("-   replicas: 4"),
        "{}",
        run.out
    );
    let warned = suite_with("  expect: accept", "  expect: accept\n  warnings: [unknown field]");
    assert!(run_suite(&warned, &[]).out.contains("the warning is missing"));
}

#[test]
fn an_unknown_rule_is_an_error_and_the_other_cases_still_run() {
    let run = run_suite(&suite_with("rules: [spec.replicas]", "rules: [spec.replica]"), &[]);
    assert_eq!(run.code, Some(2));
    assert!(run.out.contains("no rule is named `spec.replica`"), "{}", run.out);
    assert!(run.err.contains("11 cases passed, 1 failed, 1 error in suites"), "{}", run.err);
}

#[test]
fn errors_in_a_suite_have_their_lines() {
    let faults = [
        ("rules: [widgets.crd.yaml]", "rules: [missing.yaml]", "missing.yaml", "5:9"),
        (
            "- name: six replicas with a reason",
            "- name: five replicas need no reason",
            "duplicate name",
            "18:9",
        ),
        ("expect: accept", "expects: accept", "unknown field `expects`", "12:3"),
        ("kind: Widget", "kind: Gadget", "the object is of the kind `Gadget`", "12:9"),
    ];
    for (from, to, message, place) in faults {
        let run = run_suite(&suite_with(from, to), &[]);
        assert_eq!(run.code, Some(2), "{message}: {}", run.err);
        assert!(run.out.contains(message), "{message}: {}", run.out);
        assert!(run.out.contains(&format!("widgets.test.yaml:{place}")), "{message} {place}: {}", run.out);
    }
}

#[test]
fn a_refused_definition_is_an_error_at_its_place() {
    let definition = DEFINITION.replace("type: integer", "type: integr");
    let place = Place::with(&[("widgets.crd.yaml", definition.as_str()), ("widgets.test.yaml", SUITE)]);
    let run = place.run(&["test", "widgets.test.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.out.contains("the server refuses the definition"), "{}", run.out);
    assert!(run.out.contains("widgets.crd.yaml:2:1"), "{}", run.out);
}

#[test]
fn nothing_to_run_is_an_error() {
    let run = run_suite(SUITE, &["--filter", "seven"]);
    assert_eq!(
        (run.code, run.err.contains("no case has `seven` in its name")),
        (Some(2), true),
        "{}",
        run.err
    );
    let place = Place::with(&[("a.yaml", "a: 1\n")]);
    let run = place.run(&["test", "a.yaml"]);
    assert_eq!((run.code, run.err.contains("no test suite in `a.yaml`")), (Some(2), true), "{}", run.err);
    let run = place.run(&["test", "b.yaml"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (Some(2), "error: cannot read `b.yaml`: no such file or directory\n")
    );
}

#[test]
fn a_filter_selects_cases_by_name() {
    let run = run_suite(SUITE, &["--filter", "an update"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "3 cases passed\n"));
}

#[test]
fn files_are_cases_by_their_names() {
    let widget = |replicas: u32| {
        format!(
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {{replicas: {replicas}}}\n"
        )
    };
    let (good, bad) = (widget(5), widget(6));
    let files = [
        ("widgets.crd.yaml", DEFINITION),
        ("tests/accept-five.yaml", good.as_str()),
        ("tests/reject-more-than-5-replicas-need-a-reason-six.yaml", bad.as_str()),
    ];
    let run = Place::with(&files).run(&["test", "."]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "2 cases passed\n"), "{}", run.out);
    // A file whose rule does not exist is not skipped.
    let unknown = [files.as_slice(), &[("tests/reject-nothing-one.yaml", bad.as_str())]].concat();
    let run = Place::with(&unknown).run(&["test", "."]);
    assert_eq!(run.code, Some(2));
    assert!(run.out.contains("`nothing-one` begins with no name of a rule"), "{}", run.out);
    // The other rule is not violated.
    let wrong = [("tests/reject-the-number-of-replicas-must-not-decrease.yaml", bad.as_str())];
    let run = Place::with(&[&files[..1], &wrong].concat()).run(&["test", "."]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("is not violated"), "{}", run.out);
}

#[test]
fn expected_messages_are_updated_after_the_diff() {
    let suite = suite_with("should be less than or equal to 10", "should be less than 10");
    let place = Place::with(&[("widgets.crd.yaml", DEFINITION), ("widgets.test.yaml", &suite)]);
    let run = place.run(&["test", "--update", "widgets.test.yaml"]);
    assert!(run.out.contains("-  messages: [should be less than 10]"), "{}", run.out);
    assert!(run.err.contains("wrote 1 expected message"), "{}", run.err);
    let run = place.run(&["test", "widgets.test.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.out);
}

#[test]
fn every_format_reports_the_failure() {
    let suite = suite_with("{replicas: 6, reason: sale}", "{replicas: 6}");
    let junit = run_suite(&suite, &["--format", "junit"]).out;
    let parsed = roxmltree::Document::parse(&junit).unwrap();
    let failures = parsed.descendants().filter(|node| node.has_tag_name("failure")).count();
    assert_eq!(
        (failures, parsed.descendants().filter(|node| node.has_tag_name("testcase")).count()),
        (1, 12)
    );
    let tap = run_suite(&suite, &["--format", "tap"]).out;
    assert!(tap.starts_with("TAP version 14\n1..12\n"), "{tap}");
    assert_eq!(tap.lines().filter(|line| line.starts_with("not ok")).count(), 1);
    let github = run_suite(&suite, &["--format", "github"]).out;
    assert!(github.starts_with("::error file=widgets.test.yaml,line=18"), "{github}");
}

#[test]
fn coverage_and_mutants_of_a_smaller_suite_name_what_is_missing() {
    let suite = SUITE.split("- name: an update that keeps").next().unwrap();
    let run = run_suite(suite, &["--coverage", "--mutate", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let measures = &json(&run)["measures"][0];
    let transition = &measures["coverage"][1];
    assert_eq!(
        (&transition["covered"], &transition["total"], &transition["line"]),
        (&0.into(), &2.into(), &24.into())
    );
    let mutants = measures["mutants"].as_array().unwrap();
    let survived = mutants.iter().filter(|it| it["status"] == "survived").count();
    assert_eq!(survived, mutants.iter().filter(|it| it["rule"].as_str().unwrap().ends_with("[1]")).count());
    assert!(survived >= 2, "{mutants:?}");
    assert_eq!(run_suite(suite, &["--coverage", "--fail-under", "100"]).code, Some(1));
    assert_eq!(run_suite(SUITE, &["--coverage", "--mutate", "--fail-under", "100"]).code, Some(0));
}

#[test]
fn suggested_cases_pass_and_kill_the_survivors() {
    let suite = SUITE.split("- name: an update that keeps").next().unwrap();
    let place = Place::with(&[("widgets.crd.yaml", DEFINITION), ("widgets.test.yaml", suite)]);
    let run = place.run(&["test", "--suggest", "missing.test.yaml", "widgets.test.yaml"]);
    assert!(run.err.contains("to `missing.test.yaml`; they kill"), "{}", run.err);
    assert_eq!(place.run(&["test", "missing.test.yaml"]).code, Some(0));
    let run =
        place.run(&["test", "--mutate", "--fail-under", "100", "widgets.test.yaml", "missing.test.yaml"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
}

/// The files of the examples.
fn example_place() -> Place {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let mut files = Vec::new();
    for (prefix, folder) in
        [("", folder.clone()), ("tests/", folder.join("tests")), ("suites/", folder.join("../suites"))]
    {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    Place::with(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
}

#[test]
fn the_examples_are_covered_and_no_mutant_survives() {
    let run = example_place().run(&["test", "--coverage", "--mutate", "--format", "json"]);
    let report = json(&run);
    assert_eq!((run.code, report["suites"].as_array().unwrap().len()), (Some(0), 6), "{}", run.err);
    let measures = report["measures"].as_array().unwrap();
    assert_eq!(measures.len(), 6);
    for one in measures {
        for rule in one["coverage"].as_array().unwrap() {
            assert_eq!(rule["covered"], rule["total"], "{rule}");
        }
        let left: Vec<_> =
            one["mutants"].as_array().unwrap().iter().filter(|it| it["status"] != "killed").collect();
        assert!(left.iter().all(|it| it["status"] == "equivalent"), "{left:?}");
    }
}

/// A policy about replicas, with a binding that warns.
const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  matchConditions: [{name: team, expression: request.userInfo.username != 'admin'}]
  validations:
  - {expression: object.spec.replicas <= 5, message: at most 5 replicas}
  - {expression: \"namespaceObject.metadata.labels['env'] != 'test' || object.spec.replicas == 1\", message: one in tests}
";

const POLICY_SUITE: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleTests
rules: [policy.yaml]
base: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 5}}
cases:
- {name: five, user: {name: alice}, namespaceLabels: {env: prod}, expect: accept}
- name: six
  patch: {spec: {replicas: 6}}
  user: {name: alice}
  namespaceLabels: {env: prod}
  expect: reject
  rules: ['spec.validations[0]']
  messages: [at most 5 replicas]
- {name: by the administrator, patch: {spec: {replicas: 6}}, user: {name: admin}, expect: skip}
- {name: in tests, user: {name: alice}, namespaceLabels: {env: test}, expect: reject, rules: [one in tests]}
- {name: without a label, user: {name: alice}, namespaceLabels: {}, expect: error, rules: [replicas]}
";

#[test]
fn policies_are_asked_with_users_and_namespaces() {
    let place = Place::with(&[("policy.yaml", POLICY), ("policy.test.yaml", POLICY_SUITE)]);
    let run = place.run(&["test", "policy.test.yaml"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "5 cases passed\n"), "{}", run.out);
    let measures = &json(&place.run(&[
        "test",
        "--coverage",
        "--mutate",
        "--format",
        "json",
        "policy.test.yaml",
    ]))["measures"];
    let covered = |rule: usize| measures[0]["coverage"][rule]["violated"].clone();
    assert_eq!((covered(0), covered(1)), (1.into(), 1.into()), "{measures}");
    let killed =
        measures[0]["mutants"].as_array().unwrap().iter().filter(|it| it["status"] == "killed").count();
    assert!(killed > 5, "{measures}");
}

#[test]
fn lcov_has_the_lines_of_the_rules() {
    let place = Place::with(&[("widgets.crd.yaml", DEFINITION), ("widgets.test.yaml", SUITE)]);
    assert_eq!(place.run(&["test", "--lcov", "lcov.info", "widgets.test.yaml"]).code, Some(0));
    let lcov = place.read("lcov.info");
    assert!(lcov.starts_with("TN:\nSF:widgets.crd.yaml\nBRDA:22,0,0,"), "{lcov}");
    assert!(lcov.contains("BRF:10\nBRH:10\n") && lcov.contains("LF:2\nLH:2\nend_of_record"), "{lcov}");
}

#[test]
fn a_badge_has_the_percentage() {
    let place = Place::with(&[("widgets.crd.yaml", DEFINITION), ("widgets.test.yaml", SUITE)]);
    let args = ["test", "--badge", "badge.json", "widgets.test.yaml"];
    assert_eq!(place.run(&args).code, Some(0));
    let badge: Value = serde_json::from_str(&place.read("badge.json")).unwrap();
    assert_eq!((&badge["message"], &badge["schemaVersion"]), (&"100 %".into(), &1.into()), "{badge}");
    let less = SUITE.split("- name: six replicas with").next().unwrap();
    place.write("widgets.test.yaml", less);
    place.run(&args);
    let badge: Value = serde_json::from_str(&place.read("badge.json")).unwrap();
    assert_eq!((&badge["message"], &badge["color"]), (&"70 %".into(), &"orange".into()), "{badge}");
}

#[test]
fn what_cannot_be_measured_is_no_full_coverage() {
    // A definition whose schema alone decides.
    let rules = DEFINITION.lines().filter(|line| !line.contains("rule: ") && !line.contains("message: "));
    let rules = rules.filter(|line| !line.contains("x-kubernetes-validations"));
    let rules = rules.collect::<Vec<_>>().join("\n") + "\n";
    let suite = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [widgets.crd.yaml]\ncases:\n\
        - {name: five, object: {apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {replicas: 5}}, expect: accept}\n";
    let place = Place::with(&[("widgets.crd.yaml", &rules), ("widgets.test.yaml", suite)]);
    let run = place.run(&["test", "--coverage", "--fail-under", "1"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.contains("coverage: the cases are about no rules") && !run.out.contains("100 %"),
        "{run:?}"
    );
    let run = place.run(&["test", "--badge", "badge.json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    let run = place.run(&["test", "--fail-under", "1"]);
    assert_eq!((run.code, run.err.contains("add `--coverage`")), (Some(2), true), "{run:?}");
    let run = place.run(&["test", "--mutate"]);
    assert!(run.out.contains("survived spec.replicas.minimum: `minimum` becomes 2"), "{}", run.out);
    assert!(run.out.contains("mutation score: 0 %; 0 killed, 6 survived"), "{}", run.out);
}

#[test]
fn a_rule_that_does_not_exist_is_reported_once_with_the_nearest_name() {
    let run = run_suite(
        &suite_with("[more than 5 replicas need a reason]", "[more than 5 replicas need reason]"),
        &[],
    );
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(run.out.matches("no rule is named").count(), 1, "{}", run.out);
    assert!(run.out.contains("did you mean `more than 5 replicas need a reason`?"), "{}", run.out);
    assert!(!run.out.contains("is not violated"), "{}", run.out);
    let run = run_suite(&suite_with("[more than 5 replicas need a reason]", "[other]"), &[]);
    assert!(run.out.contains("the rules are `spec.x-kubernetes-validations[0]`"), "{}", run.out);
}

#[test]
fn what_a_format_does_not_find_is_an_error() {
    let run = run_suite(SUITE, &["--format-of", "kyverno"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.out.contains("the file has no cases in the format `kyverno`"), "{}", run.out);
    let run = run_suite(&"[".repeat(5_000), &[]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.out.contains("lists and maps nest too deep"), "{}", run.out);
}

#[test]
fn bounds_below_values_that_no_case_has_are_decided() {
    let list = "              reason: {type: string, maxLength: 64}\n              ports:\n                type: array\n                \
        maxItems: 3\n                x-kubernetes-list-type: map\n                x-kubernetes-list-map-keys: [name]\n                \
        items:\n                  type: object\n                  required: [name, kind]\n                  properties:\n                    \
        name: {type: string, pattern: '^[a-z]+$', minLength: 1, maxLength: 9}\n                    kind: {type: string, enum: [http, grpc]}\n";
    let definition = DEFINITION.replace("              reason: {type: string, maxLength: 64}\n", list);
    let place = Place::with(&[("widgets.crd.yaml", &definition), ("widgets.test.yaml", SUITE)]);
    let report = json(&place.run(&["test", "--mutate", "--format", "json"]));
    let mutants = report["measures"][0]["mutants"].as_array().unwrap();
    let of_status = |status: &str| -> Vec<&str> {
        let found = mutants.iter().filter(|it| it["status"] == status);
        found.map(|it| it["change"].as_str().unwrap()).collect()
    };
    assert_eq!(of_status("undecided"), Vec::<&str>::new());
    // The pattern excludes the empty text.
    assert_eq!(of_status("equivalent"), ["`minLength` becomes 0"]);
    assert!(of_status("survived").contains(&"`maxItems` becomes 4"), "{mutants:#?}");
    let args = ["test", "--suggest", "missing.test.yaml", "widgets.test.yaml"];
    assert_eq!(place.run(&args).code, Some(0));
    let report = json(&place.run(&["test", "--mutate", "--format", "json"]));
    assert_eq!(
        (&report["summary"]["failed"], &report["measures"][0]["mutationScore"]),
        (&0.into(), &100.into())
    );
}

const TEMPLATE: &str = "\
apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: k8slabels}
spec:
  crd:
    spec:
      names: {kind: K8sLabels}
      validation:
        openAPIV3Schema: {type: object, properties: {labels: {type: array, items: {type: string}}}}
  targets:
  - target: admission.k8s.gatekeeper.sh
    code:
    - engine: K8sNativeValidation
      source: {validations: [{expression: \"true\"}]}
";

fn constraint(parameters: &str) -> String {
    format!(
        "apiVersion: constraints.gatekeeper.sh/v1beta1\nkind: K8sLabels\nmetadata: {{name: a}}\nspec: {{{parameters}}}\n"
    )
}

#[test]
fn constraints_of_gatekeeper_that_must_be_invalid_are_validated() {
    for (parameters, message) in [
        ("parameters: {labels: a}", None),
        ("match: {kinds: Pod}", None),
        ("parameters: {labels: [a]}", Some("expected reject, and the object is accepted")),
    ] {
        let suite = "kind: Suite\napiVersion: test.gatekeeper.sh/v1alpha1\ntests:\n\
            - {name: labels, template: template.yaml, constraint: constraint.yaml, invalid: true}\n";
        let files = [("suite.yaml", suite), ("template.yaml", TEMPLATE)];
        let place = Place::with(&files);
        place.write("constraint.yaml", constraint(parameters));
        let run = place.run(&["test", "suite.yaml"]);
        match message {
            None => assert_eq!(
                (run.code, run.err.as_str()),
                (Some(0), "1 case passed\n"),
                "{parameters}: {run:?}"
            ),
            Some(message) => {
                assert_eq!(run.code, Some(1), "{parameters}: {run:?}");
                assert!(run.out.contains(message) && run.out.contains("suite.yaml:4:"), "{}", run.out);
            }
        }
    }
}

const REPLICA_POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  variables: [{name: replicas, expression: \"has(object.spec.replicas) ? object.spec.replicas : 1\"}]
  validations:
  - {expression: \"variables.replicas <= 5 || request.userInfo.username == 'admin'\", message: too many}
  - {expression: \"!has(object.spec.paused) || !object.spec.paused\", message: paused}
";

#[test]
fn mutants_of_policies_are_decided_and_suggested_cases_kill_them() {
    let suite = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [policy.yaml]\ncases:\n\
        - {name: one, user: {name: a}, object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 1}}, expect: accept}\n";
    let place = Place::with(&[("policy.yaml", REPLICA_POLICY), ("policy.test.yaml", suite)]);
    let mutants = |place: &Place| -> Vec<(String, String)> {
        let report = json(&place.run(&["test", "--mutate", "--format", "json"]));
        assert_eq!(report["summary"]["failed"], 0, "{report:#}");
        let all = report["measures"][0]["mutants"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        all.iter().map(|it| (text(&it["status"]), text(&it["change"]))).collect()
    };
    let count =
        |all: &[(String, String)], wanted: &str| all.iter().filter(|(status, _)| status == wanted).count();
    let before = mutants(&place);
    assert!(count(&before, "survived") >= 8, "{before:#?}");
    let run = place.run(&["test", "--mutate", "--suggest", "more.test.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let after = mutants(&place);
    assert_eq!((count(&after, "survived"), count(&after, "undecided")), (0, 0), "{after:#?}");
    // Another default that is in the bounds.
    let equivalent = after.iter().filter(|(status, _)| status == "equivalent");
    let equivalent: Vec<&str> = equivalent.map(|(_, change)| change.as_str()).collect();
    assert_eq!(equivalent, ["`1` becomes `2`", "`1` becomes `0`"]);
}

#[test]
fn mutants_of_policies_that_change_nothing_are_equivalent() {
    let policy = REPLICA_POLICY
        .replace("variables.replicas <= 5 ||", "variables.replicas <= 5 || variables.replicas <= 5 ||");
    let suite = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [policy.yaml]\ncases:\n\
        - {name: one, user: {name: a}, object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 1}}, expect: accept}\n";
    let place = Place::with(&[("policy.yaml", &policy), ("policy.test.yaml", suite)]);
    let report = json(&place.run(&["test", "--mutate", "--format", "json"]));
    let mutants = report["measures"][0]["mutants"].as_array().unwrap();
    let dropped =
        mutants.iter().filter(|it| it["change"] == "the alternative `variables.replicas <= 5` is dropped");
    let statuses: Vec<_> = dropped.map(|it| it["status"].as_str().unwrap()).collect();
    assert!(!statuses.is_empty() && statuses.iter().all(|status| *status == "equivalent"), "{mutants:#?}");
}

#[test]
fn mutants_of_templates_are_decided() {
    let rules = r#"vm.kubevirt.io/validations: |
  [{"name": "cores", "rule": "integer", "message": "1 to 8 cores", "path": "jsonpath::.spec.domain.cpu.cores", "min": 1, "max": 8}]
"#;
    let suite = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [rules.yaml]\ncases:\n\
        - {name: four, object: {apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: a}, spec: {template: {spec: {domain: {cpu: {cores: 4}}}}}}, expect: accept}\n";
    let place = Place::with(&[("rules.yaml", rules), ("rules.test.yaml", suite)]);
    let report = json(&place.run(&["test", "--mutate", "--format", "json", "rules.test.yaml"]));
    let mutants = report["measures"][0]["mutants"].as_array().unwrap();
    // Without its only rule, none is about the machine.
    let of_status = |status: &str| mutants.iter().filter(|it| it["status"] == status).count();
    assert_eq!((of_status("killed"), of_status("survived"), mutants.len()), (1, 5, 6), "{mutants:#?}");
    place.run(&["test", "--mutate", "--suggest", "more.test.yaml", "rules.test.yaml"]);
    let report =
        json(&place.run(&["test", "--mutate", "--format", "json", "rules.test.yaml", "more.test.yaml"]));
    let mutants = report["measures"][0]["mutants"].as_array().unwrap();
    assert!(mutants.iter().all(|it| it["status"] == "killed"), "{mutants:#?}");
}

/// A policy of Kyverno about Pods, which is evaluated for controllers as well, and a test of it.
const POD_POLICY: &str = "\
apiVersion: policies.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: {name: limit}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}
  validations:
  - {expression: size(object.spec.containers) <= 2, message: at most 2 containers}
";
const POD_TEST: &str = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: limit}
policies: [policy.yaml]
resources: [pod.yaml]
results:
- {policy: limit, isValidatingPolicy: true, kind: Pod, resources: [two], result: pass}
";
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: two}\n\
                   spec: {containers: [{name: a, image: a}, {name: b, image: b}]}\n";

#[test]
fn the_coverage_of_a_rule_is_reported_once_for_all_its_forms() {
    let files = [("policy.yaml", POD_POLICY), ("kyverno-test.yaml", POD_TEST), ("pod.yaml", POD)];
    let run = Place::with(&files).run(&["test", "--coverage", "--mutate"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.out.matches("outcomes are not covered").count(), 1, "{}", run.out);
    assert!(run.out.contains("10 of 12 outcomes are not covered"), "{}", run.out);
    for form in ["for pods: no case violates it", "for daemonsets, deployments, ", "for cronjobs: no case "] {
        assert!(run.out.contains(form), "{form}: {}", run.out);
    }
    assert_eq!(run.out.matches("\nlimit/spec.validations[0] ").count(), 1, "{}", run.out);
    assert_eq!(run.out.matches("\nfor pods:\n").count(), 1, "{}", run.out);
}
