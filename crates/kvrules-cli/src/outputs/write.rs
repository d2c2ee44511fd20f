//! Writing a file so that it is either the old one or the new one.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::temporary::{TemporaryFile, parent_directory};
use crate::failure::Failure;
use crate::paths;

/// Writes one file.
pub(crate) fn replace_file(path: &Path, text: &str) -> Result<(), Failure> {
    replace_all(&[(path, text)])
}

/// Writes files. All of them are on the disk under other names before the first takes its place, so a full disk
/// leaves everything as it was.
pub(crate) fn replace_all(files: &[(&Path, &str)]) -> Result<(), Failure> {
    // At the same time, since each waits for the disk.
    let staged: Vec<_> = files.par_iter().map(|(path, text)| StagedFile::new(path, text)).collect();
    let mut beside = Vec::new();
    for staged in staged.into_iter().collect::<Result<Vec<_>, _>>()? {
        match staged {
            StagedFile::Temporary { file, path } => beside.push((file, path)),
            // Written before the other files are renamed, because a pipe may block for any time.
            StagedFile::Direct { path, text } => {
                fs::write(&path, text).map_err(|error| Failure::file("write", &path, &error))?;
            }
        }
    }
    TemporaryFile::take(beside).map_err(|(path, error)| Failure::file("write", &path, &error))
}

/// Writes files that do not exist yet. Where one appears in the meantime, the others are taken back.
pub(crate) fn create_all(files: &[(&Path, &str)]) -> Result<(), Failure> {
    let mut made: Vec<&Path> = Vec::new();
    for (path, text) in files {
        if let Err(error) = create_file(path, text) {
            // Remove only the files that this call created. Directories stay, because other programs may use them
            // already.
            for path in made {
                let _ = fs::remove_file(path);
            }
            return Err(Failure::file("write", path, &error));
        }
        made.push(path);
    }
    Ok(())
}

/// A file that holds only a part is never seen: it gets its name when it is whole, unless the name is taken.
fn create_file(path: &Path, text: &str) -> std::io::Result<()> {
    let directory = parent_directory(path);
    fs::create_dir_all(directory)?;
    let (temporary, mut file) = TemporaryFile::create(directory, None)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    temporary.take_free(path)
}

/// A file that is written but has not taken its place.
enum StagedFile {
    Temporary {
        /// Closed, since a system lets a program have fewer files open than directories have.
        file: TemporaryFile,
        path: PathBuf,
    },
    /// A pipe, a device or other file that is not regular, which cannot be replaced.
    Direct { path: PathBuf, text: String },
}

impl StagedFile {
    fn new(path: &Path, text: &str) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::file("write", path, &error);
        // A link stays a link; what it leads to is replaced.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let old = fs::metadata(&place).ok();
        if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
            return Ok(Self::Direct { path: place, text: text.to_owned() });
        }
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Failure::new(format!(
                "cannot write `{}`: it is a directory",
                paths::display_path(path)
            )));
        }
        let directory = parent_directory(&place);
        fs::create_dir_all(directory).map_err(failed)?;
        let (temporary, mut file) =
            TemporaryFile::create(directory, old.map(|old| old.permissions())).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        // Sync before the rename, so that after a crash the name does not refer to missing data.
        file.sync_all().map_err(failed)?;
        Ok(Self::Temporary { file: temporary, path: place })
    }
}
