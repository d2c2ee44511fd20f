//! The changes that a rule allows, in words and as a state diagram.

use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::fact_picture::FactPicture;

use super::values::{join_codes, line_fact, words_piece};

/// Most changes that the words list.
const MOST: usize = 40;

/// Returns the fact about allowed changes from one value to another; `None` if there are none or too many to read.
pub(super) fn states_fact(changes: &[(String, String)], may_stay: bool) -> Option<Fact> {
    let changes: Vec<(String, String)> = changes.iter().filter(|(from, to)| from != to).cloned().collect();
    if changes.is_empty() || changes.len() > MOST {
        return None;
    }
    let runs = changes.chunk_by(|(one, _), (other, _)| one == other);
    let from = |run: &[(String, String)]| {
        let from = run.first().map(|(from, _)| from.as_str()).unwrap_or_default();
        let to: Vec<&str> = run.iter().map(|(_, to)| to.as_str()).collect();
        let mut item = vec![words_piece("from "), Piece::of_code(from), words_piece(" to ")];
        item.extend(join_codes(&to, "or"));
        item
    };
    let mut line = Piece::join_with(runs.map(from), "; ");
    line.push(Piece::Picture(FactPicture::States { changes, initial: Vec::new(), may_stay }));
    Some(line_fact("states", "Allowed changes", line))
}
