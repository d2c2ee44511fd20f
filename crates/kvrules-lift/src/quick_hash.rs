//! A hash for tables whose keys are numbers and terms, which are looked up far more often than anything else.
//!
//! Unlike that of the standard library it does not withstand keys that were chosen to collide. The tables have a bounded number of terms.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map with this hash.
pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// A set with this hash.
pub(crate) type QuickSet<K> = HashSet<K, BuildHasherDefault<QuickHasher>>;

/// Multiplies word by word, and joins both halves of the product, so that all bits of a word reach the lowest ones, from which tables take
/// the place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QuickHasher(u64);

/// An odd number without a pattern in its bits: 2^64 divided by π.
const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

impl QuickHasher {
    #[expect(clippy::cast_possible_truncation, reason = "each half by itself")]
    fn add_word(&mut self, word: u64) {
        let product = u128::from(self.0.rotate_left(5) ^ word) * u128::from(FACTOR);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.add_word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            self.add_word(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.add_word(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.add_word(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.add_word(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.add_word(u64::try_from(number).unwrap_or(u64::MAX));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher as _;

    use super::*;

    #[test]
    fn small_numbers_and_similar_texts_have_different_hashes_in_their_low_bits() {
        let hasher = BuildHasherDefault::<QuickHasher>::default();
        let low = |hash: u64| hash & 0xffff;
        let pairs = (0..100_u32).flat_map(|one| (0..10_u32).map(move |other| (one, other)));
        let numbers: HashSet<u64> = pairs.map(|pair| low(hasher.hash_one(pair))).collect();
        let texts = (0..1000).map(|number| format!("field{number}"));
        let texts: HashSet<u64> = texts.map(|text| low(hasher.hash_one(text))).collect();
        assert!(numbers.len() > 950 && texts.len() > 950, "{} {}", numbers.len(), texts.len());
    }
}
