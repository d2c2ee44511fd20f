//! An entry as lines without indentation, so that it can be put elsewhere.

use kvrules_diagnostics::SourceFile;
use kvrules_syntax::{Entry, NodeStyle};

use crate::{indent::block_prefix, lines::FileLines};

/// The value of an entry: the rest of the key's line, and the lines below without the indentation of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DetachedValue {
    /// Behind the colon and its blanks: a whole value, or the head of a block with its comment.
    pub(crate) head: String,
    /// The lines below. An empty one stays empty wherever it is put.
    pub(crate) below: Vec<String>,
}

/// The lines of an entry in a block mapping, from the start of the first to behind the last.
pub(crate) fn entry_lines(source: &SourceFile, entry: Entry<'_>) -> (usize, usize) {
    let lines = FileLines::new(source);
    let start = lines.start(entry.key.span().start as usize);
    let mut last = (entry.value.span().end as usize).max(entry.key.span().end as usize);
    // The span of a block scalar may end at the start of the next line.
    let ends_line = |at: usize| lines.start(at) == at && at > start;
    if ends_line(last) {
        last = last.saturating_sub(1);
        if lines.slice(last, last + 1) == "\n" && last > 0 && lines.slice(last - 1, last) == "\r" {
            last -= 1;
        }
    }
    (start, lines.next(last))
}

/// Takes a value off its place; none if it cannot be done without a look at every character.
pub(crate) fn detach_value(source: &SourceFile, entry: Entry<'_>) -> Option<DetachedValue> {
    let lines = FileLines::new(source);
    let key = block_prefix(lines.before(entry.key.span().start as usize))?;
    let (_, end) = entry_lines(source, entry);
    let first_end = lines.end(entry.key.span().end as usize);
    let head = lines.slice(entry.key.span().end as usize, first_end).trim_start();
    let head = head.strip_prefix(':')?.trim_start().to_owned();
    let is_block = matches!(entry.value.style(), NodeStyle::Literal | NodeStyle::Folded);
    let mut below = Vec::new();
    for (_, line) in lines.in_range(lines.next(first_end), end) {
        below.push(match line.strip_prefix(key.as_str()) {
            Some(rest) => rest.to_owned(),
            // In a block, white space up to the indentation is an empty line.
            None if line.trim().is_empty() => String::new(),
            None if is_block => return None,
            None => line.trim_start().to_owned(),
        });
    }
    // The lines of a quoted scalar need some indentation, of any width.
    if !is_block {
        below
            .iter_mut()
            .filter(|line| !line.is_empty() && !line.starts_with(' '))
            .for_each(|line| line.insert_str(0, "  "));
    }
    Some(DetachedValue { head, below })
}

impl DetachedValue {
    /// The lines of an entry with this value, under another key and at another indentation.
    pub(crate) fn lines(&self, prefix: &str, key: &str) -> Vec<String> {
        let first = format!("{prefix}{key}: {}", self.head).trim_end().to_owned();
        let below = self.below.iter().map(|line| match line.as_str() {
            "" => prefix.trim_end_matches(' ').to_owned(),
            line => format!("{prefix}{line}"),
        });
        std::iter::once(first).chain(below).collect()
    }
}
