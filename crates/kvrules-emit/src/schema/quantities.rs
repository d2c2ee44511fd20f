//! Modes in which schemas express the quantities between two bounds.

use crate::{Emitter, Request, TargetOption};

/// Mode in which schemas express the quantities between two bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuantityMode {
    /// By short patterns over the spellings that people use. Other spellings are refused.
    #[default]
    Plain,
    /// By a pattern of several thousand characters over every spelling.
    Exact,
}

/// The option of a target that chooses.
pub(crate) const OPTION: TargetOption = TargetOption {
    name: "quantities",
    values: &["plain", "exact"],
    default: "plain",
    summary: "short patterns for common spellings of quantities, or long patterns for every spelling",
};

/// The spellings that [`QuantityMode::Plain`] leaves out.
pub(crate) const UNCOMMON: &str = "quantities with a sign, an exponent, leading zeros, or more than two digits after the \
                                   point, such as `+1Gi`, `1e9` and `1.125Gi`";

impl QuantityMode {
    /// Returns the mode chosen for a target.
    pub(crate) fn chosen(request: &Request<'_>, emitter: &Emitter) -> Self {
        if request.option_value(emitter, OPTION.name) == "exact" { Self::Exact } else { Self::Plain }
    }
}
