//! Content that is recognized but not checked here.

use kvrules::unchecked_unit_kinds;

use crate::inputs::LoadedFiles;
use crate::sentences::count_noun;
use crate::terminal::Terminal;

/// Maximum number of files of one kind that are named.
const SHOWN: usize = 3;

/// Names the files that hold something that `check` does not look at, with the command that does, if there is one. True if there are any.
pub(super) fn report_unchecked(loaded: &LoadedFiles, terminal: &Terminal) -> bool {
    let mut any = false;
    for kind in unchecked_unit_kinds() {
        let files = loaded.sources.files().iter().zip(&loaded.readings);
        let holding: Vec<_> = files
            .filter_map(|(file, reading)| {
                let found = reading.contents.units.iter().find(|unit| unit.kind == kind)?;
                Some((file.name(), file.position_at(found.span.start)))
            })
            .collect();
        any |= !holding.is_empty();
        for (name, at) in holding.iter().take(SHOWN) {
            let message = format!(
                "{name}:{}:{}: {} are not checked by `kvrules check`",
                at.line, at.column, kind.plural
            );
            terminal.warning(&message, Some("use `kubectl apply --dry-run=server` instead"));
        }
        if let Some(more @ 1..) = holding.len().checked_sub(SHOWN) {
            let message = format!("{} with {} are not checked", count_noun(more, "more file"), kind.plural);
            terminal.warning(&message, Some("leave them out with `exclude` in the configuration"));
        }
    }
    any
}
