//! The configuration and the files on disk, for the language server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use kvrules::Level;
use kvrules::check::CheckSettings;
use kvrules::config::FILE_NAMES;
use kvrules_server::Workspace;

use crate::commands::check::configured_selection;
use crate::definitions::configured_definitions;
use crate::failure::Failure;
use crate::options::{Global, KubernetesArgs, SubjectArgs};
use crate::schemas::schema_files;
use crate::settings::Settings;
use crate::terminal::{ColorChoice, Terminal};
use crate::text::{PathOrigin, read_text};

/// Number of directories whose settings are kept.
const MOST_DIRECTORIES: usize = 64;

/// Settings by the nearest configuration of each file, and texts from the disk.
pub(super) struct DiskWorkspace {
    config: Option<PathBuf>,
    no_config: bool,
    kubernetes: KubernetesArgs,
    level: Level,
    /// The settings for the files of each directory.
    loaded: Mutex<HashMap<PathBuf, LoadedSettings>>,
}

/// Settings, and the states of the files that they were read from.
struct LoadedSettings {
    settings: Arc<CheckSettings>,
    stamps: Vec<FileStamp>,
    depends_on: Vec<PathBuf>,
}

/// A file, its time of modification and its length; neither if it does not exist.
type FileStamp = (PathBuf, Option<(SystemTime, u64)>);

impl DiskWorkspace {
    pub(super) fn new(global: &Global, kubernetes: &KubernetesArgs, level: Level) -> Self {
        let (config, no_config) = (global.config.clone(), global.no_config);
        Self { config, no_config, kubernetes: kubernetes.clone(), level, loaded: Mutex::default() }
    }

    /// Reads the settings for the files of a directory, with the paths of the files that were read.
    fn load(&self, directory: &Path) -> Result<(CheckSettings, Vec<PathBuf>), Failure> {
        // Standard error is the log of the editor.
        let terminal = Terminal::new(ColorChoice::Never, true);
        let settings = match (&self.config, self.no_config) {
            (None, false) => Settings::load_for(directory, &terminal)?,
            (config, no_config) => Settings::load_chosen(config.as_deref(), no_config, &terminal)?,
        };
        let settings = settings.with_kubernetes(&self.kubernetes);
        let subject = SubjectArgs::default();
        let (about, ambiguity) = settings.checked_subject(&subject)?;
        let (schemas, _) = settings.definition_sources(&subject)?;
        let depends_on = configured_files(&settings);
        let checked = CheckSettings {
            catalog: about.catalog,
            unknown_subject: ambiguity.map(|failure| failure.to_string()),
            schemas,
            versions: settings.kubernetes(),
            definitions: configured_definitions(&settings)?,
            selection: configured_selection(&settings, &terminal)?,
            lowest: self.level,
            page_url: settings.config.lint.page_url.as_ref().map(|url| url.get_ref().clone()),
        };
        Ok((checked, depends_on))
    }

    /// The places of the configuration of a directory.
    fn configuration_places(&self, directory: &Path) -> Vec<PathBuf> {
        match &self.config {
            Some(path) => vec![path.clone()],
            None if self.no_config => Vec::new(),
            None => directory
                .ancestors()
                .flat_map(|directory| FILE_NAMES.map(|name| directory.join(name)))
                .collect(),
        }
    }
}

impl Workspace for DiskWorkspace {
    fn settings_for(&self, file: &Path) -> Result<Arc<CheckSettings>, String> {
        let directory = file.parent().unwrap_or(Path::new(""));
        let places = self.configuration_places(directory);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = loaded.get(directory)
            && known.stamps == stamp_files(&places, &known.depends_on)
        {
            return Ok(Arc::clone(&known.settings));
        }
        // Before the files are read: a change in between is found the next time.
        let mut stamps = stamp_files(&places, &[]);
        let (settings, depends_on) = self.load(directory).map_err(|failure| failure.to_string())?;
        stamps.extend(stamp_files(&[], &depends_on));
        let settings = Arc::new(settings);
        if loaded.len() >= MOST_DIRECTORIES {
            loaded.clear();
        }
        let known = LoadedSettings { settings: Arc::clone(&settings), stamps, depends_on };
        loaded.insert(directory.to_owned(), known);
        Ok(settings)
    }

    fn read_text(&self, path: &Path) -> Result<String, String> {
        read_text(path, PathOrigin::File).map_err(|unread| unread.message)
    }
}

/// The files and directories that the configuration names and that findings depend on.
fn configured_files(settings: &Settings) -> Vec<PathBuf> {
    let schemas = settings.written(&SubjectArgs::default());
    // With and without the choice behind `#`.
    let file = |schema: &PathBuf| Some(PathBuf::from(schema.to_str()?.rsplit_once('#')?.0));
    let files: Vec<_> = schemas.iter().filter_map(file).collect();
    let baseline = settings.config.lint.baseline.iter();
    let definitions = settings.config.extra_specs.definitions.iter();
    let named = baseline.chain(definitions).map(|entry| settings.path(entry.get_ref()));
    named.chain(files).chain(schemas).collect()
}

/// The states of files, and of all files below directories.
fn stamp_files(places: &[PathBuf], depends_on: &[PathBuf]) -> Vec<FileStamp> {
    let below = |path: &PathBuf| {
        if path.is_dir() { schema_files(path).unwrap_or_default() } else { vec![path.clone()] }
    };
    let files = places.iter().cloned().chain(depends_on.iter().flat_map(below));
    let stamp = |path: PathBuf| {
        let metadata = path.metadata().ok();
        let state = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        (path, state)
    };
    files.map(stamp).collect()
}
