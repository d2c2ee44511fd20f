//! `check --old`: what changes is asked for more than what stays.

use serde_json::Value;

use crate::place::Place;

/// A definition whose schema servers reject in a new definition and let stay in an old one.
const POND: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, kind: Pond}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          depth: {type: text}
";

/// A policy whose match condition does not compile, which servers let stay.
const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ponds}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [ponds]}
  matchConditions:
  - {name: small, expression: nope}
  validations:
  - {expression: 'object.depth < 9'}
";

fn check(old: &str, new: &str) -> crate::place::Run {
    Place::with(&[("old.yaml", old), ("new.yaml", new)]).run(&["check", "--old", "old.yaml", "new.yaml"])
}

#[test]
fn what_servers_let_stay_is_accepted_because_it_has_not_changed() {
    let place = Place::with(&[("pond.yaml", POND), ("policy.yaml", POLICY)]);
    assert_eq!(place.run(&["check", "pond.yaml"]).code, Some(1));
    assert_eq!(place.run(&["check", "policy.yaml"]).code, Some(1));
    for text in [POND, POLICY] {
        let run = check(text, text);
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    }
    let described = POND.replace("{type: text}", "{type: text, description: meters}");
    assert_eq!(check(POND, &described).code, Some(0));
    let ignoring = POLICY.replace("spec:", "spec:\n  failurePolicy: Ignore");
    assert_eq!(check(POLICY, &ignoring).code, Some(0));
}

#[test]
fn what_has_changed_and_may_not_is_refused() {
    for (from, to, found) in [
        ("kind: Pond", "kind: Lake", "new.yaml:7:32: error[KC103]"),
        ("Namespaced", "Cluster", "new.yaml:6:10: error[KC103]"),
        ("name: v1", "name: v2", "error[KC103]"),
    ] {
        let run = check(POND, &POND.replace(from, to));
        assert_eq!(run.code, Some(1), "{run:?}");
        let place = Place::with(&[("old.yaml", POND), ("new.yaml", &POND.replace(from, to))]);
        let run = place.run(&["check", "--output-format", "concise", "--old", "old.yaml", "new.yaml"]);
        assert!(run.out.contains(found), "{run:?}");
    }
    for changed in [
        POLICY.replace("name: small", "name: tiny"),
        POLICY.replace("spec:", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}"),
    ] {
        let run = check(POLICY, &changed);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains("undeclared reference") || run.out.contains("nope"), "{run:?}");
    }
}

#[test]
fn a_file_of_old_that_holds_nothing_of_the_kind_is_an_error() {
    let place = Place::with(&[("new.yaml", POND), ("service.yaml", "kind: Service\n"), ("empty.yaml", "")]);
    for file in ["service.yaml", "empty.yaml"] {
        let run = place.run(&["check", "--old", file, "new.yaml"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        let message = format!("error: {file}: no definition, policy or binding in the file of `--old`");
        assert!(run.err.starts_with(&message), "{run:?}");
    }
    let run = place.run(&["check", "--old", "absent.yaml", "new.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("absent.yaml"), "{run:?}");
}

#[test]
fn files_with_nothing_in_common_are_told_and_checked_as_new() {
    for old in [POND.replace("ponds", "lakes"), POLICY.to_owned()] {
        let run = check(&old, POND);
        assert_eq!(run.code, Some(1), "{run:?}");
        let warning = "warning: no input is an update of an object in `--old`: all are checked as new\n";
        assert!(run.err.starts_with(warning), "{run:?}");
    }
    // A binding may have the name of its policy.
    let binding = POLICY.replace("AdmissionPolicy\n", "AdmissionPolicyBinding\n");
    assert!(check(&binding, POLICY).err.starts_with("warning: no input is an update"));
    assert!(!check(POND, POND).err.contains("warning"));
}

#[test]
fn each_of_several_definitions_is_an_update_of_its_own() {
    let lake = POND.replace("ponds", "lakes").replace("Pond", "Lake");
    let old = format!("{lake}---\n{POND}");
    let new = format!("{POND}---\n{}", lake.replace("Namespaced", "Cluster"));
    let run = check(&old, &new);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(run.out.matches("error[").count(), 1, "{run:?}");
    // Also from several files; a definition that is in none is a new one.
    let place =
        Place::with(&[("a.yaml", POND), ("b.yaml", &lake), ("new.yaml", &format!("{POND}---\n{lake}"))]);
    assert_eq!(place.run(&["check", "--old", "a.yaml", "--old", "b.yaml", "new.yaml"]).code, Some(0));
    assert_eq!(place.run(&["check", "--old", "a.yaml", "new.yaml"]).code, Some(1));
}

#[test]
fn programs_get_the_code_and_the_field_of_the_server() {
    let changed = POND.replace("Namespaced", "Cluster").replace("name: v1", "name: v2");
    let place = Place::with(&[("old.yaml", POND), ("new.yaml", &changed)]);
    let run = place.run(&["check", "--output-format", "json", "--old", "old.yaml", "new.yaml"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let text = report.to_string();
    let findings: Vec<(&Value, &Value)> = findings(&report)
        .into_iter()
        .filter(|finding| finding["code"] == "KC103")
        .map(|finding| (&finding["field"], &finding["name"]))
        .collect();
    let fields: Vec<&str> = findings.iter().filter_map(|(field, _)| field.as_str()).collect();
    assert_eq!(fields, ["spec.scope", "status.storedVersions[0]"], "{text}");
    assert!(findings.iter().all(|(_, name)| *name == "kubernetes_update"), "{text}");
}

/// The findings of a report.
fn findings(report: &Value) -> Vec<&Value> {
    let list = report.as_array().or_else(|| report["findings"].as_array());
    list.or_else(|| report["diagnostics"].as_array()).into_iter().flatten().collect()
}
