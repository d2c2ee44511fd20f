//! Strings as Go decodes them.

use std::borrow::Cow;

/// Decodes the literal of a string.
// encoding/json decode.go, unquoteBytes. Its repair of invalid UTF-8 is not needed for a `str`.
pub(crate) fn decode_string(literal: &str) -> Cow<'_, str> {
    let inner = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains('\\') { Cow::Owned(unquote(inner)) } else { Cow::Borrowed(inner) }
}

/// Undoes the escapes of a literal that was checked. Lone surrogates become U+FFFD (E053).
fn unquote(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let (char, length) = match escape.chars().next() {
            Some('b') => ('\u{8}', 1),
            Some('f') => ('\u{c}', 1),
            Some('n') => ('\n', 1),
            Some('r') => ('\r', 1),
            Some('t') => ('\t', 1),
            Some('u') => code_point(escape),
            Some(same) => (same, same.len_utf8()),
            None => break,
        };
        out.push(char);
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Decodes `uXXXX`, or two of them that are one character; returns the character and the length of the escape.
// encoding/json decode.go, getu4 and the surrogates in unquoteBytes.
fn code_point(escape: &str) -> (char, usize) {
    let unit = |from: usize| u32::from_str_radix(escape.get(from..from + 4)?, 16).ok();
    let first = unit(1).unwrap_or_default();
    if (0xd800..0xdc00).contains(&first)
        && escape.get(5..7) == Some("\\u")
        && let Some(second) = unit(7).filter(|second| (0xdc00..0xe000).contains(second))
    {
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 11);
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 5)
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unquote(r#"a\"\\\/\n\u00e9\ud83d\ude00z"#), "a\"\\/\né😀z");
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        assert_eq!(unquote(r"\ud800\u0041\udc00\ud800"), "\u{fffd}A\u{fffd}\u{fffd}");
    }
}
