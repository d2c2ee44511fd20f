//! Rules of real definitions become RuleSets and definitions again, and are proved equal.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a test may stop at the first surprise")]

use kvrules::import::{ImportedForm, import_definition_rules};
use serde_json::Value;

#[test]
fn explore() {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    let mut seen = std::collections::BTreeSet::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    for dir in ["kubernetes/crds", "kubernetes/crds-2"] {
        for path in kvrules_testdata::list_files(dir, "yaml").unwrap() {
            if !path.to_str().unwrap().contains(&only) { continue; }
            let definition: Value = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let start = std::time::Instant::now();
            let sets = import_definition_rules(&definition, None);
            let took = start.elapsed();
            for set in &sets {
                let version: Vec<_> = definition["spec"]["versions"].as_array().unwrap().iter().collect();
                for rule in &set.rules {
                    let kind = match &rule.form { ImportedForm::Words => "words".to_owned(), ImportedForm::Cel(why) => format!("cel: {why}"), ImportedForm::LeftOut(why) => format!("left out: {why}") };
                    let text = version.iter().find_map(|v| find(&v["schema"]["openAPIV3Schema"], &rule.source)).unwrap_or_default();
                    if !seen.insert((text.clone(), rule.source.clone())) { continue; }
                    *counts.entry(kind.clone()).or_default() += 1;
                    if rule.form != ImportedForm::Words { println!("- {} {} {kind}\n    {text}", set.name, rule.source); }
                }
                if !only.is_empty() { println!("{}", kvrules::import::to_yaml(&set.document)); }
            }
            println!("# {} {:?}", path.file_name().unwrap().to_str().unwrap(), took);
        }
    }
    println!("{counts:#?}");
}

fn find(schema: &Value, source: &str) -> Option<String> {
    let (place, index) = source.rsplit_once("x-kubernetes-validations[").unwrap();
    let mut node = schema;
    for part in place.trim_end_matches('.').replace("[*]", ".*").split('.').filter(|it| !it.is_empty()) {
        node = if part == "*" { node.get("items").or(node.get("additionalProperties"))? } else { node.get("properties")?.get(part)? };
    }
    let index: usize = index.trim_end_matches(']').parse().unwrap();
    Some(node["x-kubernetes-validations"].get(index)?["rule"].as_str()?.split_whitespace().collect::<Vec<_>>().join(" "))
}
