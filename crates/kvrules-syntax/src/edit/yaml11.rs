//! Quotation marks for what readers of YAML 1.1 would take for something else.

use kvrules_diagnostics::{Edit, FileId};

use super::{apply_edits, quote_json};
use crate::yaml11::is_ambiguous_string;
use crate::{Node, parse_stream};

/// A text of YAML in which no plain string is a boolean, a number, a date or a time for readers of YAML 1.1, Kubernetes among them.
/// A number for both is left as it is.
///
/// ```
/// use kvrules_syntax::edit::for_older_readers;
///
/// let text = "y:\n- on\n- true\n- 1_000\n- 10\n";
/// assert_eq!(for_older_readers(text.to_owned()), "\"y\":\n- \"on\"\n- true\n- \"1_000\"\n- 10\n");
/// ```
pub fn for_older_readers(text: String) -> String {
    let mut edits = Vec::new();
    for document in &parse_stream(FileId(0), &text).documents {
        if let Some(root) = document.root() {
            collect_edits(root, &mut edits);
        }
    }
    if edits.is_empty() {
        return text;
    }
    apply_edits(&text, &edits).unwrap_or(text)
}

fn collect_edits(node: Node<'_>, edits: &mut Vec<Edit>) {
    if node.is_alias() {
        return;
    }
    if is_ambiguous_string(node) {
        edits.push(Edit { span: node.span(), replacement: quote_json(node.text()) });
    }
    node.items().for_each(|item| collect_edits(item, edits));
    for entry in node.entries() {
        collect_edits(entry.key, edits);
        collect_edits(entry.value, edits);
    }
}
