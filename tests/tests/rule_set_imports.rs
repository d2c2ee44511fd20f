//! Rules of real definitions become RuleSets and definitions again, and `kvrules diff` proves that they are equal.
//!
//! `cargo xtask verify` takes all definitions; a quick run takes one of each twelve.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kvrules::diff::Direction;
use kvrules::import::{
    ImportContext, ImportedForm, ImportedRuleSet, import_definition_rules, import_rule_sets, to_yaml,
};
use kvrules::rule_set::{RuleSet, SubjectDefinitions, SubjectFile, read_rule_set};
use kvrules::{FileId, SourceFile};
use kvrules_diff::schema::SchemaEvaluator;
use kvrules_eval::{Outcome, Program};
use rayon::prelude::*;
use serde_json::Value;

/// Of so many definitions, a quick run takes one.
const STRIDE: usize = 12;

fn definition_files() -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in ["kubernetes/crds", "kubernetes/crds-2", "suites"] {
        collect(&kvrules_testdata::find_path(name)?, name != "suites", &mut files);
    }
    files.sort();
    let is_full = std::env::var_os("KVRULES_RULE_SETS").is_some();
    Some(if is_full { files } else { files.into_iter().step_by(STRIDE).collect() })
}

fn collect(folder: &Path, is_wanted: bool, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, is_wanted || name.contains("crd"), files);
        } else if is_wanted && path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
}

fn definitions_in(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let documents = serde_yaml::Deserializer::from_str(&text);
    let values = documents.filter_map(|document| serde::Deserialize::deserialize(document).ok());
    values.filter(|value: &Value| value["kind"] == "CustomResourceDefinition").collect()
}

/// Counts of one or more definitions.
#[derive(Default)]
struct Counts {
    words: usize,
    cel: usize,
    left_out: usize,
    /// Changes that the comparison proves to have no effect.
    proved: usize,
    problems: Vec<String>,
}

impl Counts {
    fn add(mut self, other: Self) -> Self {
        self.words += other.words;
        self.cel += other.cel;
        self.left_out += other.left_out;
        self.proved += other.proved;
        self.problems.extend(other.problems);
        self
    }
}

/// The definition without rules, or with those alone that were carried over.
fn keep_rules(definition: &Value, kept: &BTreeSet<String>) -> Value {
    let mut definition = definition.clone();
    for pointer in rule_pointers(&definition, "") {
        let rules = definition.pointer_mut(&pointer).unwrap().as_array_mut().unwrap();
        let mut index = 0;
        rules.retain(|_| {
            index += 1;
            kept.contains(&format!("{pointer}/{}", index - 1))
        });
    }
    definition
}

fn rule_pointers(value: &Value, at: &str) -> Vec<String> {
    let token = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, below)| {
                let at = format!("{at}/{}", token(name));
                if name == "x-kubernetes-validations" && below.is_array() {
                    vec![at]
                } else {
                    rule_pointers(below, &at)
                }
            })
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| rule_pointers(item, &format!("{at}/{index}")))
            .collect(),
        _ => Vec::new(),
    }
}

fn read_back(imported: &ImportedRuleSet, bare: &Value) -> Result<RuleSet, String> {
    let text = to_yaml(&imported.document);
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let of_file = [("vm.yaml".to_owned(), Ok(SubjectFile::Definitions(vec![bare.clone()])))].into();
    let definitions =
        SubjectDefinitions { of_run: vec![bare.clone()], of_file, ..SubjectDefinitions::default() };
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    let problem = findings.iter().find(|finding| finding.level == kvrules::Level::Error);
    match (set, problem) {
        (Some(set), None) => Ok(set),
        (_, Some(problem)) => Err(format!("{}: {}", imported.name, problem.message)),
        (None, None) => Err(format!("{}: not read", imported.name)),
    }
}

fn round_trip(definition: &Value) -> Counts {
    let mut counts = Counts::default();
    let sets = import_definition_rules(definition, None);
    let bare = keep_rules(definition, &BTreeSet::new());
    let mut kept = BTreeSet::new();
    for rule in sets.iter().flat_map(|set| &set.rules) {
        match &rule.form {
            ImportedForm::Words => counts.words += 1,
            ImportedForm::Cel(_) => counts.cel += 1,
            ImportedForm::LeftOut(_) => counts.left_out += 1,
        }
        if !matches!(rule.form, ImportedForm::LeftOut(_)) {
            kept.insert(rule.pointer.clone());
        }
    }
    let original = keep_rules(definition, &kept);
    for set in
        sets.iter().filter(|set| set.document["spec"]["rules"].as_array().is_some_and(|it| !it.is_empty()))
    {
        match read_back(set, &bare) {
            Ok(read) => compare(&original, &read, &mut counts),
            Err(problem) => counts.problems.push(problem),
        }
    }
    counts
}

/// Compares a version of the original with what the RuleSet compiles to.
fn compare(original: &Value, set: &RuleSet, counts: &mut Counts) {
    let compiled = set.merged_definition().unwrap();
    let version = &set.subject.version;
    let schema = |definition: &Value| {
        let listed = definition["spec"]["versions"].as_array().unwrap();
        listed.iter().find(|it| it["name"] == *version.version).unwrap()["schema"]["openAPIV3Schema"].clone()
    };
    let (old, new) = (schema(original), schema(&compiled));
    let head = serde_json::json!({"apiVersion": version.api_version(), "kind": version.kind, "metadata": {"name": "a"}});
    let side = |schema| kvrules_diff::schema::Version { schema, has_status: version.has_status() };
    for change in kvrules_diff::schema::compare_versions(side(&old), side(&new), &head).changes {
        let is_equal = matches!(change.direction, Direction::Equal | Direction::MessageOnly);
        if is_equal && change.proved {
            counts.proved += 1;
        } else {
            counts.problems.push(format!("{} {}: {change:?}", set.name, version.version));
        }
    }
}

#[test]
fn rules_of_definitions_survive_the_round_trip() {
    let Some(files) = definition_files() else { return };
    let counts = files
        .par_iter()
        .flat_map_iter(|file| definitions_in(file))
        .map(|definition| round_trip(&definition))
        .reduce(Counts::default, Counts::add);
    let Counts { words, cel, left_out, proved, problems } = &counts;
    println!("{words} rules in words, {cel} as `cel`, {left_out} left out; {proved} changes proved equal");
    for problem in problems {
        println!("{}", problem.chars().take(1500).collect::<String>());
    }
    assert!(problems.is_empty(), "{} problems", problems.len());
    assert!(*words > 80 && *words > *cel, "{words} rules in words, {cel} as `cel`");
}

/// Files with rules of templates.
fn template_files() -> Vec<(String, String)> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples");
    let mut files: Vec<(String, String)> =
        ["linux-server.yaml", "legacy-201901.yaml", "windows-desktop.json"]
            .iter()
            .map(|name| ((*name).to_owned(), std::fs::read_to_string(examples.join(name)).unwrap()))
            .collect();
    files.extend(kvrules_tests::template_bundles().into_iter().filter(|(name, _)| name.contains("v0.35.0")));
    files
}

#[test]
fn rules_of_templates_mean_the_same_as_a_rule_set() {
    let Some(schema) = kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    let schema = SourceFile::new(FileId(1), "vm.yaml", schema);
    let definition =
        definitions_in(&kvrules_testdata::find_path(kvrules_testdata::VIRTUAL_MACHINES).unwrap()).remove(0);
    let (mut counts, mut compared, mut violated, mut wider) = (Counts::default(), 0, 0, 0);
    for (name, text) in template_files() {
        let source = SourceFile::new(FileId(0), name.clone(), text);
        let context = ImportContext { schema: Some((&schema, "vm.yaml")), ..ImportContext::default() };
        let imported = import_rule_sets(&source, context).unwrap();
        let elaborated = kvrules::read_rules(&source).sets;
        assert_eq!(imported.sets.len(), elaborated.len(), "{name}");
        let found = imported.counts();
        counts.words += found.words;
        counts.cel += found.cel;
        counts.left_out += found.left_out;
        for (own, rules) in imported.sets.iter().zip(&elaborated) {
            if own.document["spec"]["rules"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            let set = read_back(own, &definition).unwrap();
            let accepts = SchemaEvaluator::new(&*set.subject.version.schema);
            for (rule, form) in rules.rules.iter().zip(&own.rules) {
                if matches!(form.form, ImportedForm::LeftOut(_)) {
                    continue;
                }
                let program = Program::new(rule).unwrap();
                let objects = kvrules::verify::generate_objects(&[rule]);
                for object in
                    objects.iter().filter(|object| accepts.evaluate_create(object).is_accepted()).take(60)
                {
                    let expected = program.evaluate_object(object).outcome == Outcome::Violated;
                    let is_own = |known: &str| {
                        known
                            .strip_prefix(&rule.name)
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
                    };
                    let actual = set.find_violations(object, None).iter().any(|known| is_own(&known.name));
                    // A form that is said to accept more rejects nothing else.
                    let is_as_said =
                        if form.wider.is_some() { !actual || expected } else { actual == expected };
                    let (rule, text) = (&rule.name, to_yaml(&own.document));
                    assert!(is_as_said, "{name} {rule}: {object}\n{text}");
                    wider += usize::from(actual != expected);
                    compared += 1;
                    violated += usize::from(expected);
                }
            }
        }
    }
    let Counts { words, cel, left_out, .. } = counts;
    println!(
        "templates: {words} rules in words, {cel} as `cel`, {left_out} left out; {compared} objects, {violated} violate a rule, {wider} of them one that accepts more"
    );
    assert!(
        words > 300 && left_out == 0 && compared > 200 && violated > 50 && wider * 5 < violated,
        "{words} rules in words, {compared} objects, {violated}"
    );
}
