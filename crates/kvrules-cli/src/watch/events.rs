//! Events of the operating system about directories, gathered until it has been quiet for a moment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{
    ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _, recommended_watcher,
};

use crate::failure::{Failure, io_reason};
use crate::paths;

/// Required time without events: programs save in several steps, microseconds apart.
const QUIET: Duration = Duration::from_millis(10);
/// Time that a file may be gone before it counts as removed.
const GONE: Duration = Duration::from_millis(50);
/// After this long, changes are examined and reported even though more are coming.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);

/// Watched directories, each without those below it.
pub(crate) struct WatchedDirectories {
    watcher: RecommendedWatcher,
    receiver: Receiver<ReceivedEvent>,
    /// Time of the last event.
    last: Instant,
    watched: BTreeSet<PathBuf>,
}

/// An event, with the time at which it came.
type ReceivedEvent = (Instant, notify::Result<Event>);

/// Events seen until it was quiet, or a file was written.
#[derive(Debug, Default)]
pub(crate) struct SeenEvents {
    /// The files and directories that it was about.
    pub(crate) paths: BTreeSet<PathBuf>,
    /// Files or directories came, went, or have another name.
    pub(crate) came_or_went: bool,
    /// More happened than could be reported.
    pub(crate) missed: bool,
}

impl WatchedDirectories {
    pub(crate) fn new() -> Result<Self, Failure> {
        let (sender, receiver) = channel();
        let tell = move |event| {
            if is_relevant(&event) {
                // Sending fails only after the receiver was dropped, when the run is over.
                let _ = sender.send((Instant::now(), event));
            }
        };
        let watcher = recommended_watcher(tell).map_err(|error| watch_failure("files", error))?;
        Ok(Self { watcher, receiver, last: Instant::now(), watched: BTreeSet::new() })
    }

    /// Watches directories, from now on. One that does not exist is left out: its parent says when it comes.
    pub(crate) fn cover(
        &mut self,
        directories: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<(), Failure> {
        for directory in directories {
            let directory = directory.as_ref();
            let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
            let Ok(real) = directory.canonicalize() else { continue };
            if self.watched.contains(&real) {
                continue;
            }
            match self.watcher.watch(&real, RecursiveMode::NonRecursive) {
                Ok(()) => _ = self.watched.insert(real),
                // The directory was removed in the meantime.
                Err(_) if !real.exists() => {}
                Err(error) => {
                    return Err(watch_failure(&format!("`{}`", paths::display_path(directory)), error));
                }
            }
        }
        Ok(())
    }

    /// Waits until something happens, and then until it is quiet again or a known file was written to its end. What comes
    /// after that is for [`WatchedDirectories::wait_until_quiet`].
    pub(crate) fn wait(&mut self, is_known: impl Fn(&Path) -> bool) -> Result<SeenEvents, Failure> {
        let event = self.receiver.recv().map_err(|_| Failure::new("files are no longer watched"))?;
        let mut seen = SeenEvents::default();
        self.gather(event, &mut seen, QUIET, is_known);
        Ok(seen)
    }

    /// Waits until it is quiet; returns what happened before it was.
    pub(crate) fn wait_until_quiet(&mut self) -> Option<SeenEvents> {
        let mut seen = SeenEvents::default();
        let event = self.receiver.recv_timeout(QUIET.saturating_sub(self.last.elapsed())).ok()?;
        self.gather(event, &mut seen, QUIET, |_| false);
        Some(seen)
    }

    /// Waits for more, since what was seen looks like half of a change.
    pub(crate) fn wait_longer(&mut self, seen: &mut SeenEvents) {
        for quiet in [GONE, QUIET] {
            if let Ok(event) = self.receiver.recv_timeout(quiet) {
                self.gather(event, seen, quiet, |_| false);
            }
        }
    }

    fn gather(
        &mut self,
        first: ReceivedEvent,
        seen: &mut SeenEvents,
        quiet: Duration,
        is_known: impl Fn(&Path) -> bool,
    ) {
        let end = Instant::now() + PATIENCE;
        let mut next = Some(first);
        while let Some((time, event)) = next {
            self.last = time;
            let is_written = is_write_end(&event, &is_known);
            self.add(event, seen);
            if is_written && !seen.came_or_went || Instant::now() >= end {
                break;
            }
            next = self.receiver.recv_timeout(quiet).ok();
        }
    }

    fn add(&mut self, event: notify::Result<Event>, seen: &mut SeenEvents) {
        let Ok(event) = event else {
            seen.missed = true;
            return;
        };
        seen.missed |= event.need_rescan();
        if comes_or_goes(event.kind) {
            seen.came_or_went = true;
            // A directory that comes back under its old name is a new one, which has to be watched again.
            for path in &event.paths {
                if self.watched.remove(path) {
                    let _ = self.watcher.unwatch(path);
                }
            }
        }
        seen.paths.extend(event.paths);
    }
}

/// True if a program has written a known file and closed it.
fn is_write_end(event: &notify::Result<Event>, is_known: impl Fn(&Path) -> bool) -> bool {
    event.as_ref().is_ok_and(|event| {
        event.kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
            && event.paths.iter().any(|path| is_known(path))
    })
}

/// True if an event is more than a read of a file.
fn is_relevant(event: &notify::Result<Event>) -> bool {
    let Ok(event) = event else { return true };
    match event.kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

fn comes_or_goes(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Create(_)
            | EventKind::Remove(_)
            | EventKind::Modify(ModifyKind::Name(_) | ModifyKind::Any)
            | EventKind::Any
            | EventKind::Other
    )
}

fn watch_failure(what: &str, error: notify::Error) -> Failure {
    match error.kind {
        ErrorKind::Io(error) => Failure::new(format!("cannot watch {what}: {}", io_reason(&error))),
        ErrorKind::MaxFilesWatch => {
            Failure::new(format!("cannot watch {what}: too many directories are watched"))
                .help("watch fewer directories, or raise `fs.inotify.max_user_watches`")
        }
        _ => Failure::new(format!("cannot watch {what}: {error}")),
    }
}
