//! A small generator of random numbers that gives the same numbers on every machine: SplitMix64 (Steele, Lea and Flood, 2014).

/// Generator with a seed.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Creates the generator of one case of a run, so that a case can be repeated without those before it.
    pub fn of_case(seed: u64, case: u64) -> Self {
        // Both are mixed: the states of a generator are multiples of one number apart, so those of plain sums would overlap.
        Self::new(Self::new(seed).next_number() ^ Self::new(!case).next_number().rotate_left(17))
    }

    /// Returns the next number.
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next_number() % end as u64) as usize }
    }

    /// Returns a number of `start..=last`.
    pub fn between(&mut self, start: i64, last: i64) -> i64 {
        start + self.below((last - start + 1).max(1) as usize) as i64
    }

    /// True in `times` of `of` calls.
    pub fn chance(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }

    /// Returns one of several values.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn choose<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_numbers() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_number()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn cases_of_a_seed_differ() {
        let number = |case| Random::of_case(7, case).next_number();
        assert_ne!(number(0), number(1));
        assert_eq!(number(5), number(5));
    }
}
