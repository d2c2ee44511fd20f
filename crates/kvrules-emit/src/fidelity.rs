//! The fidelity of a target: how exactly it expresses a rule.

use crate::schema::UNCOMMON;

/// Relation between a target's reading of a rule and the rule's meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// It accepts exactly the objects that the rule accepts.
    Exact,
    /// It accepts more; the cause in one sentence.
    Wider(String),
    /// It accepts less; the cause in one sentence.
    Narrower(String),
    /// It accepts more in one place and less in another; the cause in one sentence.
    Incomparable(String),
    /// It does not say the rule at all; the cause in one sentence.
    Unsupported(String),
}

impl Fidelity {
    /// The word for it: `exact`, `wider`, `narrower`, `incomparable`, `unsupported`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Wider(_) => "wider",
            Self::Narrower(_) => "narrower",
            Self::Incomparable(_) => "incomparable",
            Self::Unsupported(_) => "unsupported",
        }
    }

    /// True if nothing makes it narrower but the choice of common spellings for quantities, which an option undoes.
    pub fn is_chosen(&self) -> bool {
        matches!(self, Self::Narrower(cause) if cause.strip_prefix("the schema rejects ") == Some(UNCOMMON))
    }

    /// Returns the reason if it is not exact.
    pub fn cause(&self) -> Option<&str> {
        match self {
            Self::Exact => None,
            Self::Wider(cause)
            | Self::Narrower(cause)
            | Self::Incomparable(cause)
            | Self::Unsupported(cause) => Some(cause),
        }
    }
}

/// The fidelity of one rule of one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFidelity {
    /// The set's name.
    pub set: String,
    /// The rule's name.
    pub rule: String,
    /// Fidelity of the target to the rule.
    pub fidelity: Fidelity,
}
