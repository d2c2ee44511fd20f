//! Files that become longer than the system lets them, for both programs.

/// Makes writing beyond the size limit of files an error instead of ending the process.
///
/// The signal is held back in this thread and so in all that it starts; the write that causes it fails as well.
#[cfg(unix)]
pub(crate) fn fail_on_long_files() {
    use nix::sys::signal::{SigSet, Signal};
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // If blocking fails, a file above the size limit ends the process. That is no reason not to start.
    let _ = signals.thread_block();
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn fail_on_long_files() {}
