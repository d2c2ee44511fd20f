//! Predicts the behaviour of the deployed validator for a rule, without any object.

use crate::divergence::difference::Difference;
use crate::divergence::differences::DIFFERENCES;
use crate::divergence::standalone_rule::{DifferenceEffect, StandaloneRule};

/// A difference that a rule shows whatever the object is.
#[derive(Clone, Debug)]
pub struct PredictedDifference {
    /// Difference that applies.
    pub difference: &'static Difference,
    /// Effect of the difference.
    pub effect: DifferenceEffect,
    /// The key of the rule that shows it, as the validator spells it: `min`; none if it is the whole rule.
    pub key: Option<&'static str>,
    /// Reason, in one clause that begins in lower case. Its `it` is the deployed validator.
    pub because: String,
}

/// Predicts the behaviour of the deployed validator for a rule, in the order of the differences; mostly empty.
pub fn predict_differences(rule: &StandaloneRule<'_>) -> Vec<PredictedDifference> {
    let signs = DIFFERENCES.iter().filter_map(|difference| {
        let sign = difference.in_rule?(rule)?;
        Some(PredictedDifference { difference, effect: sign.effect, key: sign.key, because: sign.because })
    });
    signs.collect()
}
