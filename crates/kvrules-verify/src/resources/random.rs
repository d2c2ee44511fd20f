//! Choices that are the same in every run.

/// Numbers that are the same in every run.
pub(super) struct PseudoRandom(u64);

impl PseudoRandom {
    pub(super) fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    /// A number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap_or(0).checked_rem(limit).unwrap_or(0)
    }

    pub(super) fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}
