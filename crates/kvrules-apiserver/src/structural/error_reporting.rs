//! Reports of errors at keywords of a node.

use crate::field_error::ErrorType;

/// Reports an error at a step below the node, in the server's words.
pub(super) type ReportError<'a> = dyn FnMut(ErrorType, &str, String) + 'a;

/// The server's words for a closed list.
pub(super) fn supported_values(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
    format!("supported values: {}", quoted.join(", "))
}
