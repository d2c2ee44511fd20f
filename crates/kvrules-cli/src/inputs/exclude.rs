//! Files and directories that the configuration excludes.

use std::path::{Path, PathBuf};

use globset::{GlobSet, GlobSetBuilder};

use super::glob;
use crate::failure::Failure;
use crate::paths::absolute_path;
use crate::settings::Settings;

/// The globs of `exclude`, and the directory that they start from.
#[derive(Clone, Debug)]
pub(super) struct Exclude {
    set: GlobSet,
    base: PathBuf,
}

impl Exclude {
    pub(super) fn new(settings: &Settings) -> Result<Self, Failure> {
        let mut set = GlobSetBuilder::new();
        for entry in &settings.config.exclude {
            let pattern = entry.get_ref().trim_start_matches("./").trim_end_matches('/');
            set.add(glob::compile_glob(pattern).map_err(|message| settings.fault(entry, message, None))?);
        }
        let set = set.build().map_err(|error| Failure::new(format!("`exclude` is too large: {error}")))?;
        Ok(Self { set, base: absolute_path(settings.base()) })
    }

    /// True if this file or directory is excluded.
    pub(super) fn covers(&self, path: &Path) -> bool {
        !self.set.is_empty()
            && absolute_path(path).strip_prefix(&self.base).is_ok_and(|inside| self.set.is_match(inside))
    }
}
