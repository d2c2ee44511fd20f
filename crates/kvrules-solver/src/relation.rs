//! Answers to questions about all objects.

use kvrules_ir::ElaboratedRule;
use serde_json::Value;

use crate::search::{SearchResult, find_object};
use crate::unknown_reason::UnknownReason;

/// The answer to a question about all objects.
#[derive(Clone, Debug, PartialEq)]
pub enum ProofAnswer {
    /// Yes; this is proved.
    Yes,
    /// No. The object shows it, if a single one can.
    No(Option<Value>),
    /// Undecided.
    Unknown(UnknownReason),
}

impl ProofAnswer {
    /// True if the answer is a proved yes.
    pub fn is_yes(&self) -> bool {
        *self == Self::Yes
    }

    fn from_search(found: SearchResult) -> Self {
        match found {
            SearchResult::Nothing => Self::Yes,
            SearchResult::Object(object) => Self::No(Some(object)),
            SearchResult::Unknown(reason) => Self::Unknown(reason),
        }
    }
}

/// Tests that every object satisfies the rule.
pub fn always_holds(rule: &ElaboratedRule) -> ProofAnswer {
    ProofAnswer::from_search(find_object(&[(&rule.predicate, false)]))
}
