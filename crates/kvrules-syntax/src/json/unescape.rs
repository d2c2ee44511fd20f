//! The escapes of JSON strings.

use std::ops::Range;

/// Error inside a string.
pub(super) enum StringFlaw {
    /// A backslash and a character that it does not go with.
    Escape(Range<usize>),
    /// A control character that must be escaped.
    Control(Range<usize>),
}

/// Decodes the content of a string, and returns the errors in it.
///
/// An invalid escape is kept as it is written, which is what a regular expression needs.
pub(super) fn unescape_string(written: &str) -> (String, Vec<StringFlaw>) {
    let mut text = String::with_capacity(written.len());
    let mut flaws = Vec::new();
    let mut at = 0;
    while let Some(c) = written.get(at..).and_then(|rest| rest.chars().next()) {
        let mut len = c.len_utf8();
        if c == '\\' {
            let rest = written.get(at + 1..).unwrap_or_default();
            if let Some((c, taken)) = escape(rest) {
                text.push(c);
                len += taken;
            } else {
                let next = rest.chars().next().map_or(0, char::len_utf8);
                text.push_str(written.get(at..=at + next).unwrap_or("\\"));
                len += next;
                flaws.push(StringFlaw::Escape(at..at + len));
            }
        } else {
            if c < ' ' {
                control(&mut flaws, at);
            }
            text.push(c);
        }
        at += len;
    }
    (text, flaws)
}

/// Notes a control character; a run of them is one flaw.
fn control(flaws: &mut Vec<StringFlaw>, at: usize) {
    match flaws.last_mut() {
        Some(StringFlaw::Control(run)) if run.end == at => run.end += 1,
        _ => flaws.push(StringFlaw::Control(at..at + 1)),
    }
}

/// The character of an escape, and how many bytes follow its backslash.
fn escape(rest: &str) -> Option<(char, usize)> {
    let c = match rest.chars().next()? {
        same @ ('"' | '\\' | '/') => same,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(rest),
        _ => return None,
    };
    Some((c, 1))
}

/// `uXXXX`, and a second one where the first is half of a pair. A lone half is U+FFFD, as Go reads it.
fn unicode(rest: &str) -> Option<(char, usize)> {
    let first = hex(rest.get(1..5)?)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, 5));
    }
    let second = rest.get(5..).and_then(|rest| rest.strip_prefix("\\u")).and_then(|rest| hex(rest.get(..4)?));
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    Some(pair.map_or(('\u{fffd}', 5), |c| (c, 11)))
}

fn hex(digits: &str) -> Option<u16> {
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}
