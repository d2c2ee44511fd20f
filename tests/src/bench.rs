//! Measuring by comparison: machines are noisy, so two things are timed in turn and only their ratio is told.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// The shortest times of two pieces of work, taken in turn `rounds` times.
pub fn compare_times(rounds: usize, mut one: impl FnMut(), mut other: impl FnMut()) -> (Duration, Duration) {
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        best.0 = best.0.min(measure_time(&mut one));
        best.1 = best.1.min(measure_time(&mut other));
    }
    best
}

fn measure_time(work: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// `numerator / denominator`.
pub fn duration_ratio(numerator: Duration, denominator: Duration) -> f64 {
    numerator.as_secs_f64() / denominator.as_secs_f64().max(f64::EPSILON)
}

/// An allocator that knows how much was in use at the most. For benches alone.
pub struct PeakAllocator {
    used: AtomicUsize,
    peak: AtomicUsize,
}

impl Default for PeakAllocator {
    fn default() -> Self {
        Self::new()
    }
}

impl PeakAllocator {
    /// Nothing is in use.
    pub const fn new() -> Self {
        Self { used: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    /// The most bytes that `work` had in use at once, beyond what was in use before it.
    pub fn peak_of<T>(&self, work: impl FnOnce() -> T) -> usize {
        let before = self.used.load(Relaxed);
        self.peak.store(before, Relaxed);
        let result = work();
        let peak = self.peak.load(Relaxed) - before;
        drop(result);
        peak
    }

    fn grow(&self, size: usize) {
        let used = self.used.fetch_add(size, Relaxed) + size;
        self.peak.fetch_max(used, Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator as it came; the counters do not touch memory.
unsafe impl GlobalAlloc for PeakAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.used.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}
