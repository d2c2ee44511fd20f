//! Definitions of an operator's own: those that the command line names, or else the configuration.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use kvrules::extra_specs::{Definition, parse_definitions};
use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::{Diagnostic, Level, Sources};

use crate::failure::{Failure, io_reason};
use crate::paths;
use crate::paths::{has_extension, is_readable};
use crate::settings::Settings;
use crate::terminal::{Terminal, print_error, render_findings};
use crate::text::{PathOrigin, read_text};

/// Selection of definitions in addition to Nova's.
#[derive(Debug, Default, Args)]
pub(crate) struct DefinitionArgs {
    /// Your own definitions: files, or directories of .yaml, .yml and .json files; built-in ones come first [default: the
    /// configuration's `extra-specs.definitions`]
    #[arg(long, value_name = "FILE|DIR")]
    definitions: Vec<PathBuf>,
}

/// Definitions, and the files that they are in.
#[derive(Debug, Default)]
pub(crate) struct OwnDefinitions {
    /// The definitions, those of each file for themselves.
    pub(crate) layers: Vec<Vec<Definition>>,
    /// The files.
    pub(crate) sources: Sources,
    /// Findings about them.
    pub(crate) problems: Vec<Diagnostic>,
}

impl DefinitionArgs {
    /// Reads the definitions.
    pub(crate) fn read(&self, settings: &Settings) -> Result<OwnDefinitions, Failure> {
        let mut given = OwnDefinitions::default();
        for path in &self.definitions {
            given.add(path, PathOrigin::Argument).map_err(Failure::new)?;
        }
        if self.definitions.is_empty() {
            for entry in &settings.config.extra_specs.definitions {
                let added = given.add(&settings.path(entry.get_ref()), PathOrigin::File);
                added.map_err(|message| settings.fault(entry, message, None))?;
            }
        }
        Ok(given)
    }
}

impl OwnDefinitions {
    /// Reads a file or a directory.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let mut given = Self::default();
        given.add(path, PathOrigin::Argument)?;
        Ok(given)
    }

    fn add(&mut self, path: &Path, origin: PathOrigin) -> Result<(), String> {
        let origin = if path.is_dir() { PathOrigin::Search } else { origin };
        for file in definition_files(path)? {
            let text = read_text(&file, origin).map_err(|unread| unread.to_string())?;
            let id = self.sources.add_file(file.to_string_lossy(), text);
            let Some(source) = self.sources.get(id) else { continue };
            let (document, problems) = parse_definitions(id, source.text());
            self.problems.extend(problems);
            self.layers.push(document.expand_definitions());
        }
        Ok(())
    }

    /// True if a definition was skipped because of an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.level == Level::Error)
    }

    /// Reports what is wrong with the definitions, on standard error.
    pub(crate) fn report_problems(&self, more: &[Diagnostic], terminal: &Terminal) {
        let problems: Vec<_> = self.problems.iter().chain(more).cloned().collect();
        if !problems.is_empty() {
            let options = RenderOptions { color: terminal.paint_error().0, ..RenderOptions::default() };
            print_error(&format!(
                "{}\n",
                render_findings(RenderFormat::Human, &problems, &self.sources, &options)
            ));
        }
    }
}

/// A file, or those of a directory in the order of their names.
fn definition_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unread =
        |error: std::io::Error| format!("cannot read `{}`: {}", paths::display_path(path), io_reason(&error));
    let entries = fs::read_dir(path).map_err(unread)?.collect::<Result<Vec<_>, _>>().map_err(unread)?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> =
        paths.filter(|path| has_extension(path, &["yaml", "yml", "json"]) && is_readable(path)).collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("no .yaml, .yml or .json files in `{}`", paths::display_path(path)));
    }
    Ok(files)
}
