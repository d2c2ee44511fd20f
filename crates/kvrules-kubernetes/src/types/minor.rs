//! Minors of Kubernetes, and sets of them.

use std::fmt;

/// A minor of Kubernetes that the data describe, such as 1.36.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minor(u8);

/// Minors in which something is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinorSet(u8);

impl Minor {
    /// The oldest one.
    pub const OLDEST: Self = Self(31);
    /// The newest one.
    pub const NEWEST: Self = Self(36);

    /// All of them, the newest first.
    ///
    /// ```
    /// use kvrules_kubernetes::types::Minor;
    /// assert_eq!(Minor::newest_first().next(), Some(Minor::NEWEST));
    /// assert_eq!(Minor::newest_first().last().unwrap().to_string(), "1.31");
    /// ```
    pub fn newest_first() -> impl Iterator<Item = Self> {
        (Self::OLDEST.0..=Self::NEWEST.0).rev().map(Self)
    }

    fn bit(self) -> u8 {
        1 << (self.0 - Self::OLDEST.0)
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "1.{}", self.0)
    }
}

impl MinorSet {
    /// Parses the two hexadecimal digits of the data, one bit a minor from the oldest.
    pub(crate) fn parse_digits(digits: &str) -> Option<Self> {
        u8::from_str_radix(digits, 16).ok().map(Self)
    }

    /// True if the minor is one of them.
    pub fn contains(self, minor: Minor) -> bool {
        self.0 & minor.bit() != 0
    }
}
