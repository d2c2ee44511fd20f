//! The place of a part of a JSON string whose escapes changed its text.

use std::ops::Range;

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_syntax::Node;

/// The place of a range of a string's text, as narrow as it can be had.
///
/// The tree forgets where escapes stood. Where the source is a JSON string to the letter (in a file of JSON, or in a
/// literal block of YAML) it is walked once more; elsewhere the whole string is the answer.
pub(crate) fn span_of(source: &SourceFile, node: Node<'_>, range: Range<usize>) -> Span {
    let whole = node.span();
    let known = node.span_of(range.clone());
    if known != whole {
        return known;
    }
    let places = text_offsets(source.span_text(whole), node.text());
    let at = |offset: usize| places.as_ref()?.get(offset).and_then(|at| u32::try_from(*at).ok());
    match (at(range.start), at(range.end)) {
        (Some(start), Some(end)) => Span::new(whole.file, whole.start + start, whole.start + end),
        _ => whole,
    }
}

/// For each byte of the text, and for its end, the offset in the written string; none if that is not JSON.
fn text_offsets(written: &str, text: &str) -> Option<Vec<usize>> {
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    for c in text.chars() {
        let rest = inner.get(at..)?;
        let taken = if rest.starts_with(c) && c != '\\' {
            c.len_utf8()
        } else {
            escape_len(rest.strip_prefix('\\')?, c)?
        };
        places.extend(std::iter::repeat_n(at + 1, c.len_utf8()));
        at += taken;
    }
    places.push(at + 1);
    (at == inner.len()).then_some(places)
}

/// The length of an escape of `c`, including its backslash.
fn escape_len(behind: &str, c: char) -> Option<usize> {
    match behind.chars().next() {
        Some('u') if c != 'u' => Some(if c.len_utf16() == 2 { 12 } else { 6 }),
        // A wrong escape keeps its backslash in the text.
        Some(next) if c == '\\' && next != '\\' => Some(1),
        Some(_) => Some(2),
        None => (c == '\\').then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_shift_what_follows_them() {
        assert_eq!(text_offsets(r#""a\\db""#, r"a\db"), Some(vec![1, 2, 4, 5, 6]));
        assert_eq!(text_offsets(r#""\u0041x""#, "Ax"), Some(vec![1, 7, 8]));
        assert_eq!(text_offsets(r#""\dx""#, r"\dx"), Some(vec![1, 2, 3, 4]));
        assert_eq!(text_offsets("“a”", "a"), None);
    }
}
