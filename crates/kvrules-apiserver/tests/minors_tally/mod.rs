//! Counts agreement by minor, family and kind of comparison.

use std::collections::BTreeMap;

use kvrules_cel::kubernetes::{CostRegime, KubernetesVersion, KubernetesVersions};
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

    /// The static costs that agree, by the versions that estimate in the same way.
    fn costs_by_regime(&self) -> Vec<(KubernetesVersions, Counts)> {
        let versions: Vec<_> = KubernetesVersion::all_known().collect();
        let runs = versions.chunk_by(|one, next| CostRegime::of_server(*one) == CostRegime::of_server(*next));
        let counts =
            |version: &KubernetesVersion| self.by_version.get(&(*version, "costs".to_owned())).copied();
        let sum = |one: Counts, other: Counts| (one.0 + other.0, one.1 + other.1);
        runs.filter_map(|run| {
            let set = KubernetesVersions::from_versions(run.iter().copied())?;
            Some((set, run.iter().filter_map(counts).fold((0, 0), sum)))
        })
        .collect()
    }

    /// Prints the counts, and fails if fewer comparisons agree than did.
    pub(crate) fn finish(&self, name: &str, floor: usize) {
        for ((version, what), (agreed, total)) in &self.by_version {
            println!("{name} {version} {what}: {agreed}/{total}");
        }
        for (versions, (agreed, total)) in self.costs_by_regime() {
            println!("{name} regime of {versions}: {agreed}/{total} static costs");
        }
        for ((family, what), (agreed, total)) in &self.by_family {
            println!("{name} {family} {what}: {agreed}/{total}");
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
