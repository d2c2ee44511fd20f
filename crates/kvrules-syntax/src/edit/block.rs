//! Entries of block mappings, which are lines.

use kvrules_diagnostics::{Edit, SourceFile, Span};

use super::gap::span_between;
use crate::{Node, NodeStyle};

/// Puts a line behind the entry with the number `at`.
pub(super) fn insert_line(
    source: &SourceFile,
    entries: &[Span],
    at: usize,
    value: Node<'_>,
    line: &str,
) -> Option<Edit> {
    // The empty lines at the end of a block scalar may be part of it.
    let open_end =
        matches!(value.style(), NodeStyle::Literal | NodeStyle::Folded) && value.text().ends_with("\n\n");
    if open_end {
        return None;
    }
    let own = *entries.get(at)?;
    let prefix = entries.iter().find_map(|entry| indentation(source, *entry)).or_else(|| {
        let prefix = text_before(source, own);
        // An entry after the dash of its list is indented by the width of the text before it.
        prefix.chars().all(|c| matches!(c, ' ' | '-')).then(|| prefix.replace('-', " "))
    })?;
    let end = line_end(source, own.end);
    let rest = source.text().get(own.end as usize..end)?.trim_start();
    let closed = rest.is_empty() || rest.starts_with('#');
    let line_break = line_break(source, end);
    let at = u32::try_from(end).ok()?;
    let span = Span { start: at, end: at, ..own };
    closed.then(|| Edit { span, replacement: format!("{line_break}{prefix}{line}") })
}

/// Takes out the lines of the entry with the number `at`.
pub(super) fn remove_line(source: &SourceFile, entries: &[Span], at: usize) -> Option<Edit> {
    let own = *entries.get(at)?;
    let text = source.text();
    if indentation(source, own).is_none() {
        // After a dash, the next entry takes the place of the removed one.
        let next = *entries.get(at + 1)?;
        let gap = span_between(own, next);
        let clean = text.get(gap.to_range())?.trim().is_empty();
        return clean.then(|| Edit { span: own.cover_with(gap), replacement: String::new() });
    }
    remove_whole_lines(source, own, entries.len())
}

/// Takes out the lines of an item of a block list, with its dash. The dash must stand on the item's first line, and alone.
pub(super) fn remove_item(source: &SourceFile, items: &[Span], at: usize) -> Option<Edit> {
    let own = *items.get(at)?;
    let before = text_before(source, own);
    let indentation = before.trim_end().strip_suffix('-')?;
    let is_alone = indentation.chars().all(|c| matches!(c, ' ' | '>'));
    if is_alone { remove_whole_lines(source, own, items.len()) } else { None }
}

/// Takes out the lines of one of several members, from the start of its first line.
fn remove_whole_lines(source: &SourceFile, own: Span, members: usize) -> Option<Edit> {
    let text = source.text();
    // Without its last member, YAML would not read the rest as a container.
    if members == 1 {
        return None;
    }
    let begin = own.start as usize - text_before(source, own).len();
    let end = line_end(source, own.end);
    let rest = text.get(own.end as usize..end)?.trim_start();
    if !rest.is_empty() && !rest.starts_with('#') {
        return None;
    }
    let past = end + line_break_at(text, end).len();
    // In a file without a final line break, remove the break before the entry.
    let (begin, past) = if past == end { (begin - breaks_before(text, begin), end) } else { (begin, past) };
    let span = Span { start: u32::try_from(begin).ok()?, end: u32::try_from(past).ok()?, ..own };
    Some(Edit { span, replacement: String::new() })
}

/// Returns the indentation of an entry: what precedes it on its line, if that is white space or the prefix of a
/// quotation.
fn indentation(source: &SourceFile, entry: Span) -> Option<String> {
    let before = text_before(source, entry);
    before.chars().all(|c| matches!(c, ' ' | '>')).then(|| before.to_owned())
}

fn text_before(source: &SourceFile, entry: Span) -> &str {
    let text = source.text().get(..entry.start as usize).unwrap_or_default();
    text.get(text.rfind(['\n', '\r']).map_or(0, |at| at + 1)..).unwrap_or_default()
}

fn line_end(source: &SourceFile, from: u32) -> usize {
    let rest = source.text().get(from as usize..).unwrap_or_default();
    from as usize + rest.find(['\n', '\r']).unwrap_or(rest.len())
}

/// The break at the end of a line, or that of the first line where it has none.
fn line_break(source: &SourceFile, end: usize) -> &'static str {
    match line_break_at(source.text(), end) {
        "" if source.text().contains("\r\n") => "\r\n",
        "" => "\n",
        found => found,
    }
}

fn line_break_at(text: &str, at: usize) -> &'static str {
    let rest = text.get(at..).unwrap_or_default();
    ["\r\n", "\n", "\r"].into_iter().find(|found| rest.starts_with(*found)).unwrap_or("")
}

fn breaks_before(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    ["\r\n", "\n", "\r"].into_iter().find(|found| before.ends_with(*found)).map_or(0, str::len)
}
