//! Reading the recorded cases, when they are there.

#![allow(dead_code, reason = "each suite uses a part")]

use std::path::PathBuf;

use serde_json::Value;

/// Returns the path of a shared file: under `KVRULES_SHARED`, or next to the workspace.
pub(crate) fn path(name: &str) -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    PathBuf::from(std::env::var("KVRULES_SHARED").unwrap_or_else(|_| beside.to_owned()))
        .join("nova")
        .join(name)
}

/// The text of a shared file; none, with a line that says so, when it is absent.
pub(crate) fn text(name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path(name)).ok();
    if text.is_none() {
        println!("shared/nova/{name} is absent: nothing compared");
    }
    text
}

/// The rows of a shared file of JSON lines.
pub(crate) fn rows(name: &str) -> Vec<Value> {
    text(name).iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Counts agreement per family.
#[derive(Default)]
pub(crate) struct Tally {
    families: std::collections::BTreeMap<String, (usize, usize)>,
    differed: Vec<String>,
}

impl Tally {
    pub(crate) fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        family: &str,
        what: &str,
        ours: &T,
        recorded: &T,
    ) {
        let (agreed, total) = self.families.entry(family.to_owned()).or_default();
        *total += 1;
        if ours == recorded {
            *agreed += 1;
        } else {
            self.differed.push(format!("{family} {what}: ours {ours:?}, recorded {recorded:?}"));
        }
    }

    /// Prints the figures and fails where one differs.
    pub(crate) fn report(&self, name: &str) {
        for (family, (agreed, total)) in &self.families {
            println!("{name} {family}: {agreed}/{total}");
        }
        let total: usize = self.families.values().map(|(_, total)| total).sum();
        println!("{name}: {}/{total}", total - self.differed.len());
        assert!(self.differed.is_empty(), "{} differ:\n{}", self.differed.len(), self.differed.join("\n"));
    }
}
