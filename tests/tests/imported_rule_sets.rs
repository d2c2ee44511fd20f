//! `eval` reads what `import ruleset` writes: RuleSets of small generated schemas and definitions have no errors, and an object that the
//! source accepts violates none of their rules.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

#[path = "../../crates/kvrules-import/tests/generate/mod.rs"]
mod generate;

use generate::Generator;
use kvrules::import::{
    ImportContext, ImportOptions, ImportedForm, build_definition, import_rule_sets, import_schema, to_yaml,
};
use kvrules::{Catalog, FileId, FileReading, Level, ReadContext, SourceFile, SubjectFiles, read_file};
use kvrules_apiserver::object::ObjectSchema;
use rayon::prelude::*;
use serde_json::{Value, json};

/// Number of seeds, and of objects for each.
const SEEDS: u64 = 600;
const OBJECTS: usize = 12;

/// The RuleSets of a file as `eval` reads them, or the error with which it refuses them.
fn read_back(text: &str, named: &SourceFile) -> Result<FileReading, String> {
    let source = SourceFile::new(FileId(0), "rules.yaml", text);
    let mut subjects = SubjectFiles::default();
    subjects.read_named_files(&source, &mut |_| Ok(named.text().to_owned()));
    let context = ReadContext::new(Catalog::kubevirt_vm()).with_subjects(&subjects);
    let reading = read_file(&source, &context);
    match reading.diagnostics.iter().find(|found| found.level == Level::Error) {
        Some(error) => Err(format!("{}: {}\n{text}", error.code, error.message)),
        None => Ok(reading),
    }
}

/// Imports the rules of a file and reads them back. Returns what is wrong, and the number of rules in words.
fn check_file(file: &SourceFile, objects: &[Value]) -> Result<usize, String> {
    let context = ImportContext { own_path: Some(file.name()), ..ImportContext::default() };
    let imported =
        import_rule_sets(file, context).map_err(|found| format!("{}: {}", found[0].message, file.text()))?;
    let has_rules = |set: &&kvrules::import::ImportedRuleSet| {
        set.document["spec"]["rules"].as_array().is_some_and(|rules| !rules.is_empty())
    };
    let (mut words, mut texts) = (0, Vec::new());
    for set in imported.sets.iter().filter(has_rules) {
        words += set.rules.iter().filter(|rule| rule.form == ImportedForm::Words).count();
        texts.push(to_yaml(&set.document));
    }
    let reading = read_back(&texts.join("---\n"), file)?;
    for (set, object) in
        reading.rule_sets.iter().flat_map(|set| objects.iter().map(move |object| (set, object)))
    {
        if let Some(rule) = set.find_violations(object, None).first() {
            return Err(format!(
                "{} rejects {object} of {}\n{}",
                rule.name,
                file.text(),
                texts.join("---\n")
            ));
        }
    }
    Ok(words)
}

/// Imports the keywords of a JSON Schema.
fn check_schema(seed: u64) -> Result<usize, String> {
    let mut generator = Generator::new(seed);
    let schema = generator.object(3);
    let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
    let objects = (0..OBJECTS).map(|_| generator.value(&schema, 3)).filter(|value| validator.is_valid(value));
    let objects: Vec<Value> = objects.collect();
    check_file(&SourceFile::new(FileId(0), "a.json", schema.to_string()), &objects)
}

/// Imports the rules that keywords become in a definition.
fn check_definition(seed: u64) -> Result<usize, String> {
    let mut generator = Generator::new(seed);
    let spec = generator.object(3);
    let whole = json!({"title": "Pond", "type": "object", "properties": {"spec": spec}});
    let source = SourceFile::new(FileId(0), "pond.json", whole.to_string());
    let Ok(imported) = import_schema(&source, &ImportOptions::default()) else { return Ok(0) };
    let Ok(mut definition) = build_definition(&imported.schema, &imported.names) else { return Ok(0) };
    definition["spec"]["group"] = json!("example.com");
    definition["metadata"]["name"] = json!("ponds.example.com");
    definition["spec"]["names"] =
        json!({"kind": "Pond", "plural": "ponds", "singular": "pond", "listKind": "PondList"});
    let schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone();
    let version = definition["spec"]["versions"][0]["name"].as_str().unwrap_or("v1").to_owned();
    let server = ObjectSchema::new(&schema);
    let make = |_| {
        let spec = generator.value(&spec, 3);
        json!({"apiVersion": format!("example.com/{version}"), "kind": "Pond", "metadata": {"name": "a"}, "spec": spec})
    };
    let accepted = (0..OBJECTS).map(make).map(|object| server.admit_object(&object, None));
    let objects: Vec<Value> = accepted.filter(|it| it.is_accepted()).map(|it| it.stored).collect();
    check_file(&SourceFile::new(FileId(0), "crd.yaml", to_yaml(&definition)), &objects)
}

/// Checks all seeds. What is wrong is printed, and there is none of it.
fn check_all(check: fn(u64) -> Result<usize, String>) {
    let results: Vec<_> = (0..SEEDS).into_par_iter().map(check).collect();
    let words: usize = results.iter().flatten().sum();
    let faults: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    println!("{SEEDS} files, {words} rules in words, {} faults", faults.len());
    assert!(words > 50, "{words} rules in words");
    assert!(
        faults.is_empty(),
        "{} faults, such as {:#?}",
        faults.len(),
        faults.iter().take(3).collect::<Vec<_>>()
    );
}

#[test]
fn rule_sets_of_generated_schemas_are_read_and_evaluated() {
    check_all(check_schema);
}

#[test]
fn rule_sets_of_generated_definitions_are_read_and_evaluated() {
    check_all(check_definition);
}
