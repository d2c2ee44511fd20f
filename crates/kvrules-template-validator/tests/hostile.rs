//! Input that means harm: no stack overflows, and no more work than the input is worth, counted in bytes that are allocated.

#![expect(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

#[path = "../../../tests/src/allocations.rs"]
mod allocations;

use std::fmt::Write;

use kvrules_template_validator::{ValidatorAnswer, evaluate_annotation};

const MACHINE: &str = r#"{"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 2}}}}}}"#;

/// The bytes that any input may take, and those for each of its own.
const ALLOWED: (u64, u64) = (256 << 20, 200);

fn bounded(annotation: &str, machine: &str) -> ValidatorAnswer {
    let (answer, bytes) = allocations::allocated_by(|| evaluate_annotation(annotation, machine));
    let length = u64::try_from(annotation.len() + machine.len()).unwrap();
    assert!(bytes < ALLOWED.0 + ALLOWED.1 * length, "{bytes} bytes for {length}");
    answer
}

fn with_path(path: &str) -> ValidatorAnswer {
    let rule = serde_json::json!([{"name": "r", "message": "m", "rule": "enum", "path": path}]);
    bounded(&rule.to_string(), MACHINE)
}

fn error(answer: ValidatorAnswer) -> String {
    answer.status.unwrap().remove(0).error.unwrap()
}

#[test]
fn deep_nesting_is_refused_or_skipped() {
    let deep = format!("{}{}", "[".repeat(9_000), "]".repeat(9_000));
    assert!(bounded(&deep, MACHINE).parse_error.is_some());
    let machine =
        format!(r#"{{"unknown": {deep}, "spec": {{"template": {{"metadata": {{"x": {deep}}}}}}}}}"#);
    assert!(bounded("[]", &machine).is_allowed());
    let unclosed = "[".repeat(1_000_000);
    assert_eq!(bounded(&unclosed, MACHINE).parse_error.unwrap(), "invalid character '[' exceeded max depth");
    let objects = r#"{"a":"#.repeat(1_000_000);
    assert_eq!(bounded("[]", &objects).vm_error.unwrap(), "invalid character '{' exceeded max depth");
}

#[test]
fn a_path_that_multiplies_what_it_finds_is_stopped() {
    let all = |name: &str| format!("[{}]", vec![format!("'{name}'"); 100].join(","));
    let path = format!("jsonpath::{}{}{}.*", all("spec"), all("domain"), all("devices"));
    assert_eq!(error(with_path(&path)), "the path asks for too much work");
    let descents = format!("jsonpath::{}", "..['spec','spec','spec']".repeat(30));
    assert!(!error(with_path(&descents)).is_empty());
}

#[test]
fn loops_within_loops_are_stopped() {
    let path = format!("jsonpath::{}", "}{range".repeat(3_000));
    assert_eq!(error(with_path(&path)), "the path asks for too much work");
}

#[test]
fn many_keys_rules_and_names_take_no_more_than_their_share() {
    let mut labels = String::new();
    for at in 0..200_000 {
        write!(labels, r#""k{at}": "v","#).unwrap();
    }
    let machine =
        format!(r#"{{"spec": {{"template": {{"metadata": {{"labels": {{{labels}"z": "v"}}}}}}}}}}"#);
    let rule =
        r#"{"name":"NAME","message":"m","rule":"enum","path":"jsonpath::.metadata.labels.z","values":["v"]}"#;
    let rules: Vec<String> = (0..20_000).map(|at| rule.replace("NAME", &at.to_string())).collect();
    assert!(bounded(&format!("[{}]", rules.join(",")), &machine).is_allowed());
    let long = format!(r#"[{{"{}": 1}}]"#, "ſ".repeat(500_000));
    assert_eq!(error(bounded(&long, MACHINE)), "unrecognized Rule type");
}

#[test]
fn a_quantity_of_any_length_is_only_read() {
    let digits = "9".repeat(300_000);
    for guest in [digits.clone(), format!("1e-{digits}"), format!("0.{digits}Gi"), "1e2147483647".to_owned()]
    {
        let machine =
            serde_json::json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": guest}}}}}});
        let rules = r#"[{"message":"m","rule":"integer","path":"jsonpath::.spec.domain.memory.guest"}]"#;
        let answer = bounded(rules, &machine.to_string());
        assert!(answer.vm_error.is_some() || error(answer).starts_with("mismatching type"));
    }
}
