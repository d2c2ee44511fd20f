//! Texts and counts as pictures show them.

use kvrules_diagnostics::render::one_line;

/// Most characters of a text in a picture; what is longer is shortened where it is placed.
const LONGEST_TEXT: usize = 400;

/// A number of things as a coordinate.
pub(crate) fn to_coordinate(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 1024)
}

/// Lines that count what a picture leaves out, of things of which there are so many and at most so many are shown.
pub(crate) fn left_out_lines(counts: [(usize, usize, &str); 2]) -> Vec<String> {
    let left_out = counts.into_iter().filter(|(count, most, _)| count > most);
    left_out.map(|(count, most, noun)| format!("not shown: {} of {count} {noun}", count - most)).collect()
}

/// A text as content of an element, invisible characters spelled out. What XML cannot express is replaced.
pub(crate) fn escape_text(text: &str) -> String {
    let is_allowed = |char: char| !matches!(char, '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    let mut escaped = String::with_capacity(text.len());
    for char in one_line(text).chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            char if is_allowed(char) => escaped.push(char),
            _ => escaped.push('\u{fffd}'),
        }
    }
    escaped
}

/// A text of a user as pictures show it: one line, invisible characters spelled out, and not longer than anyone reads.
pub(crate) fn shown_text(text: &str) -> String {
    let mut start: String = text.chars().take(LONGEST_TEXT + 1).collect();
    if start.chars().count() > LONGEST_TEXT {
        start = start.chars().take(LONGEST_TEXT).chain(std::iter::once('…')).collect();
    }
    one_line(&start).into_owned()
}
