//! Temporary files: what they are called, whom they belong to, and how they end.
//!
//! A file is written under another name next to its place and takes the place when it is whole. Until then it is known
//! here, so that an interruption removes it. What a killed run left behind is removed by the next run that writes to the
//! directory: the name says which process it belongs to.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::{Builder, TempPath};

use super::interrupt::{guard_temporaries, under_way};
use super::process::{is_alive, machine_number};

/// Prefix and suffix of all names.
const PREFIX: &str = ".kvrules-";
const SUFFIX: &str = ".tmp";
/// Letters and digits by which the files of one process differ.
const RANDOM: usize = 8;
/// Age after which a temporary file of another machine or container counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// A file that has no place yet. It is removed unless it takes one.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    /// None once it has its place.
    path: Option<TempPath>,
}

impl TemporaryFile {
    /// A new file in a directory, with these permissions or usual ones, to be written.
    pub(super) fn create(directory: &Path, permissions: Option<Permissions>) -> io::Result<(Self, File)> {
        guard_temporaries();
        remove_stale([directory]);
        let mut under_way = under_way();
        let mut builder = Builder::new();
        let prefix = format!("{PREFIX}{:08x}-{}-", machine_number(), std::process::id());
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // The operating system takes the user's mask off these.
            builder.permissions(Permissions::from_mode(0o666));
        }
        let (file, path) = builder.tempfile_in(directory)?.into_parts();
        under_way.files.insert(path.to_path_buf());
        drop(under_way);
        let temporary = Self { path: Some(path) };
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        Ok((temporary, file))
    }

    /// Gives the file a name that nothing has.
    pub(super) fn take_free(mut self, place: &Path) -> io::Result<()> {
        let Some(path) = self.path.take() else { return Ok(()) };
        let mut under_way = under_way();
        under_way.files.remove(&*path);
        path.persist_noclobber(place).map_err(|error| error.error)?;
        drop(under_way);
        sync_directory(place);
        Ok(())
    }

    /// Renames the files to their final paths, as a unit with respect to interrupts. The error names the path that
    /// failed.
    pub(super) fn take(files: Vec<(Self, PathBuf)>) -> Result<(), (PathBuf, io::Error)> {
        let mut under_way = under_way();
        let mut places = BTreeMap::new();
        let mut taken = Ok(());
        for (mut file, place) in files {
            let Some(path) = file.path.take() else { continue };
            under_way.files.remove(&*path);
            if taken.is_ok() {
                match path.persist(&place) {
                    Ok(()) => _ = places.insert(place.parent().map(Path::to_owned), place),
                    Err(error) => taken = Err((place, error.error)),
                }
            }
        }
        drop(under_way);
        for place in places.values() {
            sync_directory(place);
        }
        taken
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            let mut under_way = under_way();
            under_way.files.remove(&*path);
            let _ = path.close();
        }
    }
}

/// Has the new name of a file on the disk, where a directory can be synced; the file itself is there already.
fn sync_directory(place: &Path) {
    if cfg!(unix) {
        let directory = parent_directory(place);
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
}

/// The directory of a file, which has a name even where it is the working directory.
pub(super) fn parent_directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes from directories what runs left there that are over. Each directory is examined once.
pub(crate) fn remove_stale<'p>(directories: impl IntoIterator<Item = &'p Path>) {
    let mut under_way = under_way();
    for directory in directories {
        if !under_way.swept.insert(directory.to_owned()) {
            continue;
        }
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(OwnerProcess::of);
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if let (Some(owner), true) = (owner, is_file)
                && !under_way.files.contains(&directory.join(&name))
                && owner.is_gone(|| entry.metadata()?.modified())
            {
                // Another run may have removed it by now.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Removes what runs left next to files that this run may write.
pub(crate) fn sweep_beside<'p>(files: impl IntoIterator<Item = &'p Path>) {
    remove_stale(files.into_iter().map(parent_directory));
}

/// Process that owns a temporary file.
#[derive(Debug, PartialEq, Eq)]
struct OwnerProcess {
    machine: u32,
    process: u32,
}

impl OwnerProcess {
    /// The owner that a name contains; none if the name is not one of ours.
    fn of(name: &str) -> Option<Self> {
        let inner = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
        let [machine, process, random] = inner.split('-').collect::<Vec<_>>().try_into().ok()?;
        let is_random = random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_number = process.bytes().all(|byte| byte.is_ascii_digit());
        let machine = u32::from_str_radix(machine, 16).ok().filter(|_| machine.len() == 8)?;
        (is_random && is_number).then_some(Self { machine, process: process.parse().ok()? })
    }

    /// True if the process has ended. Processes of another machine cannot be queried, so there the age of the file decides.
    fn is_gone(&self, modified: impl FnOnce() -> io::Result<SystemTime>) -> bool {
        if self.machine == machine_number() {
            // This process knows its own temporary files, so another file with its number is of an earlier process.
            if self.process == std::process::id() {
                return true;
            }
            if let Some(is_alive) = is_alive(self.process) {
                return !is_alive;
            }
        }
        let age = modified().ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
        age.is_some_and(|age| age > ABANDONED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_have_an_owner() {
        let name = ".kvrules-0123abcd-77-aZ09bcde.tmp";
        assert_eq!(OwnerProcess::of(name), Some(OwnerProcess { machine: 0x0123_abcd, process: 77 }));
        for other in [
            "kvrules-0123abcd-77-aZ09bcde.tmp",
            ".kvrules-0123abcd-77-aZ09bcde",
            ".kvrules-123abcd-77-aZ09bcde.tmp",
            ".kvrules-0123abcd-+7-aZ09bcde.tmp",
            ".kvrules-0123abcd-77-aZ09bcd.tmp",
            ".kvrules-0123abcd-77-aZ09bcd..tmp",
            ".kvrules-mine.tmp",
            ".kvrules-manifest",
            ".kvrules-0123abcd-77-8-aZ09bcde.tmp",
        ] {
            assert_eq!(OwnerProcess::of(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_of_another_machine_is_left_until_it_is_old() {
        let other = OwnerProcess { machine: machine_number().wrapping_add(1), process: std::process::id() };
        let now = SystemTime::now();
        assert!(!other.is_gone(|| Ok(now)));
        assert!(other.is_gone(|| Ok(now - 2 * ABANDONED)));
        assert!(!other.is_gone(|| Err(io::Error::other("unknown"))));
    }

    #[test]
    fn a_file_of_a_living_process_is_left() {
        // Process 1 runs as long as the system.
        assert!(!OwnerProcess { machine: machine_number(), process: 1 }.is_gone(|| Ok(SystemTime::now())));
    }
}
