//! Estimates the cost of rules, and proposes the bounds that bring rules over the budget under it.

mod advice;
mod bounds;
mod report;
mod search;
mod slots;

pub use advice::advise_simplification;
pub use bounds::Headroom;
pub(crate) use bounds::{BoundRemedies, BoundRemedy, propose_bounds};
pub use report::{
    CostOptions, DefinitionCost, ProposedBound, RuleCost, VersionCost, costs_with, estimate_costs,
    undecided_costs,
};
pub(crate) use report::{definition_value, readable_definitions};

/// The expression of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExpressionField {
    /// The rule itself.
    Rule,
    /// The expression that makes the message.
    MessageExpression,
}

impl ExpressionField {
    /// The name of the field.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::MessageExpression => "messageExpression",
        }
    }
}
