//! Compares the predicted answers to objects with the recorded answers of a real server.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;

use kvrules_diff::schema::{SchemaEvaluator, Version};
use serde_json::Value;

#[test]
fn objects_are_taken_and_refused_as_a_real_server_does() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let mut families: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut different = Vec::new();
    for case in cases {
        let Some(expected) = case["expect"]["objects"].as_array() else { continue };
        let versions = case["crd"]["spec"]["versions"].as_array().unwrap();
        let family = case["family"].as_str().unwrap().to_owned();
        for (input, expect) in case["objects"].as_array().unwrap().iter().zip(expected) {
            let api = input["object"]["apiVersion"].as_str().unwrap_or_default();
            let of = |version: &&Value| api.ends_with(&format!("/{}", version["name"].as_str().unwrap()));
            let Some(version) = versions.iter().find(of) else { continue };
            let has_status = version["subresources"]["status"].is_object();
            let judge =
                SchemaEvaluator::new(Version { schema: &version["schema"]["openAPIV3Schema"], has_status });
            let verdict = match input.get("oldObject") {
                Some(old) => judge.evaluate_update(&input["object"], old),
                None => judge.evaluate_create(&input["object"]),
            };
            let name = format!("{} {}", case["id"].as_str().unwrap(), input["name"].as_str().unwrap());
            // The recorded answers are those of a server that drops unknown fields.
            let refused = verdict.refusals.iter().any(|refusal| refusal.by != "unknown field");
            let tally = families.entry(family.clone()).or_default();
            tally[1] += 1;
            if refused == expect["valid"].as_bool().unwrap() {
                different.push(format!("{name}: ours {:?}, server {}", verdict.refusals, expect["errors"]));
            } else {
                tally[0] += 1;
            }
        }
    }
    let sum = |at: usize| families.values().map(|tally| tally[at]).sum::<usize>();
    for (family, [agreed, total]) in &families {
        println!("{family:16} {agreed}/{total}");
    }
    println!("together {}/{}", sum(0), sum(1));
    for line in &different {
        println!("{line}");
    }
    assert!(different.is_empty(), "{} differ", different.len());
}
