//! The pages of lints, which the program has in compressed form (see `build.rs`).

use std::sync::OnceLock;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// Codes and pages by turns, each with a zero byte behind it.
static COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pages.z"));

/// Maximum size of all pages together, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// Returns the code of every lint with its page, ordered by code.
pub(crate) fn all_pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    static TEXT: OnceLock<String> = OnceLock::new();
    // The data are part of the program; a test finds the page of every lint.
    let inflate = || decompress_to_vec_zlib_with_limit(COMPRESSED, MOST_BYTES).ok();
    let text =
        TEXT.get_or_init(|| inflate().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default());
    let mut parts = text.split_terminator('\0');
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
}
