//! The schemas that kvrules writes itself: none of them has a finding.

use kvrules::{FileId, Request, SourceFile};
use kvrules_syntax::parse_stream;
use kvrules_tests::template_bundles;

/// The findings in a schema, and the number of its schemas.
fn check_text(text: &str) -> (usize, Vec<String>) {
    let stream = parse_stream(FileId(0), text);
    let checked: Vec<_> = stream.documents.iter().map(kvrules_json_schema::check_schemas).collect();
    let line = |found: kvrules::Diagnostic| format!("{} {}", found.code, found.message);
    let schemas = checked.iter().map(|checked| checked.schemas).sum();
    (schemas, checked.into_iter().flat_map(|checked| checked.findings).map(line).collect())
}

#[test]
fn schemas_of_rules_have_no_findings() {
    let (mut files, mut schemas) = (0, 0);
    for (name, text) in template_bundles() {
        let reading = kvrules::read_rules(&SourceFile::new(FileId(0), name.as_str(), text));
        let sets = kvrules::merge_rule_sets(reading.sets);
        let targets: Vec<_> = kvrules::all_targets()
            .iter()
            .copied()
            .filter(|target| matches!(target.name, "json-schema" | "openapi"))
            .collect();
        assert_eq!(targets.len(), 2);
        let outputs = kvrules::compile_targets(&targets, &Request::for_virtual_machines(&sets)).unwrap();
        for file in outputs.iter().flat_map(|output| &output.emission.files) {
            let (count, findings) = check_text(&file.text);
            assert!(count > 0 && findings.is_empty(), "{name} {}: {findings:?}", file.path);
            files += 1;
            schemas += count;
        }
    }
    println!("{files} files, {schemas} schemas");
}

#[test]
fn schemas_of_our_formats_have_no_findings() {
    let config = serde_json::to_value(kvrules::config::config_schema(kvrules::all_targets())).unwrap();
    for schema in [config, kvrules::extra_specs::document_schema(), kvrules::test::suite_schema()] {
        let (count, findings) = check_text(&schema.to_string());
        assert!(count > 10 && findings.is_empty(), "{findings:?}");
    }
}

#[test]
fn suites_of_the_examples_satisfy_their_schema() {
    let validator = jsonschema::validator_for(&kvrules::test::suite_schema()).unwrap();
    let root = kvrules_tests::repository_root();
    let mut suites = 0;
    let folders =
        ["docs/examples/tests", "docs/suites"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    for entry in folders.into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(".test.yaml") {
            let suite = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let errors: Vec<String> = validator.iter_errors(&suite).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}", path.display());
            suites += 1;
        }
    }
    assert_eq!(suites, 5);
    let wrong = serde_json::json!({"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleTests", "rules": ["a"], "cases": [{"name": "a"}]});
    assert!(!validator.is_valid(&wrong));
}
