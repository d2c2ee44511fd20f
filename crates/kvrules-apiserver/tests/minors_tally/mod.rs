//! Counts agreement by minor, family and kind of comparison.

use std::collections::BTreeMap;

use kvrules_cel::kubernetes::KubernetesVersion;
use serde_json::Value as Json;

/// Maximum number of differences to show.
const SHOWN: usize = 60;

/// Agreement and total.
type Counts = (usize, usize);

/// Comparisons with recorded answers.
#[derive(Default)]
pub(crate) struct MinorTally {
    by_version: BTreeMap<(KubernetesVersion, String), Counts>,
    by_family: BTreeMap<(String, String), Counts>,
    total: Counts,
    differences: Vec<String>,
}

impl MinorTally {
    /// Counts one comparison.
    pub(crate) fn compare(
        &mut self,
        (version, family, what): (KubernetesVersion, &str, &str),
        place: &str,
        ours: &Json,
        recorded: &Json,
    ) {
        let same = ours == recorded;
        let by_version = self.by_version.entry((version, what.to_owned())).or_default();
        let by_family = self.by_family.entry((family.to_owned(), what.to_owned())).or_default();
        for (agreed, total) in [by_version, by_family, &mut self.total] {
            *agreed += usize::from(same);
            *total += 1;
        }
        if !same {
            let text =
                format!("{version} {family} {what}: {place}\n    ours     {ours}\n    recorded {recorded}");
            self.differences.push(text);
        }
    }

    /// Prints the counts, and fails if fewer comparisons agree than did.
    pub(crate) fn finish(&self, name: &str, floor: usize) {
        for ((version, what), (agreed, total)) in &self.by_version {
            println!("{name} {version} {what}: {agreed}/{total}");
        }
        for ((family, what), (agreed, total)) in &self.by_family {
            if agreed < total {
                println!("{name} {family} {what}: {agreed}/{total}");
            }
        }
        let (agreed, total) = self.total;
        println!("{name}: {agreed}/{total}");
        assert!(total > 0, "nothing was compared");
        let shown = std::env::var("KVRULES_SHOWN").ok().and_then(|it| it.parse().ok()).unwrap_or(SHOWN);
        for difference in self.differences.iter().take(shown) {
            println!("{difference}");
        }
        assert!(agreed >= floor, "{agreed} of {total} agree, {floor} did");
    }
}
