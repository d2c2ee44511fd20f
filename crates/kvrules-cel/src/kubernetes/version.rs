//! The version of a server.

use std::fmt;
use std::str::FromStr;

/// A minor version of Kubernetes whose server is known, such as 1.29.
///
/// ```
/// use kvrules_cel::kubernetes::KubernetesVersion;
///
/// let version: KubernetesVersion = "1.29".parse().unwrap();
/// assert!(version < KubernetesVersion::NEWEST);
/// let error = "1.24".parse::<KubernetesVersion>().unwrap_err();
/// assert!(error.to_string().contains("1.25, 1.26"), "{error}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubernetesVersion(u8);

/// A text that names no known version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionError {
    /// The text.
    pub text: String,
    problem: &'static str,
}

impl KubernetesVersion {
    /// The oldest known version.
    pub const OLDEST: Self = Self(25);

    /// The newest known version, which is the default.
    pub const NEWEST: Self = Self(36);

    /// The version after the newest, of which some facts are known before its release. Users can choose it, and no default, range
    /// `all` or comparison of versions has it.
    pub const PREVIEW: Self = Self(37);

    /// True if the version is not released.
    ///
    /// ```
    /// use kvrules_cel::kubernetes::KubernetesVersion;
    ///
    /// let preview: KubernetesVersion = "1.37".parse().unwrap();
    /// assert!(preview.is_preview() && !KubernetesVersion::NEWEST.is_preview());
    /// ```
    pub fn is_preview(self) -> bool {
        self > Self::NEWEST
    }

    /// Returns the number after `1.`.
    pub const fn minor(self) -> u8 {
        self.0
    }

    /// Returns every known version, the oldest first.
    pub fn all_known() -> impl DoubleEndedIterator<Item = Self> {
        (Self::OLDEST.0..=Self::NEWEST.0).map(Self)
    }

    /// Returns every version that can be chosen, the oldest first: those that are known, and the preview.
    pub fn all_selectable() -> impl DoubleEndedIterator<Item = Self> {
        Self::all_known().chain([Self::PREVIEW])
    }

    /// Returns the version before this one; `None` for the oldest.
    pub fn previous(self) -> Option<Self> {
        (self > Self::OLDEST).then(|| Self(self.0 - 1))
    }

    /// A version of a table. Facts about versions that are older than the oldest hold from it on.
    pub const fn table_minor(minor: u8) -> Self {
        Self(minor)
    }

    /// True if the version has what came with a minor.
    pub const fn is_at_least(self, minor: u8) -> bool {
        self.0 >= minor
    }
}

impl Default for KubernetesVersion {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

impl FromStr for KubernetesVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let known = Self::all_selectable().find(|version| version.to_string() == text.trim());
        known.ok_or_else(|| VersionError::new(text, "unknown Kubernetes version"))
    }
}

impl VersionError {
    pub(super) fn new(text: &str, problem: &'static str) -> Self {
        Self { text: text.trim().to_owned(), problem }
    }
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = KubernetesVersion::all_known().map(|it| it.to_string()).collect();
        let preview = KubernetesVersion::PREVIEW;
        write!(
            f,
            "{} `{}`; known versions are {}, and {preview} as a preview",
            self.problem,
            self.text,
            known.join(", ")
        )
    }
}

impl std::error::Error for VersionError {}
