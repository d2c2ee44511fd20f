//! The line at the end: how much was checked, what was found, and what is not shown.

use kvrules::{Diagnostic, Level, is_offered};

use super::judge::Judged;
use crate::inputs::Loaded;
use crate::levels::unshown;
use crate::sentences::count;
use crate::terminal::Terminal;

/// The summary, and notes on what may be a mistake of the caller's. `hidden` are the findings below the level that is shown.
pub(super) fn conclude(
    loaded: &Loaded,
    judged: &Judged,
    shown: &[Diagnostic],
    hidden: &[Diagnostic],
    terminal: &Terminal,
) {
    let nothing = loaded.rules() + loaded.extra_specs() + loaded.templates_found() == 0
        && loaded.kubernetes().is_empty();
    if nothing && !loaded.readings.is_empty() && !loaded.vacant().is_fault() {
        terminal.note(&format!("no rules were found in {}", count(loaded.readings.len(), "file")));
    }
    if judged.outdated > 0 {
        let (entries, are) =
            (count(judged.outdated, "finding"), if judged.outdated == 1 { "is" } else { "are" });
        terminal.note(&format!(
            "{entries} of the baseline {are} no longer found; `--write-baseline` removes stale entries"
        ));
    }
    let unread = match loaded.unread.len() {
        0 => String::new(),
        number => format!("; {} could not be read", count(number, "file")),
    };
    let checked = match loaded.checked() {
        Some(checked) => {
            format!("{checked}: {}{}{}", found(judged), passed_over(judged), loaded.unknown())
        }
        None => loaded.nothing(),
    };
    terminal.say(&format!("{checked}{}{}{unread}", repairable(shown), unshown(hidden)));
}

/// `2 errors, 1 warning`, or `no findings`.
fn found(judged: &Judged) -> String {
    let nouns = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Info, "note")];
    let number = |level: Level| judged.findings.iter().filter(|found| found.level == level).count();
    let counted = nouns.map(|(level, noun)| (number(level), noun));
    let told: Vec<_> =
        counted.iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(*number, noun)).collect();
    if told.is_empty() { "no findings".to_owned() } else { told.join(", ") }
}

/// Describes the number of findings that are ignored or accepted by the baseline.
fn passed_over(judged: &Judged) -> String {
    let parts = [(judged.ignored, "ignored"), (judged.known, "accepted by the baseline")];
    let told =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("; {number} {what}"));
    told.collect::<Vec<_>>().concat()
}

/// Describes the number of findings that `--fix` repairs.
fn repairable(shown: &[Diagnostic]) -> String {
    match shown.iter().filter(|found| is_offered(found, false)).count() {
        0 => String::new(),
        number => format!("; {number} fixable with `--fix`"),
    }
}
