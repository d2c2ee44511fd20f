//! Findings checked against a selection and against the ignores of their file.

use std::path::Path;

use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_sources::{FileReading, hides_others};

use super::{LintSelection, SelectedFindings, index_of, inline::InlineIgnores};

/// See [`LintSelection::select_findings`].
pub(super) fn select_findings(
    selection: &LintSelection,
    reading: &FileReading,
    source: &SourceFile,
    path: Option<&Path>,
) -> SelectedFindings {
    let on = selection.of_file(path);
    let mut selected = SelectedFindings::default();
    let mut counted = Vec::with_capacity(reading.diagnostics.len());
    for found in &reading.diagnostics {
        let index = index_of(found.code);
        if index.is_some_and(|index| !on.has_index(index)) {
            selected.unselected.push(found.clone());
        } else {
            counted.push(with_chosen_level(selection, found.clone(), index));
        }
    }
    if reading.ignores.is_empty() {
        selected.shown = counted;
        return selected;
    }
    let mut inline = InlineIgnores::new(&reading.ignores);
    (selected.ignored, selected.shown) = inline.split_findings(counted);
    // Findings about ignores can be ignored as well; an ignore with such a finding counts as used.
    let broken = reading.diagnostics.iter().any(hides_others);
    let about = inline.ignore_findings(source, &on, broken);
    let about = about.into_iter().filter_map(|found| {
        let index = index_of(found.code)?;
        on.has_index(index).then(|| with_chosen_level(selection, found, Some(index)))
    });
    let (ignored, shown) = inline.split_findings(about.collect());
    selected.ignored.extend(ignored);
    selected.shown.extend(shown);
    selected.shown.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    selected
}

/// A finding as bad as was chosen.
fn with_chosen_level(selection: &LintSelection, found: Diagnostic, index: Option<usize>) -> Diagnostic {
    match index.and_then(|index| selection.level_of_lint(index)) {
        Some(level) => Diagnostic { level, ..found },
        None => found,
    }
}
