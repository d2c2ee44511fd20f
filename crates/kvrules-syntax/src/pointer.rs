//! JSON pointers (RFC 6901), as they are in the fragment of a reference.

use crate::Node;

/// One step of a pointer, without its escapes: those of URIs (`%20`) and those of pointers (`~0`, `~1`).
///
/// ```
/// assert_eq!(kvrules_syntax::pointer::unescape_step("a~1b%20c"), "a/b c");
/// ```
pub fn unescape_step(step: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = step.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%');
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    unescape_token(&String::from_utf8_lossy(&bytes))
}

/// One step of a pointer outside of a URI, without the escapes of pointers (`~0`, `~1`).
pub fn unescape_token(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Returns the node that a pointer in a fragment leads to, `""` for the node itself; `None` if there is none.
pub fn find_node<'d>(from: Node<'d>, pointer: &str) -> Option<Node<'d>> {
    if pointer.is_empty() {
        return Some(from);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(from, |node, step| {
        let step = unescape_step(step);
        match step.parse::<usize>() {
            Ok(index) if node.is_list() => node.items().nth(index),
            _ => node.get(&step),
        }
    })
}

/// A step of a pointer with the escapes that it needs.
pub fn escape_step(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}
