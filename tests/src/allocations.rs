//! Counts what a test allocates, as a measure of its work that is the same on every machine.
//!
//! Test binaries of other crates take this file in by its path: it needs nothing but the standard library.
#![allow(unsafe_code, reason = "an allocator is unsafe by nature; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts the bytes that each thread asks for.
#[derive(Debug)]
pub(crate) struct PerThread;

#[global_allocator]
static ALLOCATOR: PerThread = PerThread;

/// Returns what `work` returns, and the number of bytes that it asked for in this thread, those given back included.
pub(crate) fn allocated_by<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = BYTES.with(Cell::get);
    let made = work();
    (made, BYTES.with(Cell::get) - before)
}

/// Counts bytes; a thread that ends has no counter any more.
fn count_bytes(bytes: usize) {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let _ = BYTES.try_with(|counter| counter.set(counter.get().saturating_add(bytes)));
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for PerThread {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_bytes(layout.size());
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_bytes(size);
        // SAFETY: the caller keeps the promises of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}
