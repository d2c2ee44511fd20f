//! Compiled expressions by what was written, shared by the whole process.
//!
//! Elaboration, lints, emitters, evaluators and `verify` all ask for the same few expressions, some of them for each object that
//! they look at. Expressions that were not asked for lately give way when all together take too many bytes.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regex_automata::meta;

use super::{MatchUnit, MatcherError};

/// All expressions together take about this many bytes at most, not counting the scratch space of the engine.
const MOST_BYTES: usize = 256 << 20;

/// At most so many expressions are kept, for each has scratch space of its own.
const MOST_ENTRIES: usize = 512;

/// An expression, or why it could not be compiled, which takes as long to find out.
pub(super) type Compiled = Result<Arc<meta::Regex>, MatcherError>;

#[derive(Debug)]
struct CacheEntry {
    compiled: Compiled,
    bytes: usize,
    /// The value of the clock when it was last asked for.
    last_use: u64,
}

#[derive(Debug, Default)]
struct RegexCache {
    entries: HashMap<MatchUnit, HashMap<Box<str>, CacheEntry>>,
    bytes: usize,
    count: usize,
    clock: u64,
}

static CACHE: Mutex<Option<RegexCache>> = Mutex::new(None);

thread_local! {
    static COMPILATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The number of expressions that this thread has compiled.
pub(super) fn compilation_count() -> u64 {
    COMPILATIONS.get()
}

/// The expression with this source, if it is kept.
pub(super) fn get(source: &str, unit: MatchUnit) -> Option<Compiled> {
    lock_cache().get_or_insert_default().get(source, unit)
}

/// The expression with this source; `compile` makes it if it is not kept.
pub(super) fn get_or_compile(
    source: &str,
    unit: MatchUnit,
    compile: impl FnOnce() -> Result<meta::Regex, MatcherError>,
) -> Compiled {
    if let Some(known) = get(source, unit) {
        return known;
    }
    // Not under the lock: another thread may need another expression meanwhile.
    COMPILATIONS.set(COMPILATIONS.get() + 1);
    let compiled = compile().map(Arc::new);
    lock_cache().get_or_insert_default().insert(source, unit, compiled.clone());
    compiled
}

/// No step leaves the cache half changed, so it may be used after a panic.
fn lock_cache() -> MutexGuard<'static, Option<RegexCache>> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RegexCache {
    fn get(&mut self, source: &str, unit: MatchUnit) -> Option<Compiled> {
        self.clock += 1;
        let entry = self.entries.get_mut(&unit)?.get_mut(source)?;
        entry.last_use = self.clock;
        Some(entry.compiled.clone())
    }

    fn insert(&mut self, source: &str, unit: MatchUnit, compiled: Compiled) {
        let bytes = source.len() + compiled.as_ref().map_or(0, |regex| regex.memory_usage());
        let entry = CacheEntry { compiled, bytes, last_use: self.clock };
        let old = self.entries.entry(unit).or_default().insert(source.into(), entry);
        self.bytes = (self.bytes + bytes).saturating_sub(old.as_ref().map_or(0, |old| old.bytes));
        self.count += usize::from(old.is_none());
        while (self.bytes > MOST_BYTES || self.count > MOST_ENTRIES) && self.count > 1 {
            self.remove_oldest();
        }
    }

    fn remove_oldest(&mut self) {
        let all = self.entries.iter().flat_map(|(unit, entries)| {
            entries.iter().map(move |(source, entry)| (entry.last_use, *unit, source.clone()))
        });
        let oldest = all.min_by_key(|(last_use, ..)| *last_use);
        let removed = oldest.and_then(|(_, unit, source)| self.entries.get_mut(&unit)?.remove(&source));
        self.bytes = self.bytes.saturating_sub(removed.map_or(0, |entry| entry.bytes));
        self.count = self.count.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_known(cache: &mut RegexCache, source: &str) -> bool {
        cache.get(source, MatchUnit::Byte).is_some()
    }

    #[test]
    fn what_was_not_asked_for_lately_gives_way() {
        let mut cache = RegexCache::default();
        let refused = || Err(MatcherError::Refused(String::new()));
        for number in 0..MOST_ENTRIES {
            cache.insert(&number.to_string(), MatchUnit::Byte, refused());
            assert!(is_known(&mut cache, "0"));
        }
        cache.insert("one more", MatchUnit::Byte, refused());
        assert_eq!(cache.count, MOST_ENTRIES);
        assert!(is_known(&mut cache, "0") && is_known(&mut cache, "one more"));
        assert!(!is_known(&mut cache, "1"));
    }

    #[test]
    fn large_expressions_take_a_bounded_number_of_bytes() {
        let mut cache = RegexCache::default();
        let regex = Arc::new(meta::Regex::new("[a-z]{1000}").unwrap());
        let (bytes, large) = (regex.memory_usage(), || Ok(Arc::clone(&regex)));
        for number in 0..2 * MOST_BYTES / bytes {
            cache.insert(&number.to_string(), MatchUnit::Byte, large());
        }
        assert!(cache.bytes <= MOST_BYTES, "{}", cache.bytes);
        let counted: usize = cache.entries.values().flat_map(HashMap::values).map(|entry| entry.bytes).sum();
        assert_eq!((cache.bytes, cache.count), (counted, cache.entries[&MatchUnit::Byte].len()));
    }
}
