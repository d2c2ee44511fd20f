//! `test --watch`: runs the suites again whenever a file changes that they read, or a file comes or goes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Test;
use super::disk::Disk;
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::paths::display_path;
use crate::sentences::list_few;
use crate::terminal::Terminal;
use crate::watch::{
    SeenEvents, WatchedDirectories, announce_wait, configuration_paths, event_names, watch_directories,
};

/// Runs suites until the user interrupts it or standard output is closed.
pub(super) fn watch_suites(test: &Test, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
    let mut events = WatchedDirectories::new()?;
    let mut changed: Vec<PathBuf> = Vec::new();
    loop {
        terminal.clear()?;
        if !changed.is_empty() {
            let names: Vec<_> = changed.iter().map(|path| display_path(path)).collect();
            let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
            terminal.print_status(&format!("changed: {}", list_few(&names, "file")));
        }
        let mut known = configuration_paths(global)?;
        // Watched before anything is read, so that no change falls between.
        events.cover(known.iter().filter_map(|path| path.parent()))?;
        for path in &test.paths {
            events.cover(watch_directories(path))?;
        }
        let disk = Disk::new(&test.paths);
        let status = test.run_once(&disk, global, terminal).unwrap_or_else(|failure| {
            terminal.failure(&failure);
            Status::RunError
        });
        if terminal.is_gone() {
            return Ok(status);
        }
        for path in disk.into_paths() {
            events.cover(path.parent())?;
            known.extend(event_names(&path));
        }
        announce_wait(terminal);
        changed = wait_for_change(&mut events, &known)?;
    }
}

/// Waits until a file changes that matters; returns the files.
fn wait_for_change(
    events: &mut WatchedDirectories,
    known: &BTreeSet<PathBuf>,
) -> Result<Vec<PathBuf>, Failure> {
    loop {
        let mut seen = events.wait(|path| known.contains(path))?;
        // Some editors move the old file away before they write the new one.
        if known.iter().any(|path| seen.paths.contains(path) && !path.exists()) {
            events.wait_longer(&mut seen);
        }
        while let Some(more) = events.wait_until_quiet() {
            seen.paths.extend(more.paths);
            seen.came_or_went |= more.came_or_went;
            seen.missed |= more.missed;
        }
        let changed = relevant_paths(&seen, known);
        if seen.missed || !changed.is_empty() {
            return Ok(changed);
        }
    }
}

/// The files of events that a run reads, or may read because they are new.
fn relevant_paths(seen: &SeenEvents, known: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let here = Path::new(".").canonicalize().unwrap_or_default();
    let is_relevant = |path: &&PathBuf| {
        let may_be_read = path.extension().is_some_and(|it| it == "yaml" || it == "yml" || it == "json");
        known.contains(*path) || seen.came_or_went && may_be_read
    };
    let relevant = seen.paths.iter().filter(is_relevant);
    relevant.map(|path| path.strip_prefix(&here).unwrap_or(path).to_owned()).collect()
}
