//! Sets of versions, as users write them.

use std::fmt;
use std::str::FromStr;

use super::{KubernetesVersion, VersionError};

/// One or more versions, in ascending order: `1.29`, `1.28..1.36`, `1.30,1.33` or `all`.
///
/// ```
/// use kvrules_cel::kubernetes::KubernetesVersions;
///
/// let versions: KubernetesVersions = "1.28..1.30,1.33".parse().unwrap();
/// assert_eq!(versions.iter().count(), 4);
/// assert_eq!(versions.to_string(), "1.28..1.30, 1.33");
/// assert!("1.30..1.28".parse::<KubernetesVersions>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KubernetesVersions {
    /// A bit for each version, that of the oldest known first.
    known: u32,
}

impl KubernetesVersions {
    /// Returns the set of all known versions.
    pub fn all_known() -> Self {
        Self::of_versions(KubernetesVersion::all_known())
    }

    /// Returns a set; `None` if there is no version.
    pub fn from_versions(versions: impl IntoIterator<Item = KubernetesVersion>) -> Option<Self> {
        Some(Self::of_versions(versions)).filter(|versions| versions.known != 0)
    }

    fn of_versions(versions: impl IntoIterator<Item = KubernetesVersion>) -> Self {
        Self { known: versions.into_iter().fold(0, |known, version| known | Self::bit(version)) }
    }

    const fn bit(version: KubernetesVersion) -> u32 {
        1 << (version.minor() - KubernetesVersion::OLDEST.minor())
    }

    /// Returns the versions in ascending order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = KubernetesVersion> + use<> {
        let known = self.known;
        KubernetesVersion::all_selectable().filter(move |version| known & Self::bit(*version) != 0)
    }

    /// Returns the oldest of the versions.
    pub fn oldest(self) -> KubernetesVersion {
        self.iter().next().unwrap_or_default()
    }

    /// Returns the newest of the versions.
    pub fn newest(self) -> KubernetesVersion {
        self.iter().next_back().unwrap_or_default()
    }

    /// True if the versions are the newest known one alone.
    pub fn is_newest_alone(self) -> bool {
        self == Self::default()
    }
}

impl Default for KubernetesVersions {
    fn default() -> Self {
        Self::of_versions([KubernetesVersion::NEWEST])
    }
}

impl fmt::Display for KubernetesVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let follows = |one: &KubernetesVersion, next: &KubernetesVersion| one.minor() + 1 == next.minor();
        let versions: Vec<_> = self.iter().collect();
        let runs = versions.chunk_by(follows).map(|run| match run {
            [one, .., last] if run.len() > 2 => format!("{one}..{last}"),
            several => several.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        });
        f.write_str(&runs.collect::<Vec<_>>().join(", "))
    }
}

impl FromStr for KubernetesVersions {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let mut versions = Vec::new();
        for part in text.split(',') {
            versions.extend(parse_part(part.trim())?);
        }
        Self::from_versions(versions).ok_or_else(|| VersionError::new(text, "no Kubernetes version in"))
    }
}

fn parse_part(part: &str) -> Result<Vec<KubernetesVersion>, VersionError> {
    if part == "all" {
        return Ok(KubernetesVersion::all_known().collect());
    }
    let Some((first, last)) = part.split_once("..") else { return Ok(vec![part.parse()?]) };
    let (first, last): (KubernetesVersion, KubernetesVersion) = (first.parse()?, last.parse()?);
    if first > last {
        return Err(VersionError::new(part, "descending range of Kubernetes versions"));
    }
    Ok(KubernetesVersion::all_selectable().filter(|it| (first..=last).contains(it)).collect())
}
