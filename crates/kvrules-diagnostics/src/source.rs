//! The texts that spans point into, and the way from an offset to a line and a column.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::{FileId, Span};

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in Unicode code points, counted from 1.
    pub column: u32,
}

/// One source file: its name as shown to the user, and its text, with what is derived from it once.
pub struct SourceFile {
    id: FileId,
    name: String,
    text: Arc<String>,
    /// Offset of the first byte of each line; made when a position is first asked for.
    lines: OnceLock<Vec<u32>>,
    /// Code points before each [`STRIDE`]th byte, so that a column in a very long line is found fast.
    code_points: OnceLock<Vec<u32>>,
    /// The syntax tree, of a parser that this package does not know.
    tree: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SourceFile")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

/// Number of bytes between two counts of code points.
const STRIDE: usize = 1024;

impl SourceFile {
    /// A file with `id`, which the caller keeps unique.
    pub fn new(id: FileId, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            text: Arc::new(text.into()),
            lines: OnceLock::new(),
            code_points: OnceLock::new(),
            tree: OnceLock::new(),
        }
    }

    /// A file with the same id and name, and another text.
    #[must_use]
    pub fn with_text(&self, text: impl Into<String>) -> Self {
        Self::new(self.id, self.name.as_str(), text)
    }

    /// The file's id.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// The name shown to the user: the path as given, or what `--stdin-filename` says.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The syntax tree of the text, which is parsed when it is first asked for. A tree that refers to the text may keep it.
    ///
    /// `None` if the file has a tree of another type already.
    pub fn parsed_tree<T: Any + Send + Sync>(&self, parse: impl FnOnce(Arc<String>) -> T) -> Option<&T> {
        self.tree.get_or_init(|| Box::new(parse(Arc::clone(&self.text)))).downcast_ref()
    }

    /// True if the text has a word somewhere. The search is compiled here, where it is optimised in every profile: it reads whole files.
    ///
    /// ```
    /// use kvrules_diagnostics::{FileId, SourceFile};
    ///
    /// let file = SourceFile::new(FileId(0), "a.yaml", "kind: RuleSet\n");
    /// assert!(file.mentions_word("RuleSet") && !file.mentions_word("Template"));
    /// ```
    pub fn mentions_word(&self, word: &str) -> bool {
        self.text.contains(word)
    }

    /// The text under `span`; empty if the span does not fit the text.
    pub fn span_text(&self, span: Span) -> &str {
        self.text.get(span.to_range()).unwrap_or_default()
    }

    /// Line and column of a byte offset; offsets past the end are at the end.
    ///
    /// A leading byte-order mark is not counted as a column.
    pub fn position_at(&self, offset: u32) -> Position {
        let lines = self.line_starts();
        let line = lines.partition_point(|start| *start <= offset).max(1);
        let start = lines.get(line - 1).copied().unwrap_or(0) as usize;
        let end = floor_boundary(&self.text, offset as usize).max(start);
        let mark = usize::from(start == 0 && end > 0 && self.text.starts_with('\u{feff}'));
        let column = self.code_points_before(end) - self.code_points_before(start) - mark;
        Position { line: to_u32(line), column: to_u32(column + 1) }
    }

    /// Returns the number of code points that begin before a byte offset.
    fn code_points_before(&self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        let begins = |byte: &&u8| **byte & 0xc0 != 0x80;
        let counts = self.code_points.get_or_init(|| {
            let strides = bytes.chunks(STRIDE).scan(0, |sum, chunk| {
                let before = *sum;
                *sum += chunk.iter().filter(begins).count();
                Some(to_u32(before))
            });
            strides.collect()
        });
        let stride = (offset / STRIDE).min(counts.len().saturating_sub(1));
        let rest = bytes.get(stride * STRIDE..offset).unwrap_or_default();
        counts.get(stride).map_or(0, |count| *count as usize) + rest.iter().filter(begins).count()
    }

    fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = self.text.match_indices('\n');
            std::iter::once(0).chain(breaks.map(|(offset, _)| to_u32(offset + 1))).collect()
        })
    }
}

/// The source files of one run.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a text under the name shown to the user and returns its id.
    pub fn add_file(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(to_u32(self.files.len()));
        self.files.push(SourceFile::new(id, name, text));
        id
    }

    /// Puts another text in the place of a file's; spans into the old one lose their meaning.
    ///
    /// ```
    /// use kvrules_diagnostics::Sources;
    /// let mut sources = Sources::default();
    /// let file = sources.add_file("a.yaml", "a: 1");
    /// sources.replace_file(file, "a: 2");
    /// assert_eq!(sources.get(file).unwrap().text(), "a: 2");
    /// ```
    pub fn replace_file(&mut self, id: FileId, text: impl Into<String>) {
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            *file = SourceFile::new(id, std::mem::take(&mut file.name), text);
        }
    }

    /// The file with this id.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// All files in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }
}

/// The greatest character boundary of `text` at or before `offset`.
fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points_and_lines_count_from_one() {
        let file = SourceFile::new(FileId(0), "a", "ab\né: x\n");
        assert_eq!(file.position_at(0), Position { line: 1, column: 1 });
        assert_eq!(file.position_at(2), Position { line: 1, column: 3 });
        assert_eq!(file.position_at(5), Position { line: 2, column: 2 });
        assert_eq!(file.position_at(999), Position { line: 3, column: 1 });
    }

    #[test]
    fn columns_are_right_far_into_a_long_line() {
        let file = SourceFile::new(FileId(0), "a", format!("x\n{}", "aé".repeat(5000)));
        for pairs in [0_u32, 1, 340, 341, 342, 683, 4999] {
            assert_eq!(file.position_at(2 + pairs * 3), Position { line: 2, column: pairs * 2 + 1 });
            assert_eq!(file.position_at(3 + pairs * 3), Position { line: 2, column: pairs * 2 + 2 });
        }
        assert_eq!(SourceFile::new(FileId(0), "a", "").position_at(0), Position { line: 1, column: 1 });
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        let file = SourceFile::new(FileId(0), "a", "\u{feff}ab");
        assert_eq!(file.position_at(3), Position { line: 1, column: 1 });
    }
}
