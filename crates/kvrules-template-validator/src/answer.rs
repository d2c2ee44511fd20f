//! Answers of the validator, in the shape in which they were recorded.

use serde::Serialize;

/// The validator's answer. Exactly one of the first three members is set, or else the last three are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidatorAnswer {
    /// Reason why the VirtualMachine does not decode; it is denied.
    pub vm_error: Option<String>,
    /// Reason why the annotation does not decode; the VirtualMachine is denied.
    pub parse_error: Option<String>,
    /// Message with which evaluation panics; the connection drops, and the VirtualMachine is denied.
    pub panic: Option<String>,
    /// Result of each rule, in their order.
    pub status: Option<Vec<RuleStatus>>,
    /// True if the VirtualMachine is allowed.
    pub succeeded: Option<bool>,
    /// Causes reported to the user if it is denied.
    pub causes: Option<Vec<DenialCause>>,
}

/// Result of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
// ssp-operator validation/eval.go, Report.
pub struct RuleStatus {
    /// The rule's name.
    pub name: String,
    /// True if its `valid` found nothing.
    pub skipped: bool,
    /// True if it is satisfied; false if it was skipped or is in error.
    pub satisfied: bool,
    /// Error in the rule itself.
    pub error: Option<String>,
    /// Description of what was found; empty if it was skipped or is in error.
    pub message: String,
}

/// A reason for which a VirtualMachine is denied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
// ssp-operator validation/eval.go, Result.ToStatusCauses; the type of each cause is FieldValueInvalid.
pub struct DenialCause {
    /// The rule's path, without its prefix.
    pub field: String,
    /// The rule's message and what was found.
    pub message: String,
}

impl ValidatorAnswer {
    /// True if the VirtualMachine is allowed: it decodes, the rules do, and none denies it.
    // After a panic there is no answer, and the webhook's failurePolicy is Fail, so the VirtualMachine is denied too.
    pub fn is_allowed(&self) -> bool {
        self.succeeded == Some(true)
    }
}
