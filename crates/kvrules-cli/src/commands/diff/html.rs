//! A comparison as an HTML page: for each pair a timeline of the changes that have an effect.

use kvrules::diff::{ComparedPair, Direction, LocatedChange, Location, UnpairedUnit};
use kvrules::pictures::{ChangeDirection, TimelineChange, TimelineStep, draw_timeline};
use kvrules::render::xml::escape_text;

use super::{Report, human};
use crate::commands::html_page::write_page;
use crate::naming::NamingBase;

/// The whole page. `old` and `new` are the sides as they were given.
pub(super) fn render_html(report: &Report, old: &str, new: &str, base: &NamingBase) -> String {
    let [old, new] = [old, new].map(|side| base.page_name(side));
    let mut body = String::new();
    for pair in report.diff.pairs.iter().filter(|pair| !pair.changes.is_empty()) {
        body += &section(pair, &old, &new);
    }
    let listed = |single: &UnpairedUnit| format!("{} {}", single.kind, single.name);
    body += &list("Only on the old side", report.diff.removed.iter().map(listed));
    body += &list("Only on the new side", report.diff.added.iter().map(listed));
    let rejected = report.corpus.iter().flat_map(|corpus| &corpus.refused).map(|object| {
        let reasons: Vec<&str> = object.reasons.iter().map(|reason| reason.text.as_str()).collect();
        let at = Location { file: base.page_name(&object.at.file), ..object.at.clone() };
        format!("{} ({at}): {}", object.name, reasons.join("; "))
    });
    body += &list("Objects that are rejected now", rejected);
    let pruned = report.corpus.iter().flat_map(|corpus| &corpus.pruned).map(|object| {
        let at = Location { file: base.page_name(&object.at.file), ..object.at.clone() };
        format!("{} ({at}): {}", object.name, human::dropped_fields(object))
    });
    body += &list("Objects that lose fields", pruned);
    let summary = human::diff_summary(report).replace('\n', "; ");
    write_page("Changes between two versions", &summary, &body)
}

fn section(pair: &ComparedPair, old: &str, new: &str) -> String {
    let renamed = pair.renamed.as_ref().map(|name| format!(" → {name}")).unwrap_or_default();
    let title = escape_text(&format!("{} {}{renamed}", pair.kind, pair.name));
    let changes = pair.changes.iter().filter_map(to_change).collect();
    let steps = [
        TimelineStep { version: old.to_owned(), changes: Vec::new() },
        TimelineStep { version: new.to_owned(), changes },
    ];
    let notes: Vec<String> =
        pair.notes.iter().map(|note| format!("<p>{}</p>\n", escape_text(note))).collect();
    let notes = notes.concat();
    format!("<section>\n<h2>{title}</h2>\n{notes}{}\n</section>\n", draw_timeline(&steps).to_scrolling())
}

/// Number of entries that a list shows unfolded.
const UNFOLDED: usize = 12;

/// A section with a list, folded if it is long; nothing for no entries.
fn list(title: &str, entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.map(|entry| format!("<li>{}</li>\n", escape_text(&entry))).collect();
    if entries.is_empty() {
        return String::new();
    }
    let list = format!("<ul>\n{}</ul>", entries.concat());
    let list = if entries.len() > UNFOLDED {
        format!("<details>\n<summary>Show {} entries</summary>\n{list}\n</details>", entries.len())
    } else {
        list
    };
    format!("<section>\n<h2>{title}</h2>\n{list}\n</section>\n")
}

/// A change of what is accepted.
fn to_change(located: &LocatedChange) -> Option<TimelineChange> {
    let change = &located.change;
    let direction = match change.direction {
        Direction::Tightened | Direction::TightenedLooseningUnknown => ChangeDirection::Tightened,
        Direction::Loosened | Direction::LoosenedTighteningUnknown => ChangeDirection::Loosened,
        Direction::Incomparable => ChangeDirection::Incomparable,
        Direction::Unknown => ChangeDirection::Unknown,
        Direction::MessageOnly | Direction::Equal => return None,
    };
    let at = if change.at.is_empty() { "the whole object" } else { &change.at };
    let unknown = change.direction.unknown_part().map(|part| format!("{part}; ")).unwrap_or_default();
    Some(TimelineChange { direction, text: format!("{unknown}{at}: {}", human::describe_limits(change)) })
}
