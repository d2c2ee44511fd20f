//! A comparison as an HTML page: for each pair a timeline of the changes that have an effect.

use kvrules::diff::{ComparedPair, Direction, LocatedChange};
use kvrules::pictures::{ChangeDirection, TimelineChange, TimelineStep, draw_timeline};
use kvrules::render::xml::escape_text;

use super::{Report, human};
use crate::commands::html_page::write_page;

/// The whole page. `old` and `new` are the sides as they were given.
pub(super) fn render_html(report: &Report, old: &str, new: &str) -> String {
    let mut body = String::new();
    for pair in report.diff.pairs.iter().filter(|pair| !pair.changes.is_empty()) {
        body += &section(pair, old, new);
    }
    for (word, singles) in
        [("Only the old side has", &report.diff.removed), ("Only the new side has", &report.diff.added)]
    {
        for single in singles {
            let line = escape_text(&format!("{word} the {} {}.", single.kind, single.name));
            body.extend(["<p>", &line, "</p>\n"]);
        }
    }
    for object in report.corpus.iter().flat_map(|corpus| &corpus.refused) {
        let reasons: Vec<&str> = object.reasons.iter().map(|reason| reason.text.as_str()).collect();
        let line = format!("Rejected since: {} ({}): {}", object.name, object.at, reasons.join("; "));
        body.extend(["<p>", &escape_text(&line), "</p>\n"]);
    }
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
    format!("<section>\n<h2>{title}</h2>\n{}\n</section>\n", draw_timeline(&steps).to_scrolling())
}

/// A change of what is accepted.
fn to_change(located: &LocatedChange) -> Option<TimelineChange> {
    let change = &located.change;
    let direction = match change.direction {
        Direction::Tightened => ChangeDirection::Tightened,
        Direction::Loosened => ChangeDirection::Loosened,
        Direction::Incomparable => ChangeDirection::Incomparable,
        Direction::Unknown => ChangeDirection::Unknown,
        Direction::MessageOnly | Direction::Equal => return None,
    };
    let at = if change.at.is_empty() { "the whole object" } else { &change.at };
    Some(TimelineChange { direction, text: format!("{at}: {}", human::describe_limits(change)) })
}
