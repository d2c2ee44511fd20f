//! Counts of work done, for tests that hold that nothing is done twice.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) static PARSES: AtomicU64 = AtomicU64::new(0);
pub(crate) static CHECKS: AtomicU64 = AtomicU64::new(0);
pub(crate) static LITERAL_LISTS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

/// Returns the number of expressions that all threads of the process have parsed so far.
///
/// ```
/// let before = kvrules_cel::work::parses();
/// assert!(kvrules_cel::parse("self > 1").is_ok());
/// assert_eq!(kvrules_cel::work::parses() - before, 1);
/// ```
pub fn parses() -> u64 {
    PARSES.load(Relaxed)
}

/// Returns the number of expressions that all threads of the process have type-checked so far.
pub fn checks() -> u64 {
    CHECKS.load(Relaxed)
}

/// Returns the number of lists of literals that all threads of the process have made values of so far.
pub fn literal_lists() -> u64 {
    LITERAL_LISTS.load(Relaxed)
}
