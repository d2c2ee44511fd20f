//! Against what a real server answered, and what it would refuse to store.

use kvrules_apiserver::policy::acceptance::{review_binding, review_policy};
use kvrules_ir::Severity;
use serde_json::Value;

use super::cases::cases;
use super::made::of_predicate;
use super::rules::{MORE, WINDOWS, read};
use super::validators::{Validators, documents, emit};

#[test]
fn the_server_takes_every_policy_and_binding() {
    let made = cases().into_iter().map(|(name, predicate)| of_predicate(name, Severity::Error, predicate));
    let sets: Vec<_> = made.chain([read(WINDOWS, &["windows"]), read(MORE, &["more"])]).collect();
    let (mut policies, mut bindings) = (0, 0);
    for file in emit(&sets).files {
        for document in documents(&file.text) {
            let is_policy = document["kind"] == "ValidatingAdmissionPolicy";
            let refusals = if is_policy { review_policy(&document) } else { review_binding(&document) };
            assert!(refusals.is_empty(), "{refusals:?}\n{}", file.text);
            *(if is_policy { &mut policies } else { &mut bindings }) += 1;
        }
    }
    println!("{policies} policies and {bindings} bindings are taken");
    assert!(policies > 60 && policies == bindings);
}

/// Returns the answers for a machine with this domain: the denial, and the warnings.
fn reported(domain: &str) -> String {
    let emission = emit(&[read(MORE, &["more"])]);
    let domain: Value = serde_json::from_str(domain).unwrap();
    let machine = serde_json::json!({
        "metadata": {"labels": {"vm.kubevirt.io/template": "more"}},
        "spec": {"template": {"spec": {"domain": domain, "hostname": "abc"}}},
    });
    let answer = Validators::of(&emission.files[0].text).answer(&machine);
    let after = |text: &str, words: &str| text.split_once(words).unwrap().1.to_owned();
    let denial = answer.denial.map(|denial| after(&denial.cause, "denied request: "));
    let warnings = answer.warnings.iter().map(|text| after(text, "'more.warnings': "));
    denial.into_iter().chain(warnings).collect::<Vec<_>>().join(" | ")
}

#[test]
fn answers_name_the_value_and_the_limit() {
    let reported = |fields: &str| {
        let quiet = r#""inputs": [{"bus": "usb"}], "disks": [{"name": "a", "bootOrder": 1}]"#;
        let domain = fields.replace("QUIET", quiet);
        reported(&domain)
    };
    let answers = [
        r#"{"devices": {QUIET}, "cpu": {"cores": 1}}"#,
        r#"{"devices": {QUIET}}"#,
        r#"{"devices": {QUIET}, "cpu": {"cores": 2}, "machine": {"type": "pc"}}"#,
        r#"{"devices": {QUIET}, "cpu": {"cores": 2}, "machine": {}}"#,
        r#"{"devices": {QUIET}, "cpu": {"cores": 2}, "resources": {"requests": {"memory": 2147483648}}}"#,
        r#"{"devices": {QUIET}, "cpu": {"cores": 2}, "resources": {"requests": {"memory": "1025Mi"}}}"#,
        r#"{"devices": {"inputs": [{"bus": "ps2"}, {}], "disks": [{"name": "a", "bootOrder": 7}, {"name": "b"}]}, "cpu": {"cores": 2}}"#,
        r#"{"devices": {}, "cpu": {"cores": 2}}"#,
        r#"{"devices": {QUIET}, "cpu": {"cores": 2}}"#,
    ];
    insta::assert_snapshot!(
        "answers",
        answers.map(|domain| format!("{domain}\n  {}", reported(domain))).join("\n")
    );
}

#[test]
fn machines_get_the_answers_that_a_server_gave_to_a_policy_made_by_hand() {
    let Some(results) = kvrules_testdata::read_value("kubernetes/vap-example/results.json") else { return };
    let set = read(WINDOWS, &["windows10-desktop-medium"]);
    let validators = Validators::of(&emit(&[set]).files[0].text);
    let (mut agreed, mut before) = (0, 0);
    let machines = results["vms"].as_array().unwrap();
    for recorded in machines {
        let server = &recorded["server"];
        // Policies are not evaluated for an object that the schema rejects.
        if server["message"].as_str().is_some_and(|message| message.contains("is invalid: ")) {
            before += 1;
            continue;
        }
        let mut machine = recorded["vm"].clone();
        prune(&mut machine);
        let answer = validators.answer(&machine);
        let code = answer.denial.map_or(201, |denial| denial.code);
        let warnings = server["warnings"].as_array().unwrap().len();
        assert_eq!(
            (code.into(), answer.warnings.len()),
            (server["code"].as_u64().unwrap(), warnings),
            "{recorded}"
        );
        agreed += 1;
    }
    println!(
        "{agreed} of {agreed} machines get the recorded answer; {before} more are refused by the schema"
    );
    assert_eq!(agreed + before, machines.len());
    assert!(agreed > 30);
}

/// Nulls are taken away before any policy is asked.
fn prune(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(prune);
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}
