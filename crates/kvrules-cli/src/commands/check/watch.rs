//! `check --watch`: checks again whenever a file changes.
//!
//! A [`WatchSession`] holds what one reading of the configuration gave. Files that were saved are read again and nothing
//! else; where files came or went, or the configuration or the schema changed, a new session begins. Directories are
//! watched and not files, since many editors save by putting a new file in the place of the old one.

mod watched_paths;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use super::Check;
use kvrules::SourceFile;

use crate::failure::{Failure, Status};
use crate::inputs::{LoadedFiles, WantedContent, search_files, thread_pool};
use crate::options::Global;
use crate::sentences::list_few;
use crate::settings::{RuleSubject, Settings};
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};
use crate::watch::{
    PATIENCE, SeenEvents, WatchedDirectories, announce_wait, configuration_paths, event_names,
    watch_directories,
};

/// Checks until the user interrupts it or standard output is closed.
pub(super) fn watch_files(
    check: &Check,
    global: &Global,
    terminal: &mut Terminal,
) -> Result<Status, Failure> {
    if check.inputs.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::new("standard input (`-`) cannot be watched"));
    }
    let mut events = WatchedDirectories::new()?;
    loop {
        terminal.clear()?;
        // Watched before anything is read, so that no change falls between.
        let configuration = configuration_paths(global)?;
        events.cover(configuration.iter().filter_map(|path| path.parent()))?;
        for path in &check.inputs.paths {
            events.cover(watch_directories(path))?;
        }
        match WatchSession::start(check, global, terminal, &mut events) {
            Ok(mut session) => {
                session.restarts.extend(configuration);
                if let Some(status) = session.follow(check, terminal, &mut events)? {
                    return Ok(status);
                }
            }
            Err(failure) => {
                terminal.failure(&failure);
                announce_wait(terminal);
                events.wait(|_| false)?;
            }
        }
    }
}

/// State read from one version of the configuration, kept up to date with the files.
struct WatchSession {
    settings: Settings,
    about: RuleSubject,
    loaded: LoadedFiles,
    /// Names of the files found, readable or not, in the order in which they were named.
    found: Vec<String>,
    /// Index of each file's text and reading among those that are loaded.
    known: BTreeMap<PathBuf, usize>,
    /// Modification time and length of each of them.
    stamps: Vec<Option<FileStamp>>,
    /// Files whose change begins a new session: the configuration, the schema, the baseline, and files that could not be read.
    restarts: BTreeSet<PathBuf>,
    pool: rayon::ThreadPool,
}

type FileStamp = (SystemTime, u64);

/// Effect of an event.
enum EventOutcome {
    /// The files with these indices have other texts now; there may be none.
    Changed(Vec<usize>),
    Restart,
}

impl WatchSession {
    fn start(
        check: &Check,
        global: &Global,
        terminal: &Terminal,
        events: &mut WatchedDirectories,
    ) -> Result<Self, Failure> {
        let settings = Settings::load(global, terminal)?.with_kubernetes(&check.kubernetes);
        for path in watched_paths::checked_paths(check, &settings) {
            events.cover(watch_directories(&path))?;
        }
        let mut restarts = BTreeSet::new();
        let mut depends = |path: &Path| {
            restarts.extend(event_names(path));
            events.cover(path.parent())
        };
        watched_paths::other_inputs(check, &settings).iter().try_for_each(|path| depends(path))?;
        let (about, loaded) = check.load(&settings)?;
        loaded.unread.iter().try_for_each(|unread| depends(Path::new(&unread.name)))?;
        let mut known = BTreeMap::new();
        for (index, file) in loaded.sources.files().iter().enumerate() {
            for path in event_names(Path::new(file.name())) {
                events.cover(path.parent())?;
                known.insert(path, index);
            }
        }
        let stamps = loaded.sources.files().iter().map(|file| file_stamp(file.name())).collect();
        let pool = thread_pool(&check.inputs)?;
        let found = input_names(check, &settings)?;
        Ok(Self { settings, about, loaded, found, known, stamps, restarts, pool })
    }

    /// Checks after every change, until the answer is known or a new session is due.
    fn follow(
        &mut self,
        check: &Check,
        terminal: &mut Terminal,
        events: &mut WatchedDirectories,
    ) -> Result<Option<Status>, Failure> {
        loop {
            let status = check.report(&self.settings, &self.loaded, terminal).unwrap_or_else(|failure| {
                terminal.failure(&failure);
                Status::RunError
            });
            if terminal.is_gone() {
                return Ok(Some(status));
            }
            announce_wait(terminal);
            let Some(changed) = self.wait_for_change(check, events)? else { return Ok(None) };
            terminal.clear()?;
            let files = changed.iter().filter_map(|index| self.loaded.sources.files().get(*index));
            let changed: Vec<_> = files.map(SourceFile::name).collect();
            terminal.print_status(&format!("changed: {}", list_few(&changed, "file")));
        }
    }

    /// Waits until files have other texts, and it is quiet again; `None` if a new session is due. A file is read as soon as it
    /// is written, and once more if more happens to it before it is quiet.
    fn wait_for_change(
        &mut self,
        check: &Check,
        events: &mut WatchedDirectories,
    ) -> Result<Option<BTreeSet<usize>>, Failure> {
        let mut changed = BTreeSet::new();
        loop {
            let mut next = Some(events.wait(|path| self.known.contains_key(path))?);
            let end = Instant::now() + PATIENCE;
            while let Some(mut seen) = next {
                // Some editors move the old file away before they write the new one.
                if self.known.keys().any(|path| seen.paths.contains(path) && !path.exists()) {
                    events.wait_longer(&mut seen);
                }
                match self.take_in(&seen, check, events)? {
                    EventOutcome::Changed(indices) => changed.extend(indices),
                    EventOutcome::Restart => return Ok(None),
                }
                next = if Instant::now() < end { events.wait_until_quiet() } else { None };
            }
            if !changed.is_empty() {
                return Ok(Some(changed));
            }
        }
    }

    fn take_in(
        &mut self,
        seen: &SeenEvents,
        check: &Check,
        events: &mut WatchedDirectories,
    ) -> Result<EventOutcome, Failure> {
        if seen.missed || seen.paths.iter().any(|path| self.restarts.contains(path)) {
            return Ok(EventOutcome::Restart);
        }
        let mut changed: BTreeSet<_> =
            seen.paths.iter().filter_map(|path| self.known.get(path)).copied().collect();
        if seen.came_or_went {
            for path in watched_paths::checked_paths(check, &self.settings) {
                events.cover(watch_directories(&path))?;
            }
            if input_names(check, &self.settings).ok().as_ref() != Some(&self.found) {
                return Ok(EventOutcome::Restart);
            }
            // A symbolic link on the path to a file may have changed, which is not an event of the file itself.
            let stamps = self.stamps.iter().zip(self.loaded.sources.files()).enumerate();
            changed.extend(
                stamps.filter(|(_, (old, file))| **old != file_stamp(file.name())).map(|(index, _)| index),
            );
        }
        Ok(self.read_again(&changed))
    }

    /// Reads these files again, and keeps the results of those whose text changed.
    fn read_again(&mut self, changed: &BTreeSet<usize>) -> EventOutcome {
        let mut fresh = Vec::new();
        for index in changed {
            let Some(file) = self.loaded.sources.files().get(*index) else { continue };
            let stamp = file_stamp(file.name());
            let Ok(text) = read_text(Path::new(file.name()), PathOrigin::Search) else {
                return EventOutcome::Restart;
            };
            if let Some(old) = self.stamps.get_mut(*index) {
                *old = stamp;
            }
            if file.text() != text {
                fresh.push((*index, file.id(), text));
            }
        }
        let mut indices = Vec::new();
        for (index, id, text) in fresh {
            self.loaded.sources.replace_file(id, text);
            indices.push(index);
        }
        let (loaded, catalog) = (&mut self.loaded, &self.about.catalog);
        self.pool.install(|| loaded.read_again(&indices, catalog));
        EventOutcome::Changed(indices)
    }
}

/// Returns the names of the files to read now.
fn input_names(check: &Check, settings: &Settings) -> Result<Vec<String>, Failure> {
    let found = search_files(&check.inputs, settings, WantedContent::Rules)?;
    let unread = found.unread.into_iter().map(|unread| unread.name);
    Ok(found.files.iter().map(crate::inputs::InputSource::name).chain(unread).collect())
}

fn file_stamp(name: &str) -> Option<FileStamp> {
    let metadata = std::fs::metadata(name).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
