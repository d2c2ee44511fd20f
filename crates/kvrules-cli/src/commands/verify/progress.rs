//! Progress of a verification, only on a terminal.

use std::io::{IsTerminal as _, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::terminal;

/// A line on standard error that is written over and over.
#[derive(Debug)]
pub(super) struct Progress {
    shown: bool,
    percent: AtomicUsize,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { shown: stderr().is_terminal(), percent: AtomicUsize::new(0) }
    }

    /// Shows that `done` of `of` steps are done.
    pub(super) fn show_progress(&self, done: usize, of: usize) {
        if !self.shown {
            return;
        }
        let percent = done * 100 / of.max(1);
        if self.percent.fetch_max(percent, Ordering::Relaxed) < percent {
            terminal::show_progress(&format!("verifying: {done} of {of} rules and rule sets"));
        }
    }

    /// Takes the line away.
    pub(super) fn end(&self) {
        if self.shown {
            terminal::show_progress("");
        }
    }
}
