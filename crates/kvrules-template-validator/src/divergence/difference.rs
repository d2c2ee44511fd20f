//! A named difference: what it is called, and how it is recognised.

use crate::divergence::context::DifferenceContext;
use crate::divergence::standalone_rule::{DifferenceSign, StandaloneRule};

/// A named difference between what rules mean and what the deployed validator does.
#[derive(Debug)]
pub struct Difference {
    /// Stable id, such as `D1`.
    pub id: &'static str,
    /// The name, which is also its page's.
    pub name: &'static str,
    /// Summary of the difference, in one sentence.
    pub summary: &'static str,
    /// True if it applies to a rule and an object, or to the whole if the context has no rule.
    pub applies: fn(&DifferenceContext<'_>) -> bool,
    /// Returns its sign in a rule alone, whatever the object is; `None` if only objects show it.
    pub in_rule: Option<fn(&StandaloneRule<'_>) -> Option<DifferenceSign>>,
}
