//! Choices that are the same in every run.

/// Numbers that are the same in every run.
#[derive(Debug)]
pub struct PseudoRandom(u64);

impl Default for PseudoRandom {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl PseudoRandom {
    /// The same numbers as every other.
    pub fn new() -> Self {
        Self::default()
    }

    /// The numbers of a seed: other seeds have others.
    pub fn with_seed(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number below a limit.
    pub fn number_below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap_or(0).checked_rem(limit).unwrap_or(0)
    }

    /// Leaves out some numbers.
    pub fn skip_numbers(&mut self, count: usize) {
        for _ in 0..count {
            self.number_below(1);
        }
    }

    /// One of several values; none of none.
    pub fn choose_one<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.number_below(from.len()))
    }
}
