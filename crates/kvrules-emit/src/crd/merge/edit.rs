//! Texts put between two bytes of a file.

/// A text to be put into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::crd) struct TextInsertion {
    /// Before this byte.
    pub(super) at: usize,
    pub(super) text: String,
}

/// A text with edits made; those at one place in their order.
pub(in crate::crd) fn apply_edits(text: &str, mut edits: Vec<TextInsertion>) -> String {
    edits.sort_by_key(|edit| edit.at);
    let mut edited = String::with_capacity(text.len());
    let mut done = 0;
    for edit in &edits {
        edited.push_str(text.get(done..edit.at).unwrap_or_default());
        edited.push_str(&edit.text);
        done = edit.at;
    }
    edited.push_str(text.get(done..).unwrap_or_default());
    edited
}
