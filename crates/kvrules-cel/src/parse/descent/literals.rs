//! The values of constants.

use super::tokens::TokenKind;
use crate::ast::Literal;

/// The value of a token that is a constant; `None` if it has none, such as an integer of more than 64 bits.
pub(super) fn literal_value(kind: TokenKind, text: &str, negative: bool) -> Option<Literal> {
    Some(match kind {
        TokenKind::Int => Literal::Int(int(text, negative)?),
        TokenKind::Uint => Literal::Uint(uint(text)?),
        TokenKind::Double => Literal::Double(double(text, negative)?),
        TokenKind::String => Literal::String(string(text)?),
        TokenKind::Bytes => Literal::Bytes(bytes(text)?),
        TokenKind::True => Literal::Bool(true),
        TokenKind::False => Literal::Bool(false),
        TokenKind::Null => Literal::Null,
        _ => return None,
    })
}

// cel-go parser/parser.go, VisitInt: read with its sign, since the least integer has no positive counterpart
fn int(text: &str, negative: bool) -> Option<i64> {
    let (radix, digits) = text.strip_prefix("0x").map_or((10, text), |digits| (16, digits));
    if !negative {
        return i64::from_str_radix(digits, radix).ok();
    }
    i64::from_str_radix(&format!("-{digits}"), radix).ok()
}

// cel-go parser/parser.go, VisitUint
fn uint(text: &str) -> Option<u64> {
    let text = text.strip_suffix(['u', 'U'])?;
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

// cel-go parser/parser.go, VisitDouble: strconv.ParseFloat fails beyond the greatest double, where Rust returns infinity
fn double(text: &str, negative: bool) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(if negative { -value } else { value })
}

// cel-go parser/unescape.go, unescape
fn string(text: &str) -> Option<String> {
    let (content, raw) = content(text)?;
    let text = normalize_line_ends(content);
    if raw || !text.contains('\\') {
        return Some(text.into_owned());
    }
    let mut value = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some((before, escaped)) = rest.split_once('\\') {
        value.push_str(before);
        let (code, after) = escape(escaped)?;
        value.push(char::from_u32(code.value())?);
        rest = after;
    }
    value.push_str(rest);
    Some(value)
}

// cel-go parser/unescape.go, unescape with isBytes: `\x` and octal escapes are bytes there, and `\u` is an error
fn bytes(text: &str) -> Option<Vec<u8>> {
    let (content, raw) = content(text.get(1..)?)?;
    let text = normalize_line_ends(content);
    if raw || !text.contains('\\') {
        return Some(text.into_owned().into_bytes());
    }
    let mut value = Vec::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some((before, escaped)) = rest.split_once('\\') {
        value.extend_from_slice(before.as_bytes());
        let (code, after) = escape(escaped)?;
        match code {
            EscapedCode::Byte(byte) => value.push(byte),
            EscapedCode::CodePoint(_) => return None,
        }
        rest = after;
    }
    value.extend_from_slice(rest.as_bytes());
    Some(value)
}

/// The text between the quotation marks, and true if backslashes are ordinary characters in it.
fn content(text: &str) -> Option<(&str, bool)> {
    let unprefixed = text.strip_prefix(['r', 'R']);
    let raw = unprefixed.is_some();
    let text = unprefixed.unwrap_or(text);
    let quote = text.chars().next()?;
    let marks = if text.len() >= 6 && text.chars().take(3).all(|char| char == quote) { 3 } else { 1 };
    Some((text.get(marks..text.len().checked_sub(marks)?)?, raw))
}

/// A line ends with a line feed in the value, whatever ends it in the source.
// cel-go parser/unescape.go, newlineNormalizer: raw strings are normalized too
fn normalize_line_ends(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('\r') {
        return text.into();
    }
    text.replace("\r\n", "\n").replace('\r', "\n").into()
}

/// The value of an escape sequence.
enum EscapedCode {
    /// One byte, which is a code point as well in a string.
    Byte(u8),
    /// A code point.
    CodePoint(u32),
}

impl EscapedCode {
    fn value(&self) -> u32 {
        match self {
            Self::Byte(byte) => u32::from(*byte),
            Self::CodePoint(value) => *value,
        }
    }
}

/// The meaning of an escape sequence behind its backslash, and the rest of the text.
// cel-go parser/unescape.go, unescapeChar
fn escape(text: &str) -> Option<(EscapedCode, &str)> {
    let first = text.chars().next()?;
    let byte = match first {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0C,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0B,
        '\\' | '\'' | '"' | '`' | '?' => u8::try_from(first).ok()?,
        'x' | 'X' => return digits(text.get(1..)?, 2, 16),
        'u' => return digits(text.get(1..)?, 4, 16),
        'U' => return digits(text.get(1..)?, 8, 16),
        '0'..='3' => return digits(text, 3, 8),
        _ => return None,
    };
    Some((EscapedCode::Byte(byte), text.get(1..)?))
}

fn digits(text: &str, count: usize, radix: u32) -> Option<(EscapedCode, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    let value = u32::from_str_radix(digits, radix).ok()?;
    let code =
        if count < 4 { EscapedCode::Byte(u8::try_from(value).ok()?) } else { EscapedCode::CodePoint(value) };
    Some((code, rest))
}
