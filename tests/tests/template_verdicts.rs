//! The machines of the released bundles, evaluated as the deployed validator does: every verdict is the one that was
//! recorded from the validator itself, and where the meaning of a rule differs, the difference has a name.

use std::collections::BTreeMap;

use kvrules_tests::template_bundles;
use serde_json::{Map, Value, json};

/// A template as it was processed for the recording: a parameter's value where it has one, else the text
/// `placeholder`.
fn processed(text: &str) -> Value {
    let mut template: Value = serde_yaml::from_str(text).expect("a template is YAML");
    let given = template["parameters"].as_array().cloned().unwrap_or_default();
    let pairs = given.iter().filter_map(|given| {
        let value = given["value"].as_str().filter(|value| !value.is_empty()).unwrap_or("placeholder");
        Some((given["name"].as_str()?.to_owned(), value.to_owned()))
    });
    fill(&mut template["objects"], &pairs.collect());
    template
}

fn fill(value: &mut Value, parameters: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            for (name, value) in parameters {
                *text = text.replace(&format!("${{{name}}}"), value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, parameters)),
        Value::Object(members) => members.values_mut().for_each(|member| fill(member, parameters)),
        _ => {}
    }
}

/// The annotation and the machine of a template.
fn machine(template: &Value) -> (String, String) {
    let objects = template["objects"].as_array().expect("a template has objects");
    let machine =
        objects.iter().find(|object| object["kind"] == "VirtualMachine").expect("a template has a machine");
    let annotation =
        machine["metadata"]["annotations"]["vm.kubevirt.io/validations"].as_str().unwrap_or_default();
    (annotation.to_owned(), machine.to_string())
}

/// The emulator's answer as verdicts were recorded.
fn recorded(name: &Value, annotation: &str, machine: &str) -> Value {
    let answer = kvrules_template_validator::evaluate_annotation(annotation, machine);
    let outcome = |status: &kvrules_template_validator::RuleStatus| match &status.error {
        Some(_) => "error",
        None if status.skipped => "skipped",
        None if status.satisfied => "satisfied",
        None => "unsatisfied",
    };
    let statuses = answer.status.as_deref().unwrap_or_default();
    let rules: Map<_, _> =
        statuses.iter().map(|status| (status.name.clone(), json!(outcome(status)))).collect();
    let verdict = if answer.is_allowed() { "pass" } else { "fail" };
    let mut reported = json!({"template": name, "verdict": verdict, "rules": rules});
    if !answer.is_allowed() {
        reported["causes"] = serde_json::to_value(&answer.causes).expect("causes are written as JSON");
    }
    reported
}

#[test]
fn every_template_has_the_recorded_verdict() {
    let (mut agreed, mut total, mut named) = (0, 0, BTreeMap::<&str, usize>::new());
    for (name, text) in template_bundles() {
        let facts = format!("kubevirt/templates/{}", name.replace(".yaml", ".facts.json"));
        let facts = kvrules_testdata::read_value(&facts).expect("facts lie beside a bundle");
        let expected = facts["perTemplate"].as_array().expect("facts tell each template");
        let templates: Vec<_> =
            text.split("\n---\n").filter(|part| part.contains("kind: Template")).collect();
        assert_eq!(templates.len(), expected.len(), "{name}");
        let mut differing = Vec::new();
        for text in templates {
            let template = processed(text);
            let (annotation, machine) = machine(&template);
            let reported = recorded(&template["metadata"]["name"], &annotation, &machine);
            let facts = expected.iter().find(|facts| facts["template"] == reported["template"]);
            total += 1;
            match facts {
                Some(facts) if *facts == reported => agreed += 1,
                facts => differing.push(format!("recorded {facts:?}, we say {reported}")),
            }
            let comparison =
                kvrules_template_validator::divergence::compare_annotation(&annotation, &machine)
                    .expect("a machine is JSON");
            for rule in &comparison.rules {
                assert_eq!(
                    rule.agree,
                    rule.named.is_empty(),
                    "{name} {}: {:?}",
                    reported["template"],
                    rule.named
                );
                rule.named.iter().for_each(|id| *named.entry(id).or_default() += 1);
            }
        }
        assert!(differing.is_empty(), "{name}: {differing:#?}");
    }
    println!(
        "templates: {agreed}/{total} verdicts as recorded; rules that differ from their meaning: {named:?}"
    );
}
