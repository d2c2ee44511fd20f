//! From the path of a field, as a Kubernetes API server writes it, to the entry in a document.

use crate::{Entry, Node};

/// The end of a path, as far as it is written in a document.
#[derive(Clone, Copy, Debug)]
pub struct FoundField<'d> {
    /// The last entry on the path; for an item of a list the item, with the key of the list.
    pub entry: Entry<'d>,
    /// Number of steps that were found.
    pub steps: usize,
    /// True if the path was followed to its end.
    pub is_whole: bool,
    /// Number of bytes of the path that were followed.
    pub followed: usize,
}

/// Follows a path such as `spec.versions[0].name` from a document; where nothing is found the entry is the document.
///
/// Names follow dots and keys of maps are in brackets, and both may have dots of their own: the longest that fits is taken.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_syntax::{kubernetes::find_field, parse_stream};
///
/// let stream = parse_stream(FileId(0), "labels: {a.b/c: [x, y]}");
/// let root = stream.documents[0].root().unwrap();
/// let found = find_field(root, "labels[a.b/c][1]");
/// assert_eq!((found.entry.value.text(), found.is_whole), ("y", true));
/// let missing = find_field(root, "labels.none");
/// assert_eq!((missing.entry.key.text(), missing.is_whole), ("labels", false));
/// ```
pub fn find_field<'d>(document: Node<'d>, path: &str) -> FoundField<'d> {
    follow_field(Entry { key: document, value: document }, path)
}

/// Follows a path from an entry, as [`find_field`] does.
pub fn follow_field<'d>(from: Entry<'d>, path: &str) -> FoundField<'d> {
    let (mut entry, mut rest, mut steps) = (from, path, 0);
    while !rest.is_empty() {
        let Some((next, after)) = follow_step(entry, rest) else { break };
        (entry, rest, steps) = (next, after, steps + 1);
    }
    FoundField { entry, steps, is_whole: rest.is_empty(), followed: path.len() - rest.len() }
}

fn follow_step<'d, 'p>(at: Entry<'d>, rest: &'p str) -> Option<(Entry<'d>, &'p str)> {
    if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && at.value.is_list()
    {
        let value = at.value.items().nth(index.parse().ok()?)?;
        return Some((Entry { value, ..at }, after));
    }
    let name = rest.strip_prefix('.').unwrap_or(rest);
    let after = |key: &str| {
        let bracketed = rest.strip_prefix('[').and_then(|rest| rest.strip_prefix(key)?.strip_prefix(']'));
        let ends = |after: &&str| after.is_empty() || after.starts_with(['.', '[']);
        bracketed.or_else(|| name.strip_prefix(key).filter(ends))
    };
    let fitting = at.value.entries_with_merged().filter_map(|entry| Some((entry, after(entry.key.text())?)));
    // Of a key that stands twice the last one counts.
    fitting.max_by_key(|(entry, _)| entry.key.text().len())
}
