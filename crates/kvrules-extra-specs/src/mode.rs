//! Strictness with which a flavor is checked against the definitions.

use std::fmt;
use std::str::FromStr;

/// The specification's three modes.
///
/// ```
/// use kvrules_extra_specs::ValidationMode;
/// assert_eq!("permissive".parse(), Ok(ValidationMode::Permissive));
/// assert!("disabled".parse::<ValidationMode>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ValidationMode {
    /// Wrong values and keys without definition are refused.
    #[default]
    Strict,
    /// Wrong values are refused, keys without definition are reported.
    Permissive,
    /// Everything is accepted, and nothing reported.
    Off,
}

impl ValidationMode {
    /// All modes.
    // The draft of Nova that was never released called the last one `disabled`; the specification says `off`.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Permissive, Self::Off];

    /// The word that users write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Permissive => "permissive",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for ValidationMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is not a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValidation(pub String);

impl fmt::Display for UnknownValidation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not one of `strict`, `permissive` and `off`", self.0)
    }
}

impl std::error::Error for UnknownValidation {}

impl FromStr for ValidationMode {
    type Err = UnknownValidation;

    fn from_str(word: &str) -> Result<Self, UnknownValidation> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.as_str() == word)
            .ok_or_else(|| UnknownValidation(word.to_owned()))
    }
}
