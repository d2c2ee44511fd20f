//! Lists the files of a directory that a search would read, if the directory is not on disk but in a revision of git.

use std::path::{Component, Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::exclude::Exclude;
use super::find::WantedContent;
use crate::failure::Failure;
use crate::settings::Settings;

/// Exclusions of a search.
pub(crate) struct SearchExclusions {
    exclude: Exclude,
    wanted: WantedContent,
    ignores: Vec<Gitignore>,
}

/// Names of files that say what is ignored below their directory.
pub(crate) const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

impl SearchExclusions {
    pub(crate) fn new(settings: &Settings, wanted: WantedContent) -> Result<Self, Failure> {
        Ok(Self { exclude: Exclude::new(settings)?, wanted, ignores: Vec::new() })
    }

    /// Applies the text of a file that lists what is ignored below its directory. As in git, a line that makes no sense is
    /// skipped.
    pub(crate) fn heed(&mut self, directory: &Path, text: &str) {
        let mut builder = GitignoreBuilder::new(directory);
        for line in text.lines() {
            let _ = builder.add_line(None, line);
        }
        self.ignores.extend(builder.build());
    }

    /// True if a search of `root` would read the file with the path `name` below it.
    pub(crate) fn has(&self, root: &Path, name: &Path) -> bool {
        let is_hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
        if name.components().any(is_hidden) || !self.wanted.is_of_interest(name) {
            return false;
        }
        let path = root.join(name);
        let ways: Vec<PathBuf> =
            path.ancestors().take(name.components().count()).map(Path::to_owned).collect();
        !ways.iter().any(|way| self.exclude.covers(way)) && !self.is_ignored(&path)
    }

    /// Of several files that refer to a path the innermost decides.
    fn is_ignored(&self, path: &Path) -> bool {
        let mut speaking: Vec<&Gitignore> =
            self.ignores.iter().filter(|ignores| path.starts_with(ignores.path())).collect();
        speaking.sort_by_key(|ignores| std::cmp::Reverse(ignores.path().components().count()));
        let mut matches = speaking.iter().map(|ignores| ignores.matched_path_or_any_parents(path, false));
        matches.find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
    }
}
