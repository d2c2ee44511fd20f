//! The text of a file that is there already, exchanged for another: the file is the old one or the new one at any moment.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::failure::reason;
use crate::paths::{absolute, seen_from};
use crate::text::read_text;

/// Why a file keeps its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreplaced {
    /// Why.
    pub(crate) message: String,
    /// What to do.
    pub(crate) help: Option<String>,
}

impl Unreplaced {
    fn new(message: impl Into<String>, help: &str) -> Self {
        Self { message: message.into(), help: Some(help.to_owned()) }
    }

    fn system(error: &io::Error) -> Self {
        Self { message: reason(error), help: None }
    }
}

/// Gives a file another text, where it still has the old one. It keeps its mode, and its owner where the system lets us. The
/// answer is how many other names (hard links) the file has, which go on leading to the old text.
///
/// A symbolic link is not followed: what it leads to may belong to somebody else, and replacing the link would leave two
/// files. A file that may not be written to is not replaced either, though its directory would allow it.
pub(crate) fn exchange(path: &Path, old: &str, new: &str) -> Result<u64, Unreplaced> {
    let metadata = fs::symlink_metadata(path).map_err(|error| Unreplaced::system(&error))?;
    may_be_written(path, &metadata)?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = staged(directory, &metadata, new).map_err(|error| {
        let message = format!("cannot write to the directory of the file: {}", reason(&error));
        Unreplaced { message, help: None }
    })?;
    // Looked at last, so that somebody else's work of the meantime is not lost.
    if !read_text(path).is_ok_and(|text| text == old) {
        return Err(Unreplaced::new("the file was changed by somebody else meanwhile", "run this again"));
    }
    file.persist(path).map_err(|error| Unreplaced::system(&error.error))?;
    Ok(other_names(&metadata))
}

fn may_be_written(path: &Path, metadata: &Metadata) -> Result<(), Unreplaced> {
    if metadata.is_symlink() {
        let target = fs::canonicalize(path).map_err(|error| Unreplaced::system(&error))?;
        let target = seen_from(&absolute(Path::new("")), &target);
        let message = format!("this is a symbolic link to `{target}`");
        return Err(Unreplaced { message, help: Some(format!("name `{target}` instead")) });
    }
    if !metadata.is_file() {
        return Err(Unreplaced::new("this is no regular file", "use `-` and redirect the output"));
    }
    let read_only =
        || Unreplaced::new("the file is read-only", "make it writable first, as with `chmod u+w`");
    if metadata.permissions().readonly() {
        return Err(read_only());
    }
    match OpenOptions::new().append(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(read_only()),
        Err(error) => Err(Unreplaced::system(&error)),
    }
}

/// The new text beside the old one, under a name that nobody looks at and that goes unless it takes its place.
fn staged(directory: &Path, old: &Metadata, text: &str) -> io::Result<NamedTempFile> {
    let mut file = Builder::new().prefix(".kvrules-").suffix(".tmp").tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    keep_owner(&file, old);
    // After the owner, since a change of owner takes bits of the mode away.
    file.as_file().set_permissions(old.permissions())?;
    Ok(file)
}

/// Only some may give files away; who may not becomes the owner of what he writes, as with every editor that replaces files.
#[cfg(unix)]
fn keep_owner(file: &NamedTempFile, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let group = fchown(file.as_file(), None, Some(old.gid()));
    let owner = fchown(file.as_file(), Some(old.uid()), None);
    let _ = (group, owner);
}

#[cfg(not(unix))]
fn keep_owner(_: &NamedTempFile, _: &Metadata) {}

#[cfg(unix)]
fn other_names(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink().saturating_sub(1)
}

#[cfg(not(unix))]
fn other_names(_: &Metadata) -> u64 {
    0
}
