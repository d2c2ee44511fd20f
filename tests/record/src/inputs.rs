//! The inputs: recorded files and rows, the examples of the documentation, and generated sources. They are written to one folder, so that
//! two programs see the same.

use std::fs;
use std::path::{Path, PathBuf};

use kvrules_judges::sources::{generate_definition, generate_policies, generate_rule_set};
use serde_json::{Value, json};

/// An input, by its path in the folder of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    File(String),
    /// A folder of suites.
    Suites(String),
    /// An older and a newer file.
    Pair(String, String),
}

/// Rows of recorded cases in one file. A run of the program for each would cost more than what it does.
const ROWS: usize = 20;

/// Numbers of generated RuleSets, definitions, and pairs of policies, and the seed.
const RULE_SETS: u64 = 500;
const DEFINITIONS: u64 = 200;
const POLICIES: u64 = 100;
const SEED: u64 = 44;

/// Folders of recorded files, and the name that they get.
const FOLDERS: [(&str, &str); 8] = [
    ("kubernetes/crds", "crds"),
    ("kubernetes/crds-2", "crds-2"),
    ("kubernetes/noxu", "noxu"),
    ("kubernetes/vap-example", "vap-example"),
    ("kubevirt/templates", "templates"),
    ("kubevirt/virt-template", "virt-template"),
    ("suites", "suites"),
    ("field", "field"),
];

/// Writes the inputs below a folder, and lists them.
///
/// # Errors
///
/// If the recorded data is absent, or a file cannot be read or written.
pub fn write_inputs(folder: &Path) -> Result<Vec<Input>, String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let shared = kvrules_testdata::shared_directory();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("no repository")?;
    let mut writer = Writer { folder: folder.to_owned(), inputs: Vec::new() };
    for (from, to) in FOLDERS {
        writer.copy_files(&shared.join(from), to)?;
    }
    for (from, to) in [("docs", "docs"), ("tests/cases", "cases"), ("tests/rule-sets", "rule-sets")] {
        writer.copy_files(&root.join(from), to)?;
    }
    writer.write_examples(&root.join("docs"))?;
    writer.write_rows(&shared)?;
    writer.write_generated()?;
    writer.list_suites();
    writer.list_versions();
    Ok(writer.inputs)
}

struct Writer {
    folder: PathBuf,
    inputs: Vec<Input>,
}

impl Writer {
    fn write(&mut self, name: String, bytes: &[u8]) -> Result<(), String> {
        let path = self.folder.join(&name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| format!("{name}: {error}"))?;
        }
        fs::write(&path, bytes).map_err(|error| format!("{name}: {error}"))?;
        self.inputs.push(Input::File(name));
        Ok(())
    }

    /// Copies the files with rules and objects in a folder.
    fn copy_files(&mut self, from: &Path, to: &str) -> Result<(), String> {
        for path in sorted_entries(from)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let to = format!("{to}/{name}");
            if path.is_dir() {
                self.copy_files(&path, &to)?;
            } else if [".yaml", ".yml", ".json", ".star", ".toml"].iter().any(|it| name.ends_with(it)) {
                let bytes = fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
                self.write(to, &bytes)?;
            }
        }
        Ok(())
    }

    /// Writes the code blocks of the documentation, each as a file.
    fn write_examples(&mut self, docs: &Path) -> Result<(), String> {
        let mut pages = Vec::new();
        collect_pages(docs, &mut pages)?;
        for page in pages {
            let text = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
            let name = page.strip_prefix(docs).unwrap_or(&page).with_extension("");
            for (index, (language, block)) in code_blocks(&text).into_iter().enumerate() {
                let file = format!("pages/{}-{index}.{language}", name.to_string_lossy().replace('/', "-"));
                self.write(file, block.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes recorded cases: definitions, policies, annotations of machines, definitions of extra specs, and flavors.
    fn write_rows(&mut self, shared: &Path) -> Result<(), String> {
        self.write_documents(shared, "kubernetes/crd-cases.jsonl", |row| vec![row["crd"].clone()])?;
        self.write_documents(shared, "kubernetes/crd-cases-2.jsonl", |row| {
            vec![row["oldCrd"].clone(), row["crd"].clone()]
        })?;
        self.write_documents(shared, "kubernetes/vap-cases.jsonl", |row| {
            vec![row["doc"].clone(), row["policy"].clone(), row["binding"].clone()]
        })?;
        self.write_documents(shared, "kubernetes/policy-documents.jsonl", |row| vec![row["doc"].clone()])?;
        self.write_documents(shared, "kubernetes/policy-cases.jsonl", |row| {
            let lists = ["policies", "bindings"].into_iter().filter_map(|name| row["case"][name].as_array());
            lists.flatten().cloned().collect()
        })?;
        self.write_documents(shared, "kubevirt/evaluator-cases.jsonl", machine_with_rules)?;
        self.write_documents(shared, "kubevirt/semantics-examples.jsonl", machine_with_rules)?;
        self.write_documents(shared, "nova/extra-spec-definition-cases.jsonl", |row| {
            row["definitions"].as_array().cloned().unwrap_or_default()
        })?;
        self.write_documents(shared, "nova/glance-metadef-cases.jsonl", |row| vec![row["document"].clone()])?;
        self.write_documents(shared, "nova/extra-spec-cases.jsonl", |row| {
            let specs = json!({ row["name"].as_str().unwrap_or_default(): row["value"] });
            vec![json!({"name": row["id"], "ram": 1, "vcpus": 1, "disk": 1, "extra_specs": specs})]
        })
    }

    /// Writes the documents of some rows together, as files of many documents.
    fn write_documents(
        &mut self,
        shared: &Path,
        rows: &str,
        documents: impl Fn(&Value) -> Vec<Value>,
    ) -> Result<(), String> {
        let text = fs::read_to_string(shared.join(rows)).map_err(|error| format!("{rows}: {error}"))?;
        let lines: Vec<&str> = text.lines().collect();
        let name = rows.trim_end_matches(".jsonl").replace('/', "-");
        for (index, lines) in lines.chunks(ROWS).enumerate() {
            let mut file = String::new();
            for line in lines {
                let row: Value = serde_json::from_str(line).map_err(|error| format!("{rows}: {error}"))?;
                for document in documents(&row).iter().filter(|document| !document.is_null()) {
                    file.push_str(&format!("---\n{document}\n"));
                }
            }
            self.write(format!("rows/{name}-{index:03}.yaml"), file.as_bytes())?;
        }
        Ok(())
    }

    fn write_generated(&mut self) -> Result<(), String> {
        for case in 0..RULE_SETS {
            let name = format!("generated/rule-set-{case:03}.yaml");
            self.write(name, generate_rule_set(SEED, case).as_bytes())?;
        }
        for case in 0..DEFINITIONS {
            let name = format!("generated/definition-{case:03}.yaml");
            self.write(name, generate_definition(SEED, case).as_bytes())?;
        }
        for case in 0..POLICIES {
            let names = ["a", "b"].map(|side| format!("generated/policy-{case:03}-{side}.yaml"));
            for (name, text) in names.iter().zip(generate_policies(SEED, case)) {
                self.write(name.clone(), text.as_bytes())?;
            }
            let [old, new] = names;
            self.inputs.push(Input::Pair(old, new));
        }
        Ok(())
    }

    /// Lists the folders that have files of suites.
    fn list_suites(&mut self) {
        let files = self.inputs.iter().filter_map(|input| match input {
            Input::File(name) if name.starts_with("suites/") || name.starts_with("docs/") => Some(name),
            _ => None,
        });
        let folder = |name: &String| name.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let mut folders: Vec<String> = files.filter_map(folder).collect();
        folders.sort();
        folders.dedup();
        self.inputs.extend(folders.into_iter().map(Input::Suites));
    }

    /// Lists pairs of neighbouring files: of the same definition, of bundles, of files made of the same kind of rows, and of generated sources.
    fn list_versions(&mut self) {
        let names: Vec<String> = self.inputs.iter().filter_map(file_name).collect();
        let of = |prefix: &str| -> Vec<String> {
            names.iter().filter(|name| name.starts_with(prefix)).cloned().collect()
        };
        for prefix in ["templates/", "generated/rule-set-", "generated/definition-", "rule-sets/", "field/"] {
            let found = of(prefix);
            let pairs = found.chunks(2).filter_map(|pair| match pair {
                [old, new] => Some(Input::Pair(old.clone(), new.clone())),
                _ => None,
            });
            self.inputs.extend(pairs);
        }
        for old in of("crds/") {
            let new = old.replacen("crds/", "crds-2/", 1);
            let new = if names.contains(&new) { new } else { old.clone() };
            self.inputs.push(Input::Pair(old, new));
        }
    }
}

fn file_name(input: &Input) -> Option<String> {
    match input {
        Input::File(name) => Some(name.clone()),
        _ => None,
    }
}

/// A machine that has the rules of a row as its annotation.
fn machine_with_rules(row: &Value) -> Vec<Value> {
    let rules = match &row["rules"] {
        Value::String(text) => text.clone(),
        rules => rules.to_string(),
    };
    let mut machine = match &row["vm"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        machine => machine.clone(),
    };
    if !machine.is_object() {
        machine = json!({});
    }
    machine["apiVersion"] = json!("kubevirt.io/v1");
    machine["kind"] = json!("VirtualMachine");
    if !machine["metadata"].is_object() {
        machine["metadata"] = json!({});
    }
    machine["metadata"]["name"] = json!("machine");
    machine["metadata"]["annotations"] = json!({ "vm.kubevirt.io/validations": rules });
    vec![machine]
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn collect_pages(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), String> {
    for path in sorted_entries(folder)? {
        if path.is_dir() {
            collect_pages(&path, pages)?;
        } else if path.extension().is_some_and(|it| it == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

/// The blocks of YAML and JSON of a page, with the name of the language.
fn code_blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, &str, String)> = None;
    for line in text.lines() {
        match &mut open {
            Some((indent, language, block)) => {
                let line = line.strip_prefix(*indent).unwrap_or(line);
                if line.starts_with("```") {
                    let found = (*language, std::mem::take(block));
                    blocks.push(found);
                    open = None;
                } else {
                    block.push_str(line);
                    block.push('\n');
                }
            }
            None => {
                let trimmed = line.trim_start();
                let indent = &line[..line.len() - trimmed.len()];
                let language =
                    trimmed.strip_prefix("```").map(|rest| rest.split([' ', ',']).next().unwrap_or(""));
                if let Some(language) = language {
                    open = Some((indent, language, String::new()));
                }
            }
        }
    }
    blocks.retain(|(language, _)| ["yaml", "json"].contains(language));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_page_lose_their_indentation() {
        let page =
            "- as\n\n  ```yaml\n  a: 1\n    b: 2\n  ```\n\n```console\n$ kvrules\n```\n\n```json\n{}\n```\n";
        let found = code_blocks(page);
        assert_eq!(found, [("yaml", "a: 1\n  b: 2\n".to_owned()), ("json", "{}\n".to_owned())]);
    }
}
