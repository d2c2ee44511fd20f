//! Watched files: events of the operating system, and the directories that they come from.

mod events;
mod paths;

pub(crate) use events::{PATIENCE, SeenEvents, WatchedDirectories};
pub(crate) use paths::{configuration_paths, event_names, watch_directories};

use crate::terminal::Terminal;

/// Says that nothing happens until a file changes.
pub(crate) fn announce_wait(terminal: &Terminal) {
    terminal.print_status("watching for changes; stop with Ctrl-C");
}
