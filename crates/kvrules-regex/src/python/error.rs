//! Errors of a Python pattern: rejected by Python itself, or by us because no engine in linear time can run it.

use std::fmt;
use std::ops::Range;

/// A pattern that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonError {
    /// Kind of the error, by origin.
    pub kind: PythonErrorKind,
    /// Error, in one sentence.
    pub message: String,
    /// The bytes of the pattern at fault.
    pub span: Range<usize>,
}

/// Origin of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PythonErrorKind {
    /// Python, with `re.error`.
    Refused,
    /// Python, with `OverflowError`: a count of 4294967295 or more.
    Overflow,
    /// Python accepts it, but the requested form cannot express this construct.
    Unsupported(Construct),
    /// We: compiled, it would be too large.
    TooLarge,
}

/// Constructs of Python that engines in linear time, or other dialects, lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Construct {
    /// `(?=…)`, `(?!…)`.
    LookAhead,
    /// `(?<=…)`, `(?<!…)`.
    LookBehind,
    /// `\1`, `(?P=name)`.
    BackReference,
    /// `(?(1)…|…)`.
    Conditional,
    /// `(?>…)`.
    AtomicGroup,
    /// `*+`, `++`, `?+`, `{…}+`.
    PossessiveQuantifier,
    /// `\b` and `\B` between words of Unicode.
    UnicodeWordBoundary,
    /// `$` before something that may still take the last line feed.
    EndBeforeMore,
    /// `\N{…}`.
    CharacterName,
    /// Flag `t`.
    TemplateFlag,
    /// A count beyond what the dialect allows.
    LargeCount,
    /// Groups nested too deeply.
    DeepNesting,
}

impl Construct {
    /// The construct in words, for a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LookAhead => "look-ahead",
            Self::LookBehind => "look-behind",
            Self::BackReference => "a back-reference",
            Self::Conditional => "a conditional",
            Self::AtomicGroup => "an atomic group",
            Self::PossessiveQuantifier => "a possessive quantifier",
            Self::UnicodeWordBoundary => "a word boundary of Unicode",
            Self::EndBeforeMore => "`$` before more of the pattern",
            Self::CharacterName => "a character by name",
            Self::TemplateFlag => "flag `t`",
            Self::LargeCount => "a count above 1000",
            Self::DeepNesting => "groups nested more than 200 deep",
        }
    }
}

impl PythonError {
    pub(super) fn new(kind: PythonErrorKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), span }
    }

    pub(super) fn unsupported(construct: Construct, span: Range<usize>) -> Self {
        let message = format!("{} cannot be expressed here", construct.as_str());
        Self::new(PythonErrorKind::Unsupported(construct), span, message)
    }

    /// The construct that is in the way, where Python itself takes the pattern.
    pub fn unsupported_construct(&self) -> Option<Construct> {
        match self.kind {
            PythonErrorKind::Unsupported(construct) => Some(construct),
            _ => None,
        }
    }

    /// The class of the error that Python raises; none if Python takes the pattern.
    pub fn python_class(&self) -> Option<&'static str> {
        match self.kind {
            PythonErrorKind::Refused => Some("error"),
            PythonErrorKind::Overflow => Some("OverflowError"),
            _ => None,
        }
    }
}

impl fmt::Display for PythonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PythonError {}
