//! Seeds of tests with random inputs: the same ones in each quick run, and others behind `cargo xtask test --full`.

use std::ops::Range;

/// Seed at which a full run starts; `cargo xtask test --full` sets and prints it.
const FULL_SEED: &str = "KVRULES_FULL_SEED";

/// The only seed to run, to repeat a failure.
const ONE_SEED: &str = "KVRULES_SEED";

/// Number of times that a full run does as much as a quick one.
const FULL_FACTOR: u32 = 10;

fn read_seed(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|error| panic!("{variable}={text}: {error}")))
}

/// The seeds of a test that has `quick` of them in a quick run. A full run has ten times as many, from its own start.
///
/// # Panics
///
/// If a variable of the environment is not a number.
pub fn seed_range(quick: u64) -> Range<u64> {
    match (read_seed(ONE_SEED), read_seed(FULL_SEED)) {
        (Some(seed), _) => seed..seed + 1,
        (None, Some(start)) => start..start + quick * u64::from(FULL_FACTOR),
        (None, None) => 0..quick,
    }
}

/// True if all seeds of the quick run are run, so that what they find can be counted.
pub fn is_quick_run() -> bool {
    read_seed(ONE_SEED).is_none() && read_seed(FULL_SEED).is_none()
}

/// The number of cases of a property that has `quick` of them in a quick run. Their seed is `PROPTEST_RNG_SEED`, which
/// `.cargo/config.toml` fixes.
///
/// # Panics
///
/// If a variable of the environment is not a number.
pub fn case_count(quick: u32) -> u32 {
    if read_seed(FULL_SEED).is_some() { quick * FULL_FACTOR } else { quick }
}
