//! The line at the end: how much was checked, what was found, and what is not shown.

use kvrules::{Diagnostic, is_offered};

use super::classify::ClassifiedFindings;
use crate::inputs::LoadedFiles;
use crate::levels::hidden_findings_hint;
use crate::sentences::{count_noun, describe_levels};
use crate::terminal::Terminal;

/// The summary, and notes on likely errors of the caller. `hidden` are the findings below the level that is shown.
pub(super) fn print_summary(
    loaded: &LoadedFiles,
    classified: &ClassifiedFindings,
    shown: &[Diagnostic],
    hidden: &[Diagnostic],
    terminal: &Terminal,
) {
    if !loaded.has_units() && !loaded.readings.is_empty() && !loaded.vacant().is_fault() {
        terminal.note(&format!("no rules were found in {}", count_noun(loaded.readings.len(), "file")));
    }
    if classified.outdated > 0 {
        let (entries, are) =
            (count_noun(classified.outdated, "finding"), if classified.outdated == 1 { "is" } else { "are" });
        terminal.note(&format!(
            "{entries} of the baseline {are} no longer found; `--write-baseline` removes stale entries"
        ));
    }
    let unread = match loaded.unread.len() {
        0 => String::new(),
        number => format!("; {} could not be read", count_noun(number, "file")),
    };
    let checked = match loaded.checked() {
        Some(checked) => {
            format!(
                "{checked}: {}{}{}",
                describe_levels(classified.findings.iter().map(|found| found.level)),
                passed_over(classified),
                loaded.unknown()
            )
        }
        None => loaded.nothing(),
    };
    terminal.print_status(&format!(
        "{checked}{}{}{unread}",
        count_repairable(shown),
        hidden_findings_hint(hidden)
    ));
}

/// Describes the number of findings that are ignored or accepted by the baseline.
fn passed_over(classified: &ClassifiedFindings) -> String {
    let parts = [(classified.ignored, "ignored"), (classified.known, "accepted by the baseline")];
    let counts =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("; {number} {what}"));
    counts.collect::<Vec<_>>().concat()
}

/// Describes the number of findings that `--fix` repairs.
fn count_repairable(shown: &[Diagnostic]) -> String {
    match shown.iter().filter(|found| is_offered(found, false)).count() {
        0 => String::new(),
        number => format!("; {number} fixable with `--fix`"),
    }
}
