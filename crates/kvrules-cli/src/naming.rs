//! Names of files on pages: the same on every machine.

use std::path::{Path, PathBuf};

use kvrules::Sources;
use kvrules::check::path_between;

use crate::paths::absolute_path;
use crate::settings::Settings;

/// The directory from which pages name files.
pub(crate) struct NamingBase {
    directory: PathBuf,
    is_chosen: bool,
}

impl NamingBase {
    /// The directory that the user chose, else that of the configuration, else that of the repository, else the working directory.
    pub(crate) fn new(chosen: Option<&Path>, settings: &Settings) -> Self {
        let base = match chosen {
            Some(directory) => directory.to_owned(),
            None if settings.found() => settings.base().to_owned(),
            None => repository_root().unwrap_or_default(),
        };
        Self { directory: absolute_path(&base), is_chosen: chosen.is_some() }
    }

    /// Returns the name of a file or directory on pages. Other names stay as they are. Outside of the directory it is the last part
    /// alone, unless the user chose the directory.
    pub(crate) fn page_name(&self, name: &str) -> String {
        let path = Path::new(name);
        if name.starts_with('<') || !path.exists() {
            return name.to_owned();
        }
        let path = absolute_path(path);
        let shown = path_between(&self.directory, &path);
        if shown.is_empty() {
            return ".".to_owned();
        }
        if self.is_chosen || !(shown == ".." || shown.starts_with("../")) {
            return shown;
        }
        path.file_name().map_or(shown, |name| name.to_string_lossy().into_owned())
    }

    /// Returns the same texts under their names on pages.
    pub(crate) fn rename_sources(&self, sources: &Sources) -> Sources {
        let mut seen = Sources::default();
        for file in sources.files() {
            seen.add_file(self.page_name(file.name()), file.text());
        }
        seen
    }
}

/// The nearest directory with a repository, from the working directory upwards.
fn repository_root() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().find(|directory| directory.join(".git").exists()).map(Path::to_owned)
}
