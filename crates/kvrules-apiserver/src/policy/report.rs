//! Reports on requests: the result of each policy with each of its bindings.

/// The result of one policy for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyReport {
    /// Index of the policy.
    pub policy: usize,
    /// The result.
    pub outcome: PolicyOutcome,
}

/// Result of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyOutcome {
    /// No policy sees requests for this resource.
    Exempt,
    /// `matchConstraints` exclude the request.
    NotMatched(Mismatch),
    /// A rule matches the request after a conversion of the object to one of these versions.
    NeedsConversion(Vec<String>),
    /// The result of each binding that names the policy.
    Bound(Vec<BindingReport>),
    /// An expression or a selector requires something that the request does not specify.
    Unsupported(String),
}

/// The result of a policy with one binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingReport {
    /// Index of the binding.
    pub binding: usize,
    /// The result.
    pub outcome: BindingOutcome,
}

/// Result of a policy with a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingOutcome {
    /// `matchResources` exclude the request.
    NotMatched(Mismatch),
    /// The reference to parameters fails.
    ParamError(Decision),
    /// No parameters exist, and the binding accepts that.
    NoParams,
    /// The result for each parameter; exactly one if the binding names none.
    Evaluated(Vec<ParamReport>),
    /// An expression or a selector requires something that the request does not specify.
    Unsupported(String),
}

/// The result of a policy with one parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamReport {
    /// The name of the parameter.
    pub param: Option<String>,
    /// Index of the match condition that is false; validations are not evaluated then.
    pub skipped_by: Option<usize>,
    /// Failed validations and errors, in their order.
    pub decisions: Vec<Decision>,
    /// Audit annotations: keys without the policy's name, and values.
    pub annotations: Vec<(String, String)>,
}

/// A validation that failed, or an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The part of the policy that decides.
    pub origin: DecisionOrigin,
    /// The text.
    pub message: String,
    /// The reason of the answer.
    pub reason: String,
    /// True for an error, false for a validation that is false.
    pub is_error: bool,
    /// True if it denies even if the binding only warns.
    pub always: bool,
    /// True for an error that the failure policy ignores.
    pub is_ignored: bool,
}

/// Part of a policy or a binding that a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionOrigin {
    /// The validation with this index.
    Validation(usize),
    /// The validation with this index, at which the cost budget ran out.
    Budget(usize),
    /// The match conditions; the first one that fails, if it is only one.
    MatchConditions(Option<usize>),
    /// The audit annotation with this index.
    Annotation(usize),
    /// All audit annotations together.
    Annotations,
    /// The binding's reference to parameters.
    ParamRef,
}

/// The constraint that excludes a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// `namespaceSelector`
    NamespaceSelector,
    /// `objectSelector`
    ObjectSelector,
    /// The entry of `excludeResourceRules` with this index.
    Excluded(usize),
    /// The field of a constraint's `spec.match`.
    Constraint(&'static str),
    /// `resourceRules`: the rule that is nearest to the request, and the field of it that differs.
    Rules(usize, &'static str),
}
