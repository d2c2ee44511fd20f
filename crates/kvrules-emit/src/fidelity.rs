//! The fidelity of a target: how exactly it expresses a rule.

use kvrules_diagnostics::Exactness;

use crate::resource_schema::CHOSEN;
use crate::schema::UNCOMMON;

/// Relation between a target's reading of a rule and the rule's meaning, an [`Exactness`] with its cause.
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
    /// Creates the fidelity from its relation and, unless it is exact, the cause.
    pub fn with_cause(exactness: Exactness, cause: String) -> Self {
        match exactness {
            Exactness::Exact => Self::Exact,
            Exactness::Wider => Self::Wider(cause),
            Exactness::Narrower => Self::Narrower(cause),
            Exactness::Incomparable => Self::Incomparable(cause),
            Exactness::Unsupported => Self::Unsupported(cause),
        }
    }

    /// Returns the relation without its cause.
    pub fn exactness(&self) -> Exactness {
        match self {
            Self::Exact => Exactness::Exact,
            Self::Wider(_) => Exactness::Wider,
            Self::Narrower(_) => Exactness::Narrower,
            Self::Incomparable(_) => Exactness::Incomparable,
            Self::Unsupported(_) => Exactness::Unsupported,
        }
    }

    /// Returns the name of the relation shown to users.
    pub fn as_str(&self) -> &'static str {
        self.exactness().as_str()
    }

    /// True if nothing makes it narrower but an option, such as that of common spellings for quantities, or an error of servers.
    pub fn is_chosen(&self) -> bool {
        let (Self::Narrower(cause) | Self::Incomparable(cause)) = self else { return false };
        cause.strip_prefix("the schema rejects ") == Some(UNCOMMON)
            || CHOSEN.iter().any(|chosen| cause.starts_with(chosen))
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
