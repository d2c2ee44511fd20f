//! `--old`: definitions that others take the place of.

use std::path::{Path, PathBuf};

use kvrules::Sources;
use kvrules::crd::{OldDefinitions, check_update};

use crate::failure::Failure;
use crate::inputs::Loaded;
use crate::text::read_text;

/// Checks what was read once more, as updates of the definitions in files.
pub(super) fn apply(files: &[PathBuf], loaded: &mut Loaded) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let mut old = OldDefinitions::default();
    for file in files {
        if add(file, &mut old)? == 0 {
            let file = file.display();
            return Err(Failure::new(format!("{file}: no definition in the file of `--old`")));
        }
    }
    for (reading, source) in loaded.readings.iter_mut().zip(loaded.sources.files()) {
        if reading.kubernetes.definitions > 0 {
            check_update(source, &old, &mut reading.diagnostics);
        }
    }
    Ok(())
}

/// Reads the definitions of a file; how many there are.
fn add(file: &Path, old: &mut OldDefinitions) -> Result<usize, Failure> {
    let text = read_text(file).map_err(|unread| Failure::new(unread.to_string()))?;
    let mut sources = Sources::default();
    sources.add(file.display().to_string(), text);
    Ok(sources.files().iter().map(|source| old.add(source)).sum())
}
