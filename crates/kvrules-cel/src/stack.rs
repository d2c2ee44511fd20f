//! Room for recursion over deep trees.
//!
//! The limits of the parser bound how deep a tree can be (a few thousand nodes), which is still more than the
//! stack of a thread may hold. Work on such a tree runs on a thread of its own with a stack that is large enough.

/// Trees up to this depth are worked on where the caller stands.
// A thread for each evaluation would be expensive; usual rules are far less deep than this.
const DEPTH_AT_HOME: usize = if HAS_THREADS { 40 } else { 400 };

/// False in WebAssembly, where trees that are too deep for the only stack are refused.
const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));

/// Address space only: pages that are not touched cost nothing.
const STACK_BYTES: usize = 256 << 20;

/// Runs `work`, which recurses `depth` levels deep, with enough stack.
///
/// `None` when the system does not give us a thread.
pub fn with_room<T: Send>(depth: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    if depth <= DEPTH_AT_HOME {
        return Some(work());
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        builder.spawn_scoped(scope, work).ok()?.join().ok()
    })
}
