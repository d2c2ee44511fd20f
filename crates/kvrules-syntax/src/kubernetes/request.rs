//! The size that a request to an API server can have.

use crate::Node;

/// The most bytes a request to the server can have.
pub const REQUEST_BYTES: usize = 3 << 20;

/// True if a node, with all that aliases repeat, is larger than a request.
pub fn is_too_large(node: Node<'_>) -> bool {
    let repeated = || subtract_size(node, &mut { REQUEST_BYTES }).is_none();
    node.size_without_aliases().map_or_else(repeated, |size| size > REQUEST_BYTES)
}

/// Subtracts the size of a node from what is left; `None` if there is not enough.
fn subtract_size(node: Node<'_>, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(node.text().len() + 1)?;
    for item in node.items() {
        subtract_size(item, left)?;
    }
    for entry in node.entries() {
        subtract_size(entry.key, left)?;
        subtract_size(entry.value, left)?;
    }
    Some(())
}
