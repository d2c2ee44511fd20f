//! Writing migrated files, each whole or not at all, until somebody asks to stop.

use rayon::prelude::*;

use super::run::{File, Run, Standing, Unwritten};
use crate::failure::Failure;
use crate::inputs::pool;
use crate::options::InputArgs;
use crate::outputs::{Deferral, Unreplaced, exchange, sweep_beside};
use crate::progress::Progress;

/// Writes the files that would change. One that cannot be written is told of, and the others go on.
///
/// From here on Ctrl-C lets the files that are being written come to their end, and begins no other: what is left is the
/// old file or the new one, and nothing beside them.
pub(super) fn write(run: &mut Run, inputs: &InputArgs) -> Result<(), Failure> {
    sweep_beside(run.files.iter().filter_map(|file| file.path.as_deref()));
    let number = run.count(Standing::would_change);
    if number == 0 {
        return Ok(());
    }
    let stop = Deferral::begin();
    let progress = Progress::new("writing", number);
    pool(inputs)?.install(|| {
        let files = run.sources.files().par_iter().zip(&mut run.files);
        files.filter(|(_, file)| file.standing.would_change()).for_each(|(source, file)| {
            if !stop.is_asked() {
                file.standing = written(file, source.text());
                progress.step();
            }
        });
    });
    progress.end();
    run.interrupted = stop.is_asked() && run.count(Standing::would_change) > 0;
    Ok(())
}

fn written(file: &File, old: &str) -> Standing {
    let Some(path) = &file.path else { return file.standing.clone() };
    match exchange(path, old, &file.migration.text) {
        Ok(other_names) => Standing::Written { other_names },
        Err(Unreplaced { message, help }) => Standing::WriteFailed(Unwritten { message, help }),
    }
}
