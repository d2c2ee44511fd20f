//! Comments of a document, by the entry or item that they belong to.

use std::collections::BTreeMap;
use std::ops::Range;

/// A comment.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    start: usize,
    text: String,
    /// True if more than the dash of an item is before it on its line.
    is_behind: bool,
}

/// Comments and blank lines by the start of the entry or item that they belong to.
#[derive(Debug, Default)]
pub(super) struct Comments {
    before: BTreeMap<usize, Vec<Comment>>,
    behind: BTreeMap<usize, Vec<Comment>>,
    /// The starts before which, or before whose comments, a line is blank.
    blank: Vec<usize>,
}

/// Returns the comments between the scalars of a document.
///
/// # Errors
///
/// There is something else than marks of structure between the scalars, at this byte.
pub(super) fn find_comments(
    text: &str,
    range: Range<usize>,
    scalars: &[Range<usize>],
) -> Result<Vec<Comment>, usize> {
    let mut scalars: Vec<_> = scalars.to_vec();
    scalars.sort_by_key(|scalar| scalar.start);
    let mut found = Vec::new();
    let mut at = range.start;
    let end = range.end..range.end;
    for scalar in scalars.into_iter().chain(std::iter::once(end)) {
        let mut gap = text.get(at..scalar.start).unwrap_or_default();
        while let Some(mark) = gap.find(|c: char| !" \t\r\n-:?,{}[]".contains(c)) {
            let start = at + mark;
            let rest = gap.get(mark..).unwrap_or_default();
            if !rest.starts_with('#') {
                return Err(start);
            }
            let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
            let line = text.get(..start).unwrap_or_default().rsplit(['\n', '\r']).next().unwrap_or_default();
            let comment = rest.get(..length).unwrap_or_default().trim_end().to_owned();
            found.push(Comment {
                start,
                text: comment,
                is_behind: !line.trim_matches([' ', '\t', '-']).is_empty(),
            });
            at = start + length;
            gap = rest.get(length..).unwrap_or_default();
        }
        at = scalar.end.max(at);
    }
    Ok(found)
}

/// The texts in an order that does not depend on the layout.
pub(super) fn comment_texts(comments: &[Comment]) -> Vec<String> {
    let mut texts: Vec<_> = comments.iter().map(|comment| comment.text.clone()).collect();
    texts.sort();
    texts
}

impl Comments {
    /// Gives each comment to an entry or item: what is behind something to that, all others to the next one.
    pub(super) fn attach(text: &str, comments: Vec<Comment>, anchors: &[usize]) -> Self {
        let mut anchors = anchors.to_vec();
        anchors.sort_unstable();
        anchors.dedup();
        let mut attached = Self::default();
        for comment in comments {
            let next = anchors.iter().find(|anchor| **anchor > comment.start);
            let last = anchors.iter().rev().find(|anchor| **anchor < comment.start);
            match (comment.is_behind, next, last) {
                (false, Some(next), _) | (true, Some(next), None) => {
                    attached.before.entry(*next).or_default().push(comment);
                }
                (_, _, Some(last)) => attached.behind.entry(*last).or_default().push(comment),
                (_, None, None) => {}
            }
        }
        for anchor in anchors {
            let first = attached.before.get(&anchor).and_then(|before| before.first());
            let start = first.map_or(anchor, |comment| comment.start);
            let before = text.get(..start).unwrap_or_default();
            let before = before.trim_end_matches([' ', '\t', '-']);
            if before.ends_with("\n\n") || before.ends_with("\n\r\n") || is_blank_line(before) {
                attached.blank.push(anchor);
            }
        }
        attached
    }

    /// The comments before an entry or item, and if a blank line is before them.
    pub(super) fn take_before(&mut self, start: usize) -> (Vec<String>, bool) {
        let comments = self.before.remove(&start).unwrap_or_default();
        let at = self.blank.iter().position(|anchor| *anchor == start);
        let is_blank = at.is_some_and(|at| {
            self.blank.swap_remove(at);
            true
        });
        (comments.into_iter().map(|comment| comment.text).collect(), is_blank)
    }

    pub(super) fn take_behind(&mut self, start: usize) -> Vec<String> {
        self.behind.remove(&start).unwrap_or_default().into_iter().map(|comment| comment.text).collect()
    }

    /// The comments that are given to something within a range, which is written without comments inside.
    pub(super) fn take_within(&mut self, range: Range<usize>) -> Vec<String> {
        let starts: Vec<usize> = self.behind.range(range).map(|(start, _)| *start).collect();
        starts.into_iter().flat_map(|start| self.take_behind(start)).collect()
    }

    /// True if a comment is within a range of bytes.
    pub(super) fn has_within(&self, range: &Range<usize>) -> bool {
        let all = self.before.values().chain(self.behind.values());
        all.flatten().any(|comment| range.contains(&comment.start))
    }
}

/// True if a text ends with a line of spaces.
fn is_blank_line(text: &str) -> bool {
    let Some(before) = text.strip_suffix('\n') else { return false };
    before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty() && before.contains('\n'))
}
