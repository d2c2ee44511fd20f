//! Offsets in 32 bits.

/// A length or offset as the tree keeps it. A source file has at most 4 GiB; what is past that counts as its end.
pub(crate) fn to_offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
