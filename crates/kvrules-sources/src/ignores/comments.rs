//! `# kvrules: ignore[…]` and `# kvrules: ignore-file[…]`.

use std::ops::Range;

use kvrules_diagnostics::{SourceFile, Span};

use super::{IgnoreDirective, IgnoreEntry, IgnoreFault, parse_list, scalars::ScalarRanges};
use kvrules_diagnostics::find_nearest;

/// Start of the text of our comments.
const OURS: &str = "kvrules:";
/// The words that may follow.
const WORDS: [&str; 2] = ["ignore", "ignore-file"];

/// A part of a file that is YAML, with what is needed to find comments in it.
struct YamlPart<'a> {
    source: &'a SourceFile,
    range: Range<usize>,
    scalars: &'a ScalarRanges,
    /// Lines of comments, and the line after them. Many comments in a row are looked through once.
    last_run: Option<(Range<usize>, Option<Range<usize>>)>,
    /// Start of the first line that is not a comment, once it was looked up.
    head: Option<usize>,
}

/// Start of a comment, and its line up to there.
struct CommentStart<'a> {
    line: Range<usize>,
    before: &'a str,
    hash: usize,
}

/// Those of one part of a file.
pub(super) fn find_in_part(
    source: &SourceFile,
    range: Range<usize>,
    scalars: &ScalarRanges,
    found: &mut Vec<IgnoreDirective>,
) {
    let mut part = YamlPart { source, range, scalars, last_run: None, head: None };
    let text = part.text(part.range.clone());
    for (at, _) in text.match_indices(OURS) {
        let at = part.range.start + at;
        if let Some(comment) = part.comment(at) {
            found.extend(part.ignore(&comment, at + OURS.len()));
        }
    }
}

impl<'a> YamlPart<'a> {
    fn text(&self, range: Range<usize>) -> &'a str {
        self.source.text().get(range).unwrap_or_default()
    }

    fn span(&self, range: Range<usize>) -> Span {
        let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span::new(self.source.id(), offset(range.start), offset(range.end))
    }

    /// The line around an offset, without its break.
    fn line(&self, at: usize) -> Range<usize> {
        let start = self
            .text(self.range.start..at)
            .rfind('\n')
            .map_or(self.range.start, |last| self.range.start + last + 1);
        let end = self.text(at..self.range.end).find('\n').map_or(self.range.end, |next| at + next);
        start..end
    }

    /// The line after one that ends here.
    fn next(&self, end: usize) -> Option<Range<usize>> {
        (end < self.range.end).then(|| self.line(end + 1))
    }

    /// Returns the content of a line, without the marks of a quotation around an example.
    fn content(&self, line: Range<usize>) -> &'a str {
        let quoted = self.range.len() < self.source.text().len();
        self.text(line).trim_matches(|mark: char| mark.is_whitespace() || (quoted && mark == '>'))
    }

    /// The comment whose words begin at an offset, if they are one.
    fn comment(&self, at: usize) -> Option<CommentStart<'a>> {
        let line = self.line(at);
        let before = self.text(line.start..at).trim_end().strip_suffix('#')?;
        let hash = line.start + before.len();
        let begins = before.is_empty() || before.ends_with(char::is_whitespace);
        (begins && !self.scalars.contains_offset(hash)).then_some(CommentStart { line, before, hash })
    }

    /// The ignore in a comment, if its words, which begin at `at`, are intended as one.
    fn ignore(&mut self, comment: &CommentStart<'_>, at: usize) -> Option<IgnoreDirective> {
        let rest = self.text(at..comment.line.end);
        let wording = rest.trim_start();
        let word = wording.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or_default();
        let behind = wording.get(word.len()..).unwrap_or_default().trim_start();
        let start = comment.line.end - behind.len();
        let (items, end, mut fault) = self.parse_bracketed_list(behind, start);
        if !WORDS.contains(&word) {
            let near = find_nearest(word, WORDS);
            if near.is_none() && !behind.starts_with('[') {
                return None;
            }
            fault = Some(unknown_word(word, near.unwrap_or("ignore")));
        }
        let covers = if word == "ignore-file" {
            self.whole_part(comment.line.start)
        } else {
            self.adjacent_range(comment)
        };
        if word == "ignore-file" && covers.is_none() {
            fault.get_or_insert_with(below_the_head);
        }
        let end = end.max(comment.hash + 1);
        Some(IgnoreDirective {
            span: self.span(comment.hash..end),
            items,
            covers: covers.map(|range| self.span(range)),
            fault,
        })
    }

    /// The list in brackets that a text at `start` begins with, and where it ends.
    fn parse_bracketed_list(
        &self,
        text: &str,
        start: usize,
    ) -> (Vec<IgnoreEntry>, usize, Option<IgnoreFault>) {
        let Some(inside) = text.strip_prefix('[') else { return (Vec::new(), self.trimmed_end(start), None) };
        let Some(end) = inside.find(']') else {
            let end = start + text.trim_end().len();
            return (Vec::new(), end, Some(unclosed_fault()));
        };
        let span = |range: Range<usize>| self.span(start + 1 + range.start..start + 1 + range.end);
        (parse_list(inside.get(..end).unwrap_or_default(), span), start + end + 2, None)
    }

    /// The end of what stands before an offset.
    fn trimmed_end(&self, at: usize) -> usize {
        self.range.start + self.text(self.range.start..at).trim_end().len()
    }

    /// Returns the range that a comment next to something is for: its line, or else the next, with the scalars there.
    fn adjacent_range(&mut self, comment: &CommentStart<'_>) -> Option<Range<usize>> {
        // In a quoted example, the marks of the quotation precede the comment.
        let before = comment.before.trim_start_matches(|mark: char| mark.is_whitespace() || mark == '>');
        let alone = before.starts_with('#') || self.content(comment.line.start..comment.hash).is_empty();
        let line = if alone { self.after_comments(&comment.line)? } else { comment.line.clone() };
        let empty = self.content(line.clone()).is_empty();
        (!empty).then(|| self.scalars.widen_line(line))
    }

    /// The first line below that is not a comment.
    fn after_comments(&mut self, line: &Range<usize>) -> Option<Range<usize>> {
        if let Some((_, after)) = self.last_run.as_ref().filter(|(run, _)| run.contains(&line.start)) {
            return after.clone();
        }
        let mut end = line.end;
        let mut after = self.next(end);
        while let Some(next) = after.clone().filter(|next| self.content(next.clone()).starts_with('#')) {
            end = next.end;
            after = self.next(end);
        }
        self.last_run = Some((line.start..end, after.clone()));
        after
    }

    /// All of the part, where only comments stand before an offset.
    fn whole_part(&mut self, at: usize) -> Option<Range<usize>> {
        let head = match self.head {
            Some(head) => head,
            None => self.first_content(),
        };
        self.head = Some(head);
        (at < head).then(|| self.range.clone())
    }

    /// Returns the start of the first line that is neither empty nor a comment nor the start of a document.
    fn first_content(&self) -> usize {
        let mut line = self.line(self.range.start);
        loop {
            let content = self.content(line.clone()).trim_start_matches('\u{feff}');
            if !(content.is_empty() || content == "---" || content.starts_with(['#', '%'])) {
                return line.start;
            }
            let Some(next) = self.next(line.end) else { return self.range.end };
            line = next;
        }
    }
}

fn unknown_word(word: &str, near: &str) -> IgnoreFault {
    let message = match word {
        "" => "missing instruction after `kvrules:`".to_owned(),
        word => format!("unknown instruction `{word}`"),
    };
    IgnoreFault { message, help: format!("did you mean `{near}`?") }
}

fn unclosed_fault() -> IgnoreFault {
    IgnoreFault {
        message: "unclosed list of codes".to_owned(),
        help: "add `]` after the last code".to_owned(),
    }
}

fn below_the_head() -> IgnoreFault {
    IgnoreFault {
        message: "an ignore for the whole file must be above its first lines".to_owned(),
        help: "move it above everything except comments".to_owned(),
    }
}
