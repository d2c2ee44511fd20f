//! Answers of an API server's admission with ValidatingAdmissionPolicies.

mod allowed;
mod answer;
mod evaluate_objects;
mod places;
mod read;
mod request;
mod resources;
mod rules;

use serde::Serialize;

use super::ObjectLocation;

pub use allowed::AllowedAction;
pub(super) use evaluate_objects::evaluate_objects;
pub use read::{PolicyFile, PolicyFileRole};
pub use request::{RequestOperation, RequestSetup, RequestUser, drop_built_in_nulls};
pub use resources::{DeclaredResource, KnownResources};
pub use rules::PolicyRules;

use std::collections::BTreeMap;

/// Answer of the policies about an object.
#[derive(Clone, Debug, Serialize)]
pub struct AdmissionAnswer {
    /// All in all.
    pub verdict: AdmissionVerdict,
    /// The operation, such as `create`.
    pub operation: &'static str,
    /// The resource of the request, such as `deployments.apps`.
    pub resource: String,
    /// The subresource of the request, if it is for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
    /// The server's answer to a request that is denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denial: Option<AdmissionDenial>,
    /// Warnings that the server sends.
    pub warnings: Vec<String>,
    /// Annotations of the audit event.
    #[serde(rename = "auditAnnotations")]
    pub audit: BTreeMap<String, String>,
    /// The result of each policy with each binding and parameter.
    pub policies: Vec<PolicyResult>,
}

/// Verdict of all policies on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdmissionVerdict {
    /// The request is admitted, and at least one policy was evaluated.
    Accepted,
    /// A policy denies the request.
    Rejected,
    /// No policy applies to the request.
    #[serde(rename = "not matched")]
    NotMatched,
    /// A policy could not be evaluated, and no other one denies the request.
    Unknown,
}

/// A denial as the server reports it.
#[derive(Clone, Debug, Serialize)]
pub struct AdmissionDenial {
    /// The HTTP status.
    pub status: u16,
    /// The reason, such as `Invalid`.
    pub reason: String,
    /// The whole message.
    pub message: String,
}

/// Result of a policy with one binding and one parameter.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyResult {
    /// The name of the policy.
    pub policy: String,
    /// The name of the binding; none if the policy has none, or does not match.
    pub binding: Option<String>,
    /// The name of the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
    /// The result in words.
    pub outcome: PolicyResultKind,
    /// The reason if the policy was not evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The file of what decides that: the policy or the binding.
    pub file: String,
    /// The location in that file.
    #[serde(flatten)]
    pub at: ObjectLocation,
    /// Failed validations and errors.
    pub failures: Vec<PolicyFailure>,
}

/// Result of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyResultKind {
    /// All validations hold.
    Passed,
    /// A validation or an error denies the request.
    Denied,
    /// A validation fails, and the binding only warns.
    Warned,
    /// A validation fails, and the binding only records it.
    Audited,
    /// An error occurs, and the failure policy ignores it.
    #[serde(rename = "error ignored")]
    ErrorIgnored,
    /// A match condition is false.
    Skipped,
    /// A constraint of the policy or the binding excludes the request.
    #[serde(rename = "not matched")]
    NotMatched,
    /// The binding selects no parameter, and accepts that.
    #[serde(rename = "no parameters")]
    NoParameters,
    /// Something that the evaluation requires is unknown.
    #[serde(rename = "not evaluated")]
    NotEvaluated,
}

/// A failed validation, or an error.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyFailure {
    /// Index of the validation, from 0, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<usize>,
    /// The field of the policy or the binding that decides.
    pub field: String,
    /// The expression in that field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// The message.
    pub message: String,
    /// The reason, such as `Invalid`.
    pub reason: String,
    /// True for an error, false for a validation that is false.
    pub error: bool,
    /// True for an error that the failure policy ignores.
    pub ignored: bool,
    /// Consequences by the binding: `Deny`, `Warn`, `Audit`.
    pub actions: Vec<&'static str>,
    /// The file of the field.
    pub file: String,
    /// The location of the field.
    #[serde(flatten)]
    pub at: ObjectLocation,
}

impl AdmissionVerdict {
    /// Returns its name for users.
    ///
    /// ```
    /// assert_eq!(kvrules::eval::AdmissionVerdict::NotMatched.as_str(), "not matched");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::NotMatched => "not matched",
            Self::Unknown => "unknown",
        }
    }
}

impl PolicyResultKind {
    /// Returns its name for users.
    ///
    /// ```
    /// assert_eq!(kvrules::eval::PolicyResultKind::ErrorIgnored.as_str(), "error ignored");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Denied => "denied",
            Self::Warned => "warned",
            Self::Audited => "audited",
            Self::ErrorIgnored => "error ignored",
            Self::Skipped => "skipped",
            Self::NotMatched => "not matched",
            Self::NoParameters => "no parameters",
            Self::NotEvaluated => "not evaluated",
        }
    }

    /// True if validations of the policy were evaluated, or an error came before them.
    ///
    /// ```
    /// use kvrules::eval::PolicyResultKind;
    ///
    /// assert!(PolicyResultKind::Warned.is_evaluated() && !PolicyResultKind::Skipped.is_evaluated());
    /// ```
    pub fn is_evaluated(self) -> bool {
        !matches!(self, Self::Skipped | Self::NotMatched | Self::NoParameters | Self::NotEvaluated)
    }
}
