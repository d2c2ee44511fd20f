//! `kvrules verify`: proof, reports, the comparison with the deployed validator, and the exit status.

use serde_json::Value;

use crate::place::{GOOD, Place};

const MEMORY: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "memory", "rule": "integer", "message": "more memory",
    "path": "jsonpath::.spec.domain.memory.guest", "min": 1073741824
  }]
"#;

#[test]
fn claims_that_hold_are_0_and_counted_for_each_target() {
    let place = Place::with(&[("rules.yaml", GOOD), ("memory.yaml", MEMORY)]);
    let run = place.run(&["verify", "rules.yaml", "memory.yaml", "--target", "annotation,cel"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let rows: Vec<Vec<&str>> =
        run.out.lines().take(3).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["annotation", "2", "2", "0", "0", "0", "0"]);
    assert_eq!(rows[2], ["cel", "2", "1", "1", "0", "0", "0"]);
    assert!(run.out.contains("wider, as claimed"), "{}", run.out);
    assert!(run.err.contains("every claim holds"), "{}", run.err);
}

#[test]
fn the_report_for_programs_holds_an_object_for_each_departure() {
    let place = Place::with(&[("memory.yaml", MEMORY)]);
    let run = place.run(&["verify", "memory.yaml", "--target", "cel", "--output-format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &report["holds"]), (Some(0), &Value::from(true)));
    let rule = &report["targets"][0]["rules"][0];
    assert_eq!((&rule["claim"], &rule["finding"]), (&"wider".into(), &"as-claimed".into()));
    assert!(rule["detail"]["wider"].is_object());
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let place = Place::with(&[("rules.yaml", GOOD), ("memory.yaml", MEMORY)]);
    let run =
        |jobs| place.run(&["verify", "rules.yaml", "memory.yaml", "--target", "cel,openapi", "-j", jobs]).out;
    assert_eq!(run("1"), run("4"));
}

#[test]
fn against_the_deployed_validator_differences_are_named_and_1() {
    let place = Place::with(&[("memory.yaml", MEMORY)]);
    let run = place.run(&["verify", "--against", "ssp", "memory.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.contains("D1 unreadable-quantity"), "{}", run.out);
    let run = place.run(&["verify", "--against", "ssp", "memory.yaml", "--output-format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let differences = report["differences"].as_array().unwrap();
    assert!(
        differences
            .iter()
            .all(|difference| difference["named"].as_array().is_some_and(|named| !named.is_empty()))
    );
}

#[test]
fn where_nothing_can_be_verified_the_status_is_2() {
    let place = Place::with(&[("none.yaml", "a: 1\n"), ("rules.yaml", GOOD)]);
    let run = place.run(&["verify", "none.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(run.err.contains("no rules to verify"));
    assert_eq!(place.run(&["verify", "missing.yaml", "rules.yaml", "--target", "cel"]).code, Some(2));
    assert_eq!(place.run(&["verify", "rules.yaml", "--target", "markdown"]).code, Some(2));
}

#[test]
fn what_holds_is_compiled_with_verify() {
    let place = Place::with(&[("rules.yaml", GOOD)]);
    let run =
        place.run(&["compile", "rules.yaml", "--target", "cel,annotation", "--out-dir", "out", "--verify"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(place.files("out").iter().filter(|name| name.contains("rules.")).count(), 2);
}

#[test]
fn rules_in_text_and_templates_are_compared_with_the_deployed_validator() {
    let text = format!("# Memory\n\n```yaml\n{MEMORY}```\n");
    let template = format!("{{{{- if .Values.rules }}}}\n{MEMORY}{{{{- end }}}}\n");
    let place = Place::with(&[("memory.md", &text), ("memory.yaml", &template)]);
    for name in ["memory.md", "memory.yaml"] {
        let run = place.run(&["verify", "--against", "ssp", name]);
        assert_eq!(run.code, Some(1), "{name}: {}", run.err);
        assert!(run.out.contains("D1 unreadable-quantity"), "{name}: {}", run.out);
    }
}
