//! Rules in the manner of well-known projects: right ones have no finding, and wrong ones have theirs.
#![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

mod support;

use kvrules_diagnostics::Level;
use serde_json::{Value, json};

const FILES: [&str; 5] = [
    include_str!("project_rules/certificates.yaml"),
    include_str!("project_rules/claims.yaml"),
    include_str!("project_rules/clusters.yaml"),
    include_str!("project_rules/rollouts.yaml"),
    include_str!("project_rules/services.yaml"),
];

/// The codes of the findings for a rule of the values of a schema.
fn codes(schema: &Value, rule: &str) -> Vec<String> {
    let mut node = schema.clone();
    node["x-kubernetes-validations"] = json!([{ "rule": rule }]);
    let found = support::findings_about_objects(&json!({"type": "object", "properties": {"spec": node}}));
    // At the level info is that a keyword says the same.
    found.iter().filter(|it| it.level != Level::Info).map(|it| it.code.to_string()).collect()
}

#[test]
fn right_rules_have_no_finding_and_wrong_ones_have_theirs() {
    let (mut right, mut wrong) = (0, 0);
    for text in FILES {
        let file: Value = serde_yaml::from_str(text).unwrap();
        for rule in file["right"].as_array().unwrap() {
            let rule = rule.as_str().unwrap();
            assert_eq!(codes(&file["schema"], rule), Vec::<String>::new(), "{rule}");
            right += 1;
        }
        for (code, rule) in file["wrong"].as_array().unwrap().iter().flat_map(|it| it.as_object().unwrap()) {
            let rule = rule.as_str().unwrap();
            assert_eq!(codes(&file["schema"], rule), [code.as_str()], "{rule}");
            wrong += 1;
        }
    }
    assert_eq!((right, wrong), (34, 26));
}
