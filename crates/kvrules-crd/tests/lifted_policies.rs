//! The expressions of recorded policies, lifted and confirmed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_crd::{RunResources, policy_subjects};
use kvrules_lift::{OpaqueKind, PolicyLifter};
use serde_json::Value as Json;

/// The ValidatingAdmissionPolicies in the recorded suites and cases, each once.
fn recorded_policies() -> Vec<Json> {
    let mut found: BTreeMap<String, Json> = BTreeMap::new();
    let mut keep = |document: Json| {
        if document.get("kind").and_then(Json::as_str) == Some("ValidatingAdmissionPolicy") {
            found.insert(document.get("spec").unwrap_or(&Json::Null).to_string(), document);
        }
    };
    for row in kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl").unwrap_or_default() {
        let is_accepted = row.pointer("/expect/accepted") != Some(&Json::Bool(false));
        for name in ["doc", "policy"] {
            row.get(name).cloned().filter(|_| is_accepted).into_iter().for_each(&mut keep);
        }
    }
    let mut files = Vec::new();
    if let Some(folder) = kvrules_testdata::find_path("suites") {
        collect(&folder, &mut files);
    }
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let documents = serde_yaml::Deserializer::from_str(&text);
        documents.map_while(|document| serde::Deserialize::deserialize(document).ok()).for_each(&mut keep);
    }
    found.into_values().collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
}

#[test]
fn expressions_of_recorded_policies_are_lifted() {
    let policies = recorded_policies();
    if policies.is_empty() {
        return;
    }
    let (mut without_kinds, mut successes, mut requests, mut both) = (0, 0, 0, 0);
    let mut seen = BTreeSet::new();
    let mut opaque: BTreeMap<OpaqueKind, Vec<String>> = BTreeMap::new();
    for document in &policies {
        let subjects = policy_subjects(document, &RunResources::default());
        without_kinds += usize::from(subjects.is_empty());
        let policy = Policy::from_json(document);
        for subject in &subjects {
            let lifter = PolicyLifter::new(document, &policy, subject);
            for expression in policy.truth_expressions() {
                let text = policy
                    .expression_source(expression)
                    .map_or_else(String::new, |source| source.text.clone());
                if !seen.insert((subject.kind.clone(), text.clone())) {
                    continue;
                }
                match lifter.lift_expression(expression, 100) {
                    Ok(it) => {
                        successes += 1;
                        requests += it.confirmation.objects;
                        let others = it.confirmation.rejected + it.confirmation.errors;
                        both += usize::from(it.confirmation.accepted > 0 && others > 0);
                    }
                    Err(it) => opaque.entry(it.kind).or_default().push(text),
                }
            }
        }
    }
    let count: usize = opaque.values().map(Vec::len).sum();
    println!(
        "{} policies, {without_kinds} of unknown kinds; {successes} of {} expressions lifted, on {requests} requests, {both} with both \
         verdicts",
        policies.len(),
        successes + count
    );
    for (kind, texts) in &opaque {
        println!("  {} opaque: {kind}", texts.len());
        texts.iter().take(12).for_each(|text| println!("      {}", text.replace('\n', " ")));
    }
    assert!(!opaque.contains_key(&OpaqueKind::Contradicted));
    // Parameters of kubescape's policies are of a kind whose definition is not in the recorded data.
    let of_params = OpaqueKind::Construct("parameters of a kind that is not known");
    let of_params = opaque.get(&of_params).map_or(0, Vec::len);
    assert!(successes * 100 >= (successes + count - of_params) * 95);
    assert!(both * 100 >= successes * 40, "{both}");
}

#[test]
fn requests_have_lists_with_several_items_of_different_keys() {
    let cases = [
        (
            "",
            "services",
            "has(object.spec.ports) && object.spec.ports.all(p, p.port > 80)",
            "/object/spec/ports",
        ),
        ("", "pods", "object.spec.containers.all(c, c.image != 'a')", "/object/spec/containers"),
        ("", "pods", "object.spec.containers.all(c, c.name != 'a')", "/object/spec/containers"),
    ];
    for (group, resource, expression, list) in cases {
        let rule = serde_json::json!({"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]});
        let document = serde_json::json!({"spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": expression}]}});
        let subjects = policy_subjects(&document, &RunResources::default());
        let policy = Policy::from_json(&document);
        let lifter = PolicyLifter::new(&document, &policy, &subjects[0]);
        let (_, formulas) = lifter.lift_unconfirmed(PolicyExpression::Validation(0)).unwrap();
        let made: Vec<_> = lifter.generate_requests(&formulas).take(200).collect();
        let accepted: Vec<_> = made.iter().flatten().collect();
        let has_several =
            |value: &Json| value.pointer(list).and_then(Json::as_array).is_some_and(|items| items.len() > 1);
        let several = accepted.iter().filter(|(value, ..)| has_several(value)).count();
        println!("{expression}: {} requests of 200, {several} with several items", accepted.len());
        assert!(several > 20, "{expression}: {several} of {}", accepted.len());
    }
}
