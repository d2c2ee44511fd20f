//! The one accident of indentation that people make: a block indented under a key that has a value.
//!
//! ```yaml
//! kind: Template
//!   metadata: {}
//! ```
//!
//! The intention is clear: `metadata` belongs next to `kind`. The value is overwritten by blanks, which moves no
//! byte, so that YAML reads a mapping under `kind`; the reader then puts the value back and the mapping's
//! entries where they belong.

use std::ops::Range;

/// One value that hides the block below it.
#[derive(Clone, Debug)]
pub(super) struct IndentationRepair {
    /// The bytes of the value.
    pub value: Range<usize>,
    /// The value.
    pub text: String,
    /// The bytes of the first key that is indented too far.
    pub key: Range<usize>,
}

impl IndentationRepair {
    pub(super) fn blank(&self, text: &mut String) {
        text.replace_range(self.value.clone(), &" ".repeat(self.value.len()));
    }
}

/// Finds the accident behind an error that the YAML parser met at `error`.
pub(super) fn find_repair(text: &str, info: &str, error: usize) -> Option<IndentationRepair> {
    if !info.contains("mapping values are not allowed") {
        return None;
    }
    let line_start = text.get(..error)?.rfind('\n')? + 1;
    let line = text.get(line_start..)?.lines().next()?;
    let indent = leading_blanks(line);
    let key_end = line.find(':')?;
    let (above_start, above) = line_above(text, line_start)?;
    let value = value_of(above).filter(|_| leading_blanks(above) < indent)?;
    let range = above_start + value.start..above_start + value.end;
    Some(IndentationRepair {
        text: text.get(range.clone())?.to_owned(),
        value: range,
        key: line_start + indent..line_start + key_end,
    })
}

/// The nearest line with content above the one that starts at `start`, with its offset.
fn line_above(text: &str, start: usize) -> Option<(usize, &str)> {
    let mut end = start;
    loop {
        let before = text.get(..end.checked_sub(1)?)?;
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.get(begin..)?;
        if !line.trim().is_empty() {
            return Some((begin, line));
        }
        end = begin;
    }
}

/// The bytes of a plain value behind a key on its line.
fn value_of(line: &str) -> Option<Range<usize>> {
    let colon = line.find(": ")?;
    let rest = line.get(colon + 1..)?;
    let start = colon + 1 + leading_blanks(rest);
    let value = line.get(start..)?;
    let value = value.split(" #").next().unwrap_or(value).trim_end();
    let plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '#']);
    (plain && !value.is_empty() && !value.contains(": ")).then(|| start..start + value.len())
}

fn leading_blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
