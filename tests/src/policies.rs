//! The policies in the recorded suites and cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kvrules::crd::{ResourceText, read_policies};
use kvrules::{FileId, SourceFile};
use serde_json::Value;

/// The policies and bindings in the recorded suites and cases that servers accept, each once; none without the recorded data.
pub fn recorded_policies() -> Vec<ResourceText> {
    let mut texts: Vec<String> = Vec::new();
    for row in kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl").unwrap_or_default() {
        let is_accepted = row.pointer("/expect/accepted") != Some(&Value::Bool(false));
        let documents = ["doc", "policy"].into_iter().filter_map(|name| row.get(name));
        texts.extend(documents.filter(|_| is_accepted).map(Value::to_string));
    }
    let mut files = Vec::new();
    if let Some(folder) = kvrules_testdata::find_path("suites") {
        collect_files(&folder, &mut files);
    }
    texts.extend(files.iter().filter_map(|file| std::fs::read_to_string(file).ok()));
    let mut found = BTreeMap::new();
    for text in texts.into_iter().filter(|text| text.contains("ValidatingAdmissionPolicy")) {
        for policy in read_policies(&SourceFile::new(FileId(0), "policy.yaml", text)) {
            let spec = policy.value.get("spec").unwrap_or(&Value::Null);
            found.insert((policy.kind, spec.to_string()), policy);
        }
    }
    found.into_values().collect()
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect_files(&path, files);
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
}
