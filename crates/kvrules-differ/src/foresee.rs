//! Predicts the behaviour of the deployed validator for a rule, without any object.

use crate::alone::{Effect, RuleAlone};
use crate::difference::Difference;
use crate::differences::DIFFERENCES;

/// A difference that a rule shows whatever the object is.
#[derive(Clone, Debug)]
pub struct Foreseen {
    /// Difference that applies.
    pub difference: &'static Difference,
    /// Effect of the difference.
    pub effect: Effect,
    /// The key of the rule that shows it, as the validator spells it: `min`; none where it is the whole rule.
    pub key: Option<&'static str>,
    /// Reason, in one clause that begins in lower case. Its `it` is the deployed validator.
    pub because: String,
}

/// Predicts the behaviour of the deployed validator for a rule, in the order of the differences; mostly empty.
pub fn predict_differences(rule: &RuleAlone<'_>) -> Vec<Foreseen> {
    let signs = DIFFERENCES.iter().filter_map(|difference| {
        let sign = difference.in_rule?(rule)?;
        Some(Foreseen { difference, effect: sign.effect, key: sign.key, because: sign.because })
    });
    signs.collect()
}
