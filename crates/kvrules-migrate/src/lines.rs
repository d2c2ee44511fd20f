//! Lines of a text: where they begin and end, and what is before something on its line.

use kvrules_diagnostics::{Edit, SourceFile, Span};

/// The lines of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileLines<'s> {
    source: &'s SourceFile,
}

impl<'s> FileLines<'s> {
    pub(crate) fn new(source: &'s SourceFile) -> Self {
        Self { source }
    }

    fn text(self) -> &'s str {
        self.source.text()
    }

    /// Returns the start of the line with this byte.
    pub(crate) fn start(self, at: usize) -> usize {
        let before = self.text().get(..at).unwrap_or_default();
        before.rfind(['\n', '\r']).map_or(0, |found| found + 1)
    }

    /// Returns the end of the line with this byte, its break left out.
    pub(crate) fn end(self, at: usize) -> usize {
        let rest = self.text().get(at..).unwrap_or_default();
        at + rest.find(['\n', '\r']).unwrap_or(rest.len())
    }

    /// Returns the start of the next line; the end of the text if there is none.
    pub(crate) fn next(self, at: usize) -> usize {
        let end = self.end(at);
        end + self.break_at(end).len()
    }

    fn break_at(self, at: usize) -> &'s str {
        let rest = self.text().get(at..).unwrap_or_default();
        let length = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with(['\n', '\r'])) };
        rest.get(..length).unwrap_or_default()
    }

    /// The break that ends the line before the one that starts here.
    pub(crate) fn break_before(self, start: usize) -> Option<&'s str> {
        let before = self.text().get(..start)?;
        ["\r\n", "\n", "\r"].into_iter().find(|found| before.ends_with(found))
    }

    /// The break that the file uses: that of its first line.
    pub(crate) fn line_break(self) -> &'s str {
        match self.break_at(self.end(0)) {
            "" => "\n",
            found => found,
        }
    }

    /// Returns the text before a byte on its line.
    pub(crate) fn before(self, at: usize) -> &'s str {
        self.text().get(self.start(at)..at).unwrap_or_default()
    }

    /// Returns the text between two bytes.
    pub(crate) fn slice(self, start: usize, end: usize) -> &'s str {
        self.text().get(start..end).unwrap_or_default()
    }

    /// The lines that begin in a stretch, each from its start and without its break.
    pub(crate) fn in_range(self, start: usize, end: usize) -> impl Iterator<Item = (usize, &'s str)> {
        let mut at = start;
        // The text may end before the requested range does.
        let end = end.min(self.text().len());
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let line = (at, self.slice(at, self.end(at)));
            at = self.next(at);
            Some(line)
        })
    }

    /// Puts whole lines before the line that begins at `at`, or at the end of the text.
    pub(crate) fn insert(self, at: usize, lines: &[String]) -> Option<Edit> {
        let text = self.text();
        let line_break = self.line_break();
        let open = at == text.len() && !text.is_empty() && !text.ends_with(['\n', '\r']);
        let replacement = if open {
            lines.iter().flat_map(|line| [line_break, line.as_str()]).collect()
        } else {
            lines.iter().flat_map(|line| [line.as_str(), line_break]).collect()
        };
        Some(Edit { span: self.span(at, at)?, replacement })
    }

    /// Takes out whole lines. At an end without a break, the break before them goes.
    pub(crate) fn remove(self, start: usize, end: usize) -> Option<Edit> {
        let open = end == self.text().len() && !self.text().ends_with(['\n', '\r']);
        let start = if open { start - self.break_before(start).map_or(0, str::len) } else { start };
        Some(Edit { span: self.span(start, end)?, replacement: String::new() })
    }

    /// A place in this file.
    pub(crate) fn span(self, start: usize, end: usize) -> Option<Span> {
        Some(Span::new(self.source.id(), u32::try_from(start).ok()?, u32::try_from(end).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kvrules_diagnostics::FileId;

    fn source(text: &str) -> SourceFile {
        SourceFile::new(FileId(0), "a.yaml", text)
    }

    #[test]
    fn lines_keep_their_breaks_whatever_they_are() {
        let source = source("a: 1\r\nb: 2\r\nc: 3");
        let lines = FileLines::new(&source);
        assert_eq!((lines.start(7), lines.end(7), lines.next(7)), (6, 10, 12));
        assert_eq!(lines.line_break(), "\r\n");
        assert_eq!(lines.in_range(0, 17).map(|(_, line)| line).collect::<Vec<_>>(), ["a: 1", "b: 2", "c: 3"]);
        let edit = lines.insert(16, &["d: 4".to_owned()]).map(|edit| edit.replacement);
        assert_eq!(edit.as_deref(), Some("\r\nd: 4"));
        assert_eq!(lines.remove(12, 16).map(|edit| edit.span.to_range()), Some(10..16));
    }
}
