//! Writing migrated files, each whole or not at all, until somebody asks to stop.

use rayon::prelude::*;

use super::run::{FileStanding, MigratedFile, MigrationRun, WriteError};
use crate::failure::Failure;
use crate::inputs::thread_pool;
use crate::options::InputArgs;
use crate::outputs::{InterruptDeferral, ReplaceError, replace_if_unchanged, sweep_beside};
use crate::progress::Progress;

/// Writes the files that would change. One that cannot be written is reported, and the others go on.
///
/// From here on Ctrl-C lets the files that are being written come to their end, and begins no other: what is left is the
/// old file or the new one, and nothing next to them.
pub(super) fn write_files(run: &mut MigrationRun, inputs: &InputArgs) -> Result<(), Failure> {
    sweep_beside(run.files.iter().filter_map(|file| file.path.as_deref()));
    let number = run.count(FileStanding::would_change);
    if number == 0 {
        return Ok(());
    }
    let stop = InterruptDeferral::begin();
    let progress = Progress::new("writing", number);
    thread_pool(inputs)?.install(|| {
        let files = run.sources.files().par_iter().zip(&mut run.files);
        files.filter(|(_, file)| file.standing.would_change()).for_each(|(source, file)| {
            if !stop.is_requested() {
                file.standing = write_file(file, source.text());
                progress.step();
            }
        });
    });
    progress.end();
    run.interrupted = stop.is_requested() && run.count(FileStanding::would_change) > 0;
    Ok(())
}

fn write_file(file: &MigratedFile, old: &str) -> FileStanding {
    let Some(path) = &file.path else { return file.standing.clone() };
    match replace_if_unchanged(path, old, &file.migration.text) {
        Ok(other_names) => FileStanding::Written { other_names },
        Err(ReplaceError { message, help }) => FileStanding::WriteFailed(WriteError { message, help }),
    }
}
