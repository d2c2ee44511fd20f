//! The one model of cases that all formats are read into.

use std::collections::BTreeMap;
use std::sync::Arc;

use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_rule_set::RuleExample;
use serde::Serialize;
use serde_json::Value;

use crate::subject::Subject;

/// The cases of one file or folder.
#[derive(Debug)]
pub struct TestSuite {
    /// Name of its format.
    pub format: &'static str,
    /// Path of the file, or of the folder.
    pub path: String,
    /// The cases, in their order.
    pub cases: Vec<TestCase>,
    /// Findings about parts that cannot be read.
    pub findings: Vec<Diagnostic>,
}

/// One case.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// Its name.
    pub name: String,
    /// Location of the case.
    pub span: Span,
    /// The rules that it is about.
    pub subject: Arc<Subject>,
    /// The request.
    pub input: CaseInput,
    /// The expected answer.
    pub expected: Expectation,
    /// The reason why it is not run; with it, the case counts as skipped.
    pub skipped: Option<String>,
}

/// The request of a case.
#[derive(Clone, Debug, Default)]
pub struct CaseInput {
    /// The object; null on a deletion.
    pub object: Value,
    /// The stored object, as it was written; null on a creation.
    pub old_object: Value,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`; empty if the objects decide.
    pub operation: String,
    /// The subresource; empty for the resource itself.
    pub subresource: String,
    /// The resource, if it is not that of the object's kind.
    pub resource: Option<String>,
    /// Name and namespace of the request, if they are not those of the object.
    pub name: Option<String>,
    /// Namespace of the request.
    pub namespace: Option<String>,
    /// `userInfo` of the request; null if it is not given.
    pub user: Value,
    /// `options` of the request; null if they are not given.
    pub options: Value,
    /// The object of the namespace; null if it is not given.
    pub namespace_object: Value,
    /// The parameters, each with its name.
    pub params: Vec<(String, Value)>,
    /// The decisions of the authorizer; none if it is not given.
    pub decisions: Option<Vec<AuthorizerDecision>>,
    /// The rules that the stored object was written under, if they are not those of the case.
    pub initial_subject: Option<Arc<Subject>>,
    /// The writes that the case consists of.
    pub writes: CaseWrites,
    /// The server that evaluates definitions.
    pub server: KubernetesVersion,
}

/// Writes of a case about a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaseWrites {
    /// The object.
    #[default]
    Object,
    /// The object, and then its status if it has one.
    ObjectThenStatus,
    /// The status alone.
    Status,
}

/// The decision of an authorizer about a check with these attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizerDecision {
    /// API group.
    pub group: String,
    /// Resource.
    pub resource: String,
    /// Subresource.
    pub subresource: String,
    /// Namespace.
    pub namespace: String,
    /// Verb.
    pub verb: String,
    /// True if it is allowed.
    pub is_allowed: bool,
}

/// The expected answer.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// The verdict.
    pub verdict: ExpectedVerdict,
    /// True if the write of the status is the one that is rejected.
    pub is_about_status: bool,
    /// Names of rules that must be violated.
    pub rules: Vec<ExpectedText>,
    /// Texts that must be among the messages.
    pub messages: Vec<ExpectedText>,
    /// Texts that must be among the warnings.
    pub warnings: Vec<ExpectedText>,
    /// The exact number of warnings, if the format compares it.
    pub warning_count: Option<usize>,
    /// Annotations that the audit event must have.
    pub audit: BTreeMap<String, String>,
    /// Conditions on the number of violations.
    pub counts: Vec<ViolationCount>,
    /// The whole object as it must be stored.
    pub stored: Option<Value>,
    /// The example of a RuleSet that the case is; the RuleSet compares it, and its `match` does not count.
    pub example: Option<Arc<RuleExample>>,
}

/// The expected verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpectedVerdict {
    /// The object is accepted.
    #[default]
    Accept,
    /// The object is accepted, and no rule warns.
    #[serde(rename = "accept")]
    Quiet,
    /// The object is accepted by rules that apply to it.
    #[serde(rename = "accept")]
    Admit,
    /// It is accepted with at least one warning.
    Warn,
    /// It is rejected.
    Reject,
    /// The rules are evaluated, and hold.
    Satisfy,
    /// It is rejected because a rule is false.
    Deny,
    /// It is rejected because an expression ends in an error.
    Error,
    /// The rules are not evaluated for it.
    Skip,
    /// Only the other parts of the expectation count.
    Any,
}

/// An expected text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedText {
    /// The text or the pattern.
    pub text: String,
    /// Comparison.
    pub matching: TextMatching,
    /// Location in the suite.
    pub span: Span,
}

/// Comparison of an expected text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMatching {
    /// The whole message.
    Exact,
    /// Part of a message, or of all messages as the server joins them.
    Part,
    /// A regular expression that a part of a message matches.
    Pattern,
}

/// A condition on the number of violations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationCount {
    /// The pattern that counted violations match; all if unset.
    pub pattern: Option<String>,
    /// The number; `None` for at least one.
    pub number: Option<usize>,
    /// Location in the suite.
    pub span: Span,
}

impl ExpectedVerdict {
    /// Returns its name for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept | Self::Quiet | Self::Admit => "accept",
            Self::Warn => "warn",
            Self::Reject => "reject",
            Self::Satisfy => "satisfy",
            Self::Deny => "deny",
            Self::Error => "error",
            Self::Skip => "skip",
            Self::Any => "any",
        }
    }
}

impl ExpectedText {
    /// Creates a text that must be part of a message.
    pub(crate) fn part(text: &str, span: Span) -> Self {
        Self { text: text.to_owned(), matching: TextMatching::Part, span }
    }

    /// Creates a text that must be the whole message.
    pub(crate) fn exact(text: &str, span: Span) -> Self {
        Self { text: text.to_owned(), matching: TextMatching::Exact, span }
    }
}

impl TestSuite {
    /// Creates a suite without cases.
    pub(crate) fn new(format: &'static str, path: &std::path::Path) -> Self {
        Self { format, path: path.to_string_lossy().into_owned(), cases: Vec::new(), findings: Vec::new() }
    }
}
