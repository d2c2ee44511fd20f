//! A named difference: what it is called, and how it is recognised.

use crate::alone::{RuleAlone, Sign};
use crate::context::Context;

/// A named difference between what rules mean and what the deployed validator does.
#[derive(Debug)]
pub struct Difference {
    /// Stable id, such as `D1`.
    pub id: &'static str,
    /// The name, which is also its page's.
    pub name: &'static str,
    /// What differs, in one sentence.
    pub summary: &'static str,
    /// True if it applies to a rule and an object, or to the whole where the context has no rule.
    pub applies: fn(&Context<'_>) -> bool,
    /// What a rule alone shows of it, whatever the object is; none where only objects show it.
    pub in_rule: Option<fn(&RuleAlone<'_>) -> Option<Sign>>,
}
