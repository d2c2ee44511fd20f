//! Answers of Nova.

use std::collections::BTreeMap;

/// Nova's answer to a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NovaOutcome {
    /// The pair is accepted.
    Accepted,
    /// The pair is refused, with HTTP 400.
    Refused(NovaRefusal),
    /// Nova falls over with an error of this class, which is not a refusal.
    Crash(&'static str),
    /// Nova refuses the name, or falls over with an error of this class: that depends on the order of a set in
    /// Python's memory and changes from run to run.
    Unstable {
        /// The class of the error.
        crash: &'static str,
    },
    /// A pattern has what we cannot read, or takes more steps than we are ready to make.
    Undecided,
}

impl NovaOutcome {
    /// True if the pair is accepted.
    pub fn is_accepted(&self) -> bool {
        *self == Self::Accepted
    }
}

/// Reason why a pair is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NovaRefusal {
    /// Kind of the error.
    pub kind: NovaRefusalKind,
    /// Nova's own words.
    pub text: String,
}

/// The kinds of refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NovaRefusalKind {
    /// The namespace is known and the name is not.
    UnknownName,
    /// The name of a definition was used as a key.
    NameFormat,
    /// No integer.
    NotInt,
    /// Above `max`.
    TooBig,
    /// Below `min`.
    TooSmall,
    /// Not one of the words for yes and no.
    NotBool,
    /// The pattern does not match.
    Pattern,
    /// Not in the enum.
    Enum,
}

impl NovaRefusalKind {
    /// The word for it in the recorded cases.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownName => "unknown_name",
            Self::NameFormat => "name_format",
            Self::NotInt => "not_int",
            Self::TooBig => "too_big",
            Self::TooSmall => "too_small",
            Self::NotBool => "not_bool",
            Self::Pattern => "pattern",
            Self::Enum => "enum",
        }
    }
}

impl NovaRefusal {
    // nova api/validation/extra_specs/base.py: every message of a ValidationError begins so.
    pub(crate) fn new(kind: NovaRefusalKind, text: impl std::fmt::Display) -> Self {
        Self { kind, text: format!("Validation failed; {text}.") }
    }

    // nova api/validation/extra_specs/validators.py, validate.
    pub(crate) fn unknown_name(name: &str) -> Self {
        let text = format!("extra spec '{name}' does not appear to be a valid extra spec");
        Self::new(NovaRefusalKind::UnknownName, text)
    }

    // nova api/validation/extra_specs/base.py, ExtraSpecValidator.validate.
    pub(crate) fn name_format(template: &str, name: &str) -> Self {
        let text = format!("expected a name of format '{template}' but got '{name}'");
        Self::new(NovaRefusalKind::NameFormat, text)
    }
}

/// The definition that decides about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDefinition {
    /// Its name as written.
    pub definition: String,
    /// Values of the parameters of the name; `None` if the name equals the key.
    pub parameters: Option<BTreeMap<String, String>>,
}
