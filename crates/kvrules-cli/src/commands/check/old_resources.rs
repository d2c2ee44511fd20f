//! `--old`: definitions, policies and bindings that others take the place of.

use std::path::{Path, PathBuf};

use kvrules::crd::{StoredResources, check_update};
use kvrules::{Operation, Sources};

use crate::failure::Failure;
use crate::inputs::LoadedFiles;
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};

/// Checks what was read once more, as updates of what files hold.
pub(super) fn check_as_update(
    files: &[PathBuf],
    loaded: &mut LoadedFiles,
    terminal: &Terminal,
) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let mut old = StoredResources::default();
    for file in files {
        if add_resources(file, &mut old)? == 0 {
            let file = file.display();
            let what = "no definition, policy or binding in the file of `--old`";
            return Err(Failure::new(format!("{file}: {what}")));
        }
    }
    let mut replaced = 0;
    for (reading, source) in loaded.readings.iter_mut().zip(loaded.sources.files()) {
        if reading.contents.has_input_of(Operation::CheckUpdate) {
            replaced += old.count_replaced(source);
            check_update(source, &old, &loaded.resources, &mut reading.diagnostics);
        }
    }
    if replaced == 0 {
        let help = "an update has the kind and the `metadata.name` of the object that it replaces";
        terminal.warning("no input is an update of an object in `--old`: all are checked as new", Some(help));
    }
    Ok(())
}

/// Reads the resources of a file; how many there are.
fn add_resources(file: &Path, old: &mut StoredResources) -> Result<usize, Failure> {
    let text = read_text(file, PathOrigin::Argument).map_err(|unread| Failure::new(unread.to_string()))?;
    let mut sources = Sources::default();
    sources.add_file(file.display().to_string(), text);
    Ok(sources.files().iter().map(|source| old.add_file(source)).sum())
}
