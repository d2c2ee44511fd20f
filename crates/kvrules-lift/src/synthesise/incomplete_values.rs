//! Values that lack one of the fields that formulas name, and in which functions can read all other texts.

use kvrules_generate::{ObjectGenerator, PseudoRandom};
use serde_json::Value as Json;

use super::{Edit, RuleValues, edit_value};

/// Number of values without a field missing.
const COMPLETE: usize = 3;

/// The most values that are made.
const MOST_INCOMPLETE: usize = 60;

impl RuleValues {
    /// Values without one of the fields that formulas name, each with the value that it replaces where the rule is about updates.
    pub(crate) fn incomplete_pairs(&self) -> Vec<(Json, Option<Json>)> {
        let mut chance = PseudoRandom::new();
        let mut pairs = Vec::new();
        let optional: Vec<_> =
            self.changes.iter().filter(|change| change.edits.contains(&Edit::Remove)).collect();
        for variant in 0..COMPLETE {
            let complete = self.complete_value(variant, &mut chance);
            for change in &optional {
                let mut lacking = complete.clone();
                edit_value(
                    &mut lacking,
                    self.schema.value_schema(),
                    &change.steps,
                    &Edit::Remove,
                    &mut chance,
                );
                if self.is_transition {
                    pairs.push((complete.clone(), Some(lacking.clone())));
                }
                pairs.push((lacking, self.is_transition.then(|| complete.clone())));
            }
        }
        pairs.truncate(MOST_INCOMPLETE);
        pairs
    }

    /// A value with all fields that formulas name, and with texts that functions can read.
    fn complete_value(&self, variant: usize, chance: &mut PseudoRandom) -> Json {
        let mut value = ObjectGenerator::new(self.schema.value_schema()).generate_valid(variant);
        for change in &self.changes {
            edit_value(&mut value, self.schema.value_schema(), &change.steps, &Edit::Make, chance);
        }
        for (steps, samples) in &self.readings {
            let sample = samples.iter().cycle().nth(variant);
            if let Some(sample) = sample {
                let edit = Edit::Set((*sample).into());
                edit_value(&mut value, self.schema.value_schema(), steps, &edit, chance);
            }
        }
        value
    }
}

/// Texts that a function can read in the argument with a number, or of which it says that others can.
pub(crate) fn readable_texts(function: &str, argument: usize) -> Option<&'static [&'static str]> {
    match (function, argument) {
        ("quantity" | "isQuantity", 0) => Some(&["1", "2", "500m"]),
        ("duration", 0) => Some(&["1s", "2h", "1m"]),
        ("timestamp", 0) => Some(&["2024-01-01T00:00:00Z", "2031-01-01T00:00:00Z"]),
        ("ip" | "isIP" | "ip.isCanonical", 0) | ("containsIP", 1) => {
            Some(&["10.1.2.3", "192.168.0.1", "fd00::1"])
        }
        ("cidr" | "isCIDR", 0) | ("containsCIDR", 1) => Some(&["10.0.0.0/8", "10.0.0.0/16", "fd00::/8"]),
        ("url" | "isURL", 0) => Some(&["https://example.com/a", "http://example.org"]),
        ("semver" | "isSemver", 0) => Some(&["1.2.3", "2.0.0", "0.1.0"]),
        ("int" | "uint" | "double", 0) => Some(&["1", "20", "0"]),
        _ => None,
    }
}
