//! Handles an interruption: Ctrl-C, the end of a session, and a request to end the process.
//!
//! Temporary files are removed, and then the process ends. The handler is set with the first of them, so that a run that
//! writes nothing ends as any other program does.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

/// The exit status of a run that was interrupted, as shells report it.
const INTERRUPTED: i32 = 130;

/// True after the first interrupt.
static ASKED: AtomicBool = AtomicBool::new(false);
/// True if a part of the run ends by itself when asked to.
static DEFERRED: AtomicBool = AtomicBool::new(false);

/// Work in progress of this process.
#[derive(Default)]
pub(super) struct WorkInProgress {
    /// The temporary files.
    pub(super) files: BTreeSet<PathBuf>,
    /// The directories in which nothing is left of runs that are over.
    pub(super) swept: HashSet<PathBuf>,
}

static UNDER_WAY: LazyLock<Mutex<WorkInProgress>> = LazyLock::new(Mutex::default);

/// While this lock is held, no other thread creates, renames or removes a temporary file of this process.
pub(super) fn under_way() -> MutexGuard<'static, WorkInProgress> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WorkInProgress {
    fn remove(&mut self) {
        for path in std::mem::take(&mut self.files) {
            let _ = fs::remove_file(path);
        }
    }
}

/// From here on an interruption removes temporary files.
pub(super) fn guard_temporaries() {
    static ONCE: Once = Once::new();
    // If no handler can be set, the next run removes the temporary files that are left.
    ONCE.call_once(|| _ = ctrlc::set_handler(handle_interrupt));
}

/// Called in a thread of its own.
fn handle_interrupt() {
    // A second interrupt ends the process at once, because the user does not want to wait.
    if !ASKED.swap(true, Ordering::SeqCst) && DEFERRED.load(Ordering::SeqCst) {
        return;
    }
    // The lock is held until the process exits, so that no file is added after the removal, and no set is renamed
    // halfway.
    let mut under_way = under_way();
    under_way.remove();
    std::process::exit(INTERRUPTED);
}

/// A part of a run that ends by itself when somebody asks it to.
#[derive(Debug)]
pub(crate) struct InterruptDeferral(());

impl InterruptDeferral {
    /// Begins such a part. There is one at a time.
    pub(crate) fn begin() -> Self {
        guard_temporaries();
        DEFERRED.store(true, Ordering::SeqCst);
        Self(())
    }

    /// True after the first interrupt.
    #[expect(clippy::unused_self, reason = "only such a part is asked to end")]
    pub(crate) fn is_requested(&self) -> bool {
        ASKED.load(Ordering::SeqCst)
    }
}

impl Drop for InterruptDeferral {
    fn drop(&mut self) {
        DEFERRED.store(false, Ordering::SeqCst);
    }
}
