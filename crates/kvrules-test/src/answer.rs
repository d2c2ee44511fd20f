//! Answers of the engines about cases.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// The answer about a case.
#[derive(Clone, Debug, Default)]
pub struct CaseAnswer {
    /// The verdict.
    pub verdict: AnswerVerdict,
    /// The reason why it is not evaluated; empty otherwise.
    pub reason: String,
    /// The object that was evaluated.
    pub object: Value,
    /// The reasons for the rejection, and violations that only warn.
    pub violations: Vec<Violation>,
    /// Warnings.
    pub warnings: Vec<AnswerWarning>,
    /// Annotations of the audit event.
    pub audit: BTreeMap<String, String>,
    /// The object as it would be stored; null if it is not.
    pub stored: Value,
    /// The stored object that was replaced; null if there was none.
    pub old: Value,
    /// True if the rules of the definition ran: no error of the schema comes before them.
    pub ran_rules: bool,
    /// True if the answer is about the write of the status.
    pub is_about_status: bool,
    /// Beginning of the message of a rejection, before the errors: kind, group and name of an object.
    pub subject: String,
    /// True if no policy and no RuleSet evaluates the request.
    pub is_unmatched: bool,
}

/// The verdict of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerVerdict {
    /// Accepted.
    #[default]
    Accepted,
    /// Accepted with warnings of rules.
    Warned,
    /// Rejected.
    Rejected,
    /// No rule applies.
    Skipped,
    /// Not evaluated, for a reason.
    #[serde(rename = "not evaluated")]
    Unevaluated,
}

/// One reason for a rejection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violation {
    /// The field of the object; empty if none is named.
    pub field: String,
    /// Names of the rule; empty if it is unknown.
    pub rules: Vec<String>,
    /// The message, first as the current server writes it, then in other forms that suites have.
    pub texts: Vec<String>,
    /// True for an expression that ends in an error.
    pub is_error: bool,
}

/// A warning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerWarning {
    /// The whole text.
    pub text: String,
    /// The message of the rule in it.
    pub message: String,
}

impl AnswerVerdict {
    /// Returns its name for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Warned => "accepted with warnings",
            Self::Rejected => "rejected",
            Self::Skipped => "skipped",
            Self::Unevaluated => "not evaluated",
        }
    }
}

impl CaseAnswer {
    /// Creates the answer about a case that cannot be evaluated.
    pub(crate) fn unevaluated(reason: impl Into<String>) -> Self {
        Self { verdict: AnswerVerdict::Unevaluated, reason: reason.into(), ..Self::default() }
    }
}

impl Violation {
    /// The message as the engine writes it.
    pub fn message(&self) -> &str {
        self.texts.first().map(String::as_str).unwrap_or_default()
    }
}
