//! Report of a run that writes files: written files, files that would change, and files left of earlier runs.

use std::path::PathBuf;

use crate::failure::{Failure, Status};
use crate::outputs::{WritePlan, unified_diff};
use crate::paths;
use crate::sentences::count_noun;
use crate::terminal::Terminal;

/// Notes what an earlier run produced and this one does not, and says how to remove it unless that was done.
pub(in crate::commands) fn note_earlier(plan: &WritePlan, pruned: bool, terminal: &Terminal) {
    note_stale(plan, if pruned { "removed" } else { "no longer generated" }, terminal);
    if !plan.stale.is_empty() && !pruned {
        terminal.print_status("  `--prune` removes files that are no longer generated");
    }
}

/// Says how many files were written, and to which directories.
pub(in crate::commands) fn say_written(plan: &WritePlan, places: &[PathBuf], terminal: &Terminal) {
    let written = plan.changed().count();
    let unchanged = plan.files.len() - written;
    let unchanged = if unchanged > 0 { format!(", {unchanged} unchanged") } else { String::new() };
    let places: Vec<_> = places.iter().map(|place| paths::display_path(place)).collect();
    terminal.print_status(&format!(
        "wrote {} to {}{unchanged}",
        count_noun(written, "file"),
        places.join(", ")
    ));
}

/// Prints what `--check` finds: what would change.
pub(in crate::commands) fn print_check(
    plan: &WritePlan,
    command: &str,
    terminal: &mut Terminal,
) -> Result<Status, Failure> {
    let changed = plan.changed().map(|file| {
        let what = if file.old.is_some() { "would change" } else { "would be created" };
        format!("{what}: {}\n", paths::display_path(&file.path))
    });
    let stale = plan.stale.iter().map(|path| format!("no longer generated: {}\n", paths::display_path(path)));
    let damaged =
        plan.damaged.iter().map(|(path, why)| format!("damaged: {}: {why}\n", paths::display_path(path)));
    let text: String = changed.chain(stale).chain(damaged).collect();
    terminal.print(&text)?;
    if text.is_empty() {
        terminal.print_status(&format!("{} up to date", count_noun(plan.files.len(), "file")));
        return Ok(Status::Clean);
    }
    terminal.print_status(&format!(
        "{} not up to date; run `{command}`",
        count_noun(text.lines().count(), "file")
    ));
    Ok(Status::Findings)
}

/// Prints what `--diff` finds: what would change.
pub(super) fn print_differences(plan: &WritePlan, terminal: &mut Terminal) -> Result<Status, Failure> {
    let shown = plan.changed().map(|file| {
        let old = file.old.as_deref().map(String::from_utf8_lossy);
        unified_diff(&file.path, old.as_deref(), &file.text)
    });
    terminal.print(&shown.collect::<String>())?;
    note_stale(plan, "no longer generated", terminal);
    for (path, why) in &plan.damaged {
        terminal.note(&format!("damaged: {}: {why}", paths::display_path(path)));
    }
    let same = plan.changed().next().is_none() && plan.stale.is_empty() && plan.damaged.is_empty();
    Ok(if same { Status::Clean } else { Status::Findings })
}

/// Names the files of earlier runs that are no longer generated, or a few of them.
fn note_stale(plan: &WritePlan, what: &str, terminal: &Terminal) {
    const SHOWN: usize = 5;
    for path in plan.stale.iter().take(SHOWN) {
        terminal.note(&format!("{what}: {}", paths::display_path(path)));
    }
    if let Some(more) = plan.stale.len().checked_sub(SHOWN + 1) {
        terminal.note(&format!("{what}: {}", count_noun(more + 1, "more file")));
    }
}
