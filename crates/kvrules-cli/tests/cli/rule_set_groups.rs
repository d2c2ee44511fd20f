//! Rules of real definitions, rewritten as RuleSets: proved equal, and they cost no more.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use std::path::Path;

use serde_json::{Value, json};

use crate::place::Place;

/// The schema at a place such as `spec.ports[*].name`.
fn node_at<'s>(schema: &'s mut Value, place: &str) -> &'s mut Value {
    let steps = place.replace("[*]", ".[*]");
    steps.split('.').filter(|step| !step.is_empty()).fold(schema, |node, step| match step {
        "[*]" if node.get("items").is_some() => &mut node["items"],
        "[*]" => &mut node["additionalProperties"],
        name => &mut node["properties"][name],
    })
}

fn remove_rules(node: &mut Value) {
    let Some(fields) = node.as_object_mut() else { return };
    if fields.get("x-kubernetes-validations").is_some_and(Value::is_array) {
        fields.shift_remove("x-kubernetes-validations");
    }
    for below in ["items", "additionalProperties"] {
        fields.get_mut(below).into_iter().for_each(remove_rules);
    }
    let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(|properties| properties.values_mut()).for_each(remove_rules);
}

fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first version of a definition with the rules of a group alone, and without any.
fn definitions(group: &Value, path: &Path) -> (Value, Value) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut bare: Value = serde_yaml::from_str(&text).unwrap();
    let mut version = bare["spec"]["versions"][0].clone();
    version["storage"] = true.into();
    version["served"] = true.into();
    bare["spec"]["versions"] = json!([version]);
    bare.as_object_mut().unwrap().shift_remove("status");
    let schema = &mut bare["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let place = group["place"].as_str().unwrap();
    let known: Vec<_> = node_at(schema, place)["x-kubernetes-validations"].as_array().unwrap().clone();
    remove_rules(schema);
    let mut with_rules = bare.clone();
    let rules = group["rules"].as_array().unwrap().iter().map(|rule| {
        let is_known =
            |it: &&Value| words_of(it["rule"].as_str().unwrap()) == words_of(rule.as_str().unwrap());
        assert!(known.iter().any(|it| is_known(&it)), "{place}: {rule}");
        json!({ "rule": rule })
    });
    let listed: Vec<_> = rules.collect();
    let schema = &mut with_rules["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    node_at(schema, place)["x-kubernetes-validations"] = listed.into();
    (with_rules, bare)
}

fn rule_set(group: &Value) -> Value {
    let named = |(index, words): (usize, &Value)| {
        let mut rule = words.clone();
        rule["name"] = format!("rule-{index}").into();
        rule
    };
    let rules: Vec<_> = group["words"].as_array().unwrap().iter().enumerate().map(named).collect();
    json!({"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "group"},
        "spec": {"subject": {"schema": "bare.json"}, "rules": rules}})
}

/// The number of lines and of characters, as an author writes it.
fn size_of(values: &[Value], write: impl Fn(&Value) -> String) -> (usize, usize) {
    (values.len(), values.iter().map(|value| write(value).chars().count()).sum())
}

/// The cost of the rules of a definition, in total.
fn cost_of(place: &Place, file: &str) -> u64 {
    let run = place.run(&["cost", file, "--output-format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    report["files"][0]["definitions"][0]["versions"][0]["total"].as_u64().unwrap()
}

#[test]
fn rule_sets_say_the_same_as_rules_of_real_definitions() {
    let groups = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rule-sets/groups.yaml");
    let groups: Value = serde_yaml::from_str(&std::fs::read_to_string(groups).unwrap()).unwrap();
    let mut compared = 0;
    for group in groups.as_array().unwrap() {
        let name = group["definition"].as_str().unwrap();
        let Some(path) = kvrules_testdata::find_path(&format!("kubernetes/crds-2/{name}.yaml")) else {
            return;
        };
        let (ruled, bare) = definitions(group, &path);
        let set = rule_set(group).to_string();
        let files = [("old.json", ruled.to_string()), ("bare.json", bare.to_string()), ("group.yaml", set)];
        let place = Place::with(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
        let run = place.run(&[
            "compile",
            "group.yaml",
            "--target",
            "crd",
            "--out-dir",
            "build",
            "--loss",
            "error",
            "--verify",
        ]);
        assert_eq!(run.code, Some(0), "{name}: {run:?}");
        let run = place.run(&["diff", "old.json", "build/crd/group.yaml", "--output-format", "json"]);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        for change in
            report["pairs"].as_array().unwrap().iter().flat_map(|pair| pair["changes"].as_array().unwrap())
        {
            let direction = change["direction"].as_str().unwrap();
            assert!(["equal", "message-only"].contains(&direction), "{name}: {change}");
            assert_eq!(change["proved"], true, "{name}: {change}");
        }
        let (before, after) = (cost_of(&place, "old.json"), cost_of(&place, "build/crd/group.yaml"));
        assert!(after <= before, "{name}: {before} → {after}");
        // In one line, as YAML without quotation marks where none are needed.
        let written = |rule: &Value| rule.to_string().replace('"', "").replace(':', ": ").replace(',', ", ");
        let (old_lines, old) =
            size_of(group["rules"].as_array().unwrap(), |rule| rule.as_str().unwrap().to_owned());
        let (lines, new) = size_of(group["words"].as_array().unwrap(), written);
        println!(
            "{name} {}: {old_lines} rules of {old} characters → {lines} of {new}; cost {before} → {after}",
            group["place"]
        );
        compared += 1;
    }
    println!("{compared} groups of rules proved equal");
    assert!(compared >= 20, "{compared} groups");
}
