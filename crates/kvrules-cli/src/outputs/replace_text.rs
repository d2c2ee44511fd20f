//! The text of a file that is there already, exchanged for another: the file is the old one or the new one at any moment.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use kvrules::check::path_between;

use super::temporary::{TemporaryFile, parent_directory};
use crate::failure::{Failure, io_reason};
use crate::paths::{self, absolute_path};
use crate::text::{PathOrigin, read_text};

/// Reason why a file keeps its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplaceError {
    /// The reason.
    pub(crate) message: String,
    /// Advice on what to do.
    pub(crate) help: Option<String>,
}

impl ReplaceError {
    fn new(message: impl Into<String>, help: &str) -> Self {
        Self { message: message.into(), help: Some(help.to_owned()) }
    }

    fn system(error: &io::Error) -> Self {
        Self { message: io_reason(error), help: None }
    }
}

impl ReplaceError {
    /// Converts the error to a failure that names the file as the user does.
    pub(crate) fn failure(&self, name: &str) -> Failure {
        let failure = Failure::new(format!("{name}: not written: {}", self.message));
        match &self.help {
            Some(help) => failure.help(help.clone()),
            None => failure,
        }
    }
}

/// Replaces the text of a file that still has the old text. The file keeps its mode and its owner. Returns the
/// number of other names (hard links) of the file, which still refer to the old text.
///
/// A symbolic link is not followed: what it leads to may belong to somebody else, and replacing the link would leave two
/// files. A file that may not be written to, or that would become somebody else's, is not replaced either, though its
/// directory would allow it.
pub(crate) fn replace_if_unchanged(path: &Path, old: &str, new: &str) -> Result<u64, ReplaceError> {
    let metadata = fs::symlink_metadata(path).map_err(|error| ReplaceError::system(&error))?;
    may_be_written(path, &metadata)?;
    let (temporary, mut file) =
        TemporaryFile::create(parent_directory(path), None).map_err(|error| in_directory(&error))?;
    if !keeps_owner(&file, &metadata) {
        let help = "let its owner do this, or copy the file";
        return Err(ReplaceError::new("the file belongs to another user, who would lose it", help));
    }
    write_temporary(&mut file, &metadata, new).map_err(|error| in_directory(&error))?;
    // Compare as late as possible, so that changes by other programs are not lost.
    if !read_text(path, PathOrigin::Search).is_ok_and(|text| text == old) {
        return Err(ReplaceError::new("the file was changed by another program meanwhile", "run this again"));
    }
    TemporaryFile::take(vec![(temporary, path.to_owned())])
        .map_err(|(_, error)| ReplaceError::system(&error))?;
    Ok(other_names(&metadata))
}

fn may_be_written(path: &Path, metadata: &Metadata) -> Result<(), ReplaceError> {
    if metadata.is_symlink() {
        let target = fs::canonicalize(path).map_err(|error| ReplaceError::system(&error))?;
        let target = path_between(&absolute_path(Path::new("")), &target);
        let target = paths::display_path(Path::new(&target));
        let message = format!("this is a symbolic link to `{target}`");
        return Err(ReplaceError { message, help: Some(format!("name `{target}` instead")) });
    }
    if !metadata.is_file() {
        return Err(ReplaceError::new("this is not a regular file", "use `-` and redirect the output"));
    }
    let read_only =
        || ReplaceError::new("the file is read-only", "make it writable first, as with `chmod u+w`");
    if metadata.permissions().readonly() {
        return Err(read_only());
    }
    match OpenOptions::new().append(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(read_only()),
        Err(error) => Err(ReplaceError::system(&error)),
    }
}

fn in_directory(error: &io::Error) -> ReplaceError {
    let message = format!("cannot write to the directory of the file: {}", io_reason(error));
    ReplaceError { message, help: None }
}

/// Writes the new text next to the old one. The mode comes after the owner, since a change of owner takes bits of it away.
fn write_temporary(file: &mut File, old: &Metadata, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.set_permissions(old.permissions())?;
    // Sync before the rename, so that after a crash the name does not refer to missing data.
    file.sync_all()
}

/// Gives a new file the owner and, where the system lets us, the group of the old one. Only some may give files away.
#[cfg(unix)]
fn keeps_owner(file: &File, old: &Metadata) -> bool {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let _ = fchown(file, None, Some(old.gid()));
    let _ = fchown(file, Some(old.uid()), None);
    file.metadata().is_ok_and(|new| new.uid() == old.uid())
}

#[cfg(not(unix))]
fn keeps_owner(_: &File, _: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn other_names(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink().saturating_sub(1)
}

#[cfg(not(unix))]
fn other_names(_: &Metadata) -> u64 {
    0
}
