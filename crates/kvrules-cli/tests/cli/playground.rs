//! The playground answers as the command does: the same text has the same findings.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::place::Place;

/// Folders of the repository with inputs.
const FOLDERS: [&str; 4] = ["docs", "tests/cases", "tests/rule-sets", "tests/conformance"];

/// Longer inputs take the unoptimised program too long.
const LONGEST: u64 = 100_000;

#[test]
fn findings_are_those_of_the_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut inputs = Vec::new();
    for folder in FOLDERS {
        collect_inputs(&root.join(folder), &mut inputs);
    }
    let place = Place::with(&[]);
    let differing: Vec<String> = inputs.par_iter().filter_map(|path| difference(&place, path)).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(inputs.len() >= 200, "only {} inputs", inputs.len());
    println!("findings of the playground and of `check`: {0} of {0} inputs agree", inputs.len());
}

fn collect_inputs(folder: &Path, inputs: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(Result::unwrap) {
        let path = entry.path();
        let kind = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            collect_inputs(&path, inputs);
        } else if matches!(kind, Some("yaml" | "yml" | "json" | "md" | "rst" | "tpl"))
            && entry.metadata().unwrap().len() <= LONGEST
        {
            inputs.push(path);
        }
    }
}

/// What differs, if anything does. Texts that are not UTF-8 cannot be given to the page.
fn difference(place: &Place, path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let name = path.file_name()?.to_str()?;
    let run = place.run_with_input(
        &["check", "--output-format", "json", "--allow-empty", "--stdin-filename", name, "-"],
        &text,
    );
    let request = json!({"request": "check", "text": text, "name": name});
    let answer = kvrules_wasm::answer_request(request.to_string().as_bytes());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let printed: Value = serde_json::from_str(&run.out).unwrap();
    (answer.get("findings") != Some(&printed))
        .then(|| format!("{}: {answer}\n{}{}", path.display(), run.out, run.err))
}
