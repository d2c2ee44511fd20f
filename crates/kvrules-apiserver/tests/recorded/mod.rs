//! How suites count agreement with the recorded answers of a real API server. kvrules-crd includes this file.
#![allow(dead_code, reason = "each suite uses what it needs")]

use std::collections::BTreeMap;

use serde_json::Value;

/// Agreement by what is compared.
#[derive(Default)]
pub(crate) struct Tally {
    counts: BTreeMap<String, (usize, usize)>,
    differences: Vec<String>,
}

/// Maximum number of differences to show.
const SHOWN: usize = 400;

impl Tally {
    /// Counts one comparison; `reported` is shown where it is none of agreement.
    pub(crate) fn add(&mut self, what: &str, same: bool, reported: impl FnOnce() -> String) {
        let (agreed, total) = self.counts.entry(what.to_owned()).or_default();
        *total += 1;
        *agreed += usize::from(same);
        if !same {
            self.differences.push(format!("{what}: {}", reported()));
        }
    }

    /// Compares two values.
    pub(crate) fn compare(&mut self, what: &str, place: &str, ours: &Value, recorded: &Value) {
        let reported = || format!("{place}\n    ours     {ours}\n    recorded {recorded}");
        self.add(what, ours == recorded, reported);
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
