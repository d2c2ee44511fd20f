//! The recorded answers of a real API server, and how suites count agreement with them. kvrules-crd includes this file.
#![allow(dead_code, reason = "each suite uses what it needs")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file of the recorded data; `KVRULES_SHARED` may say where they are, otherwise they stand beside the repository.
pub(crate) fn path(name: &str) -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("KVRULES_SHARED").map_or_else(beside, PathBuf::from);
    folder.join("kubernetes").join(name)
}

/// The text of a file. Where it is not there, says so plainly.
pub(crate) fn text(name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path(name)).ok();
    if text.is_none() {
        println!("shared/kubernetes/{name} is absent: nothing compared");
    }
    text
}

/// A file that is one JSON value.
pub(crate) fn value(name: &str) -> Option<Value> {
    Some(serde_json::from_str(&text(name)?).unwrap())
}

/// The rows of a file with a JSON value on each line.
pub(crate) fn rows(name: &str) -> Option<Vec<Value>> {
    Some(text(name)?.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Agreement by what is compared.
#[derive(Default)]
pub(crate) struct Tally {
    counts: BTreeMap<String, (usize, usize)>,
    differences: Vec<String>,
}

/// Maximum number of differences to show.
const SHOWN: usize = 400;

impl Tally {
    /// Counts one comparison; `told` is shown where it is none of agreement.
    pub(crate) fn add(&mut self, what: &str, same: bool, told: impl FnOnce() -> String) {
        let (agreed, total) = self.counts.entry(what.to_owned()).or_default();
        *total += 1;
        *agreed += usize::from(same);
        if !same {
            self.differences.push(format!("{what}: {}", told()));
        }
    }

    /// Compares two values.
    pub(crate) fn compare(&mut self, what: &str, place: &str, ours: &Value, recorded: &Value) {
        let told = || format!("{place}\n    ours     {ours}\n    recorded {recorded}");
        self.add(what, ours == recorded, told);
    }

    /// Tells the counts, and fails where anything differs or nothing was compared.
    pub(crate) fn finish(&self, name: &str) {
        for (what, (agreed, total)) in &self.counts {
            println!("{name}, {what}: {agreed}/{total}");
        }
        assert!(self.counts.values().any(|(_, total)| *total > 0), "nothing was compared");
        let shown: Vec<&str> = self.differences.iter().take(SHOWN).map(String::as_str).collect();
        assert!(shown.is_empty(), "{} differ:\n{}", self.differences.len(), shown.join("\n"));
    }
}
