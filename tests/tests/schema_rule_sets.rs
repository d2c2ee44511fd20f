//! JSON Schemas as RuleSets about their documents: the schemas of recorded definitions, whose keywords are JSON Schema of draft 4. A
//! document violates a rule exactly if the schema rejects it for a keyword that is imported.
//!
//! `cargo xtask verify` takes all definitions; a quick run takes one of each twelve.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use kvrules::import::{ImportedForm, ImportedRule, ImportedRuleSet, import_schema_rules, to_yaml};
use kvrules::rule_set::{RuleSet, SubjectDefinitions, SubjectFile, read_rule_set};
use kvrules::{FileId, Level};
use kvrules_generate::ObjectGenerator;
use rayon::prelude::*;
use serde::Deserialize as _;
use serde_json::Value;

/// Of so many definitions, a quick run takes one.
const STRIDE: usize = 12;

/// Number of documents for each schema.
const DOCUMENTS: usize = 60;

/// Results of one or more schemas.
#[derive(Default)]
struct Tally {
    schemas: usize,
    words: usize,
    reasons: BTreeMap<String, usize>,
    documents: usize,
    violating: usize,
    faults: Vec<String>,
}

impl Tally {
    fn add(mut self, other: Self) -> Self {
        self.schemas += other.schemas;
        self.words += other.words;
        self.documents += other.documents;
        self.violating += other.violating;
        self.faults.extend(other.faults);
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self
    }
}

fn definition_files() -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in ["kubernetes/crds", "kubernetes/crds-2", "suites"] {
        collect_files(&kvrules_testdata::find_path(name)?, name != "suites", &mut files);
    }
    files.sort();
    let is_full = std::env::var_os("KVRULES_RULE_SETS").is_some();
    Some(if is_full { files } else { files.into_iter().step_by(STRIDE).collect() })
}

fn collect_files(folder: &Path, is_wanted: bool, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect_files(&path, is_wanted || name.contains("crd"), files);
        } else if is_wanted && path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
}

/// The schemas of the definitions in a file, without what only servers read.
fn schemas_in(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let documents = serde_yaml::Deserializer::from_str(&text);
    let values = documents.filter_map(|document| Value::deserialize(document).ok());
    let versions = values.flat_map(|value| value["spec"]["versions"].as_array().cloned().unwrap_or_default());
    let schemas = versions.map(|version| version["schema"]["openAPIV3Schema"].clone());
    let mut schemas: Vec<Value> = schemas.filter(|schema| schema["properties"].is_object()).collect();
    schemas.iter_mut().for_each(drop_server_keywords);
    schemas
}

fn drop_server_keywords(schema: &mut Value) {
    if let Some(fields) = schema.as_object_mut() {
        for keyword in ["x-kubernetes-validations", "default", "example"] {
            if fields
                .get(keyword)
                .is_some_and(|value| !(keyword != "x-kubernetes-validations" && value["type"].is_string()))
            {
                fields.remove(keyword);
            }
        }
        fields.values_mut().for_each(drop_server_keywords);
    } else if let Some(items) = schema.as_array_mut() {
        items.iter_mut().for_each(drop_server_keywords);
    }
}

/// The pointers to the keywords of a rule; of a required field with its name.
fn keyword_pointers(rule: &ImportedRule, schema: &Value) -> Vec<String> {
    let (parent, _) = rule.pointer.rsplit_once('/').unwrap();
    let required = schema.pointer(&rule.pointer).and_then(Value::as_str);
    if let Some(name) = required.filter(|_| parent.ends_with("/required")) {
        return vec![format!("{parent}#{name}")];
    }
    let keywords = rule.source.rsplit_once('.').map_or(rule.source.as_str(), |(_, keywords)| keywords);
    keywords.split(", ").map(|keyword| format!("{parent}/{keyword}")).collect()
}

fn read_back(imported: &ImportedRuleSet, schema: &Arc<Value>) -> Result<RuleSet, String> {
    let text = to_yaml(&imported.document);
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let of_file = [("a.json".to_owned(), Ok(SubjectFile::Schemas(Arc::clone(schema))))].into();
    let definitions = SubjectDefinitions { of_file, ..SubjectDefinitions::default() };
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    match findings.iter().find(|finding| finding.level == Level::Error && finding.code != "KR105") {
        Some(problem) => Err(format!("{}: {}", problem.code, problem.message)),
        None => set.ok_or_else(|| "not read".to_owned()),
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

fn import_and_compare(schema: &Arc<Value>) -> Tally {
    let mut tally = Tally { schemas: 1, ..Tally::default() };
    let imported = import_schema_rules(schema, "a.json").unwrap().remove(0);
    let mut known = BTreeSet::new();
    for rule in &imported.rules {
        match &rule.form {
            ImportedForm::Words => {
                tally.words += 1;
                known.extend(keyword_pointers(rule, schema));
            }
            ImportedForm::LeftOut(reason) | ImportedForm::Cel(reason) => {
                *tally.reasons.entry(reason.clone()).or_default() += 1;
            }
        }
    }
    if known.is_empty() {
        return tally;
    }
    let set = match read_back(&imported, schema) {
        Ok(set) => set,
        Err(problem) => {
            tally.faults.push(problem);
            return tally;
        }
    };
    let Ok(validator) = jsonschema::draft4::new(schema) else { return tally };
    let mut generator = ObjectGenerator::new(schema);
    for document in (0..DOCUMENTS).map(|index| generator.generate_object(index)).filter(|it| !has_null(it)) {
        let at = |error: jsonschema::ValidationError<'_>| match error.kind() {
            ValidationErrorKind::Required { property } => {
                format!("{}#{}", error.schema_path().as_str(), property.as_str().unwrap_or_default())
            }
            _ => error.schema_path().as_str().to_owned(),
        };
        let errors: Vec<String> = validator.iter_errors(&document).map(at).collect();
        if errors.iter().any(|error| error.ends_with("/type")) {
            continue;
        }
        let is_known =
            |error: &String| known.iter().any(|it| error == it || error.starts_with(&format!("{it}/")));
        let is_rejected = errors.iter().any(is_known);
        let violated: Vec<_> =
            set.find_violations(&document, None).iter().map(|rule| rule.name.clone()).collect();
        tally.documents += 1;
        tally.violating += usize::from(is_rejected);
        if is_rejected == violated.is_empty() {
            tally.faults.push(format!("{violated:?} violated, {errors:?}: {document}"));
        }
    }
    tally
}

#[test]
fn imported_keywords_reject_the_documents_that_the_schema_rejects_for_them() {
    let Some(files) = definition_files() else { return };
    let schemas: Vec<Arc<Value>> = files.par_iter().flat_map(|path| schemas_in(path)).map(Arc::new).collect();
    let tally = schemas.par_iter().map(import_and_compare).reduce(Tally::default, Tally::add);
    let Tally { schemas, words, documents, violating, .. } = tally;
    let left_out: usize = tally.reasons.values().sum();
    println!(
        "{schemas} schemas: {words} rules in words, {left_out} left out; {documents} documents, {violating} rejected"
    );
    let mut reasons: Vec<_> = tally.reasons.iter().map(|(reason, count)| (count, reason)).collect();
    reasons.sort_unstable_by(|one, other| other.cmp(one));
    reasons.iter().take(20).for_each(|(count, reason)| println!("{count:6} {reason}"));
    assert!(
        tally.faults.is_empty(),
        "{} of {documents}: {:#?}",
        tally.faults.len(),
        &tally.faults[..tally.faults.len().min(5)]
    );
    assert!(schemas > 10 && words > schemas && violating > 10, "too little was compared");
}
