//! The configuration that a run uses, and where it was found.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use kvrules::config::{self, Config, FILE_NAMES};
use kvrules::{Catalog, Diagnostic, Sources, render};

use crate::failure::Failure;
use crate::options::{Global, SubjectArgs};
use crate::terminal::Terminal;
use crate::text::{Unread, read_text};

/// A configuration and the place that its paths start from.
#[derive(Debug)]
pub(crate) struct Settings {
    /// What it says; the defaults where there is none.
    pub(crate) config: Config,
    /// The directory of its file, as a path from the working directory.
    base: PathBuf,
    /// Its file, for messages; empty where there is none.
    sources: Sources,
    /// Whether messages about it use colours.
    color: bool,
}

impl Settings {
    /// The configuration that the options ask for, or the nearest.
    pub(crate) fn load(global: &Global, terminal: &Terminal) -> Result<Self, Failure> {
        let color = terminal.paint_error().0;
        if let Some(path) = &global.config {
            return Self::read(path, color)?.ok_or_else(|| {
                Failure::new(format!("`{}` has no section `[tool.kvrules]`", path.display()))
            });
        }
        let nearest = if global.no_config { None } else { Self::nearest(color)? };
        let none =
            || Self { config: Config::default(), base: PathBuf::new(), sources: Sources::default(), color };
        Ok(nearest.unwrap_or_else(none))
    }

    /// The first configuration in the working directory or above it.
    fn nearest(color: bool) -> Result<Option<Self>, Failure> {
        let here = std::env::current_dir().map_err(|error| Failure::file("read", Path::new("."), &error))?;
        for (height, directory) in here.ancestors().enumerate() {
            for name in FILE_NAMES.into_iter().filter(|name| directory.join(name).is_file()) {
                let up: PathBuf = std::iter::repeat_n(Component::ParentDir, height).collect();
                if let Some(found) = Self::read(&up.join(name), color)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn read(path: &Path, color: bool) -> Result<Option<Self>, Failure> {
        let text = read_text(path).map_err(|unread| Failure::new(unread.to_string()))?;
        let mut sources = Sources::default();
        let id = sources.add(path.to_string_lossy(), text);
        let Some(file) = sources.get(id) else { return Ok(None) };
        let targets: Vec<_> = kvrules::targets().iter().map(|target| target.name).collect();
        match config::parse(file, &targets) {
            Ok(Some(config)) => {
                let base = path.parent().unwrap_or(Path::new("")).to_owned();
                Ok(Some(Self { config, base, sources, color }))
            }
            Ok(None) => Ok(None),
            Err(faults) => Err(shown(&faults, &sources, color)),
        }
    }

    /// Whether there is a configuration file.
    pub(crate) fn found(&self) -> bool {
        !self.sources.files().is_empty()
    }

    /// The directory that paths of the configuration start from.
    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    /// A path of the configuration, seen from the working directory.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.base.join(path)
    }

    /// The fields of the objects that rules are about: by the schema that the options or else the configuration name, or
    /// those of a VirtualMachine.
    pub(crate) fn catalog(&self, args: &SubjectArgs) -> Result<Cow<'static, Catalog>, Failure> {
        if let Some(schema) = &args.schema {
            let unread = |reason: &Unread| Failure::new(format!("cannot read the schema {reason}"));
            return self.read_schema(Path::new(schema), &unread).map(Cow::Owned);
        }
        let Some(entry) = &self.config.schema else { return Ok(Cow::Borrowed(Catalog::kubevirt_vm())) };
        let unread = |reason: &Unread| self.fault(entry, format!("cannot read the schema {reason}"), None);
        self.read_schema(&self.path(entry.get_ref()), &unread).map(Cow::Owned)
    }

    /// Reads `FILE` or `FILE#NAME`. A file whose own name has a `#` is found by the whole.
    fn read_schema(&self, written: &Path, unread: &dyn Fn(&Unread) -> Failure) -> Result<Catalog, Failure> {
        let text = written.to_string_lossy();
        let (path, choice) = match text.rsplit_once('#') {
            Some((path, choice)) if !written.exists() => (Path::new(path), Some(choice)),
            _ => (written, None),
        };
        let schema = read_text(path).map_err(|error| match error.help {
            Some(_) => unread(&error).help(error.help.clone().unwrap_or_default()),
            None => unread(&error),
        })?;
        let mut sources = Sources::default();
        let id = sources.add(path.to_string_lossy(), schema);
        let file = sources.get(id).ok_or_else(|| Failure::new("there is no schema"))?;
        kvrules::catalog(file, choice).map_err(|problems| shown(&problems, &sources, self.color))
    }

    /// The failure that something in the configuration does not work.
    pub(crate) fn fault(
        &self,
        entry: &config::Spanned<String>,
        message: String,
        help: Option<&str>,
    ) -> Failure {
        let Some(file) = self.sources.files().first() else { return Failure::new(message) };
        let fault = config::fault(file, entry.span(), message);
        let fault = match help {
            Some(help) => fault.help(help),
            None => fault,
        };
        shown(&[fault], &self.sources, self.color)
    }
}

fn shown(faults: &[Diagnostic], sources: &Sources, color: bool) -> Failure {
    let options = render::Options { color, ..render::Options::default() };
    Failure::Shown(render::render(render::Format::Human, faults, sources, &options))
}
