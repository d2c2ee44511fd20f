//! Counting agreement with recorded cases.

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
