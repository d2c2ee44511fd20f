//! The tokens of an expression, as the lexer of CEL.g4 makes them.

use crate::ast::Span;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Int,
    Uint,
    Double,
    String,
    Bytes,
    True,
    False,
    Null,
    In,
    Identifier,
    Equals,
    NotEquals,
    Less,
    LessEquals,
    Greater,
    GreaterEquals,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParenthesis,
    RightParenthesis,
    Dot,
    Comma,
    Minus,
    Not,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    End,
}

/// A token and the bytes that it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The tokens of an expression, with an `End` behind the last one; `None` if a character begins no token.
pub(super) fn tokenize(source: &str) -> Option<Vec<Token>> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::with_capacity(source.len() / 3 + 2);
    let mut start = 0;
    while let Some(&first) = bytes.get(start) {
        let rest = bytes.get(start..)?;
        let length = match first {
            b'\t' | b' ' | b'\r' | b'\n' | 0x0C => 1,
            b'/' if rest.starts_with(b"//") => {
                rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            }
            _ => {
                let (kind, length) = token(rest, first)?;
                tokens.push(Token { kind, span: Span { start, end: start + length } });
                length
            }
        };
        start += length;
    }
    tokens.push(Token { kind: TokenKind::End, span: Span { start, end: start } });
    Some(tokens)
}

fn token(rest: &[u8], first: u8) -> Option<(TokenKind, usize)> {
    match first {
        b'0'..=b'9' => Some(number(rest)),
        b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => Some((TokenKind::Double, fraction(rest, 0)?)),
        b'"' | b'\'' => Some((TokenKind::String, quoted(rest, false)?)),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => word(rest),
        _ => operator(rest, first),
    }
}

fn operator(rest: &[u8], first: u8) -> Option<(TokenKind, usize)> {
    let second = rest.get(1).copied();
    Some(match (first, second) {
        (b'=', Some(b'=')) => (TokenKind::Equals, 2),
        (b'!', Some(b'=')) => (TokenKind::NotEquals, 2),
        (b'<', Some(b'=')) => (TokenKind::LessEquals, 2),
        (b'>', Some(b'=')) => (TokenKind::GreaterEquals, 2),
        (b'&', Some(b'&')) => (TokenKind::And, 2),
        (b'|', Some(b'|')) => (TokenKind::Or, 2),
        _ => (single(first)?, 1),
    })
}

fn single(byte: u8) -> Option<TokenKind> {
    Some(match byte {
        b'<' => TokenKind::Less,
        b'>' => TokenKind::Greater,
        b'[' => TokenKind::LeftBracket,
        b']' => TokenKind::RightBracket,
        b'{' => TokenKind::LeftBrace,
        b'}' => TokenKind::RightBrace,
        b'(' => TokenKind::LeftParenthesis,
        b')' => TokenKind::RightParenthesis,
        b'.' => TokenKind::Dot,
        b',' => TokenKind::Comma,
        b'-' => TokenKind::Minus,
        b'!' => TokenKind::Not,
        b'?' => TokenKind::Question,
        b':' => TokenKind::Colon,
        b'+' => TokenKind::Plus,
        b'*' => TokenKind::Star,
        b'/' => TokenKind::Slash,
        b'%' => TokenKind::Percent,
        _ => return None,
    })
}

/// A name, a keyword, or a string with a prefix.
// CEL.g4, STRING and BYTES; the lexer takes the longest token, so that `r"a"` is one string and not a name and a string
fn word(rest: &[u8]) -> Option<(TokenKind, usize)> {
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (word, after) = rest.split_at_checked(length)?;
    if matches!(after.first(), Some(b'"' | b'\''))
        && let Some((kind, raw)) = prefix(word)
    {
        return Some((kind, length + quoted(after, raw)?));
    }
    let kind = match word {
        b"true" => TokenKind::True,
        b"false" => TokenKind::False,
        b"null" => TokenKind::Null,
        b"in" => TokenKind::In,
        _ => TokenKind::Identifier,
    };
    Some((kind, length))
}

/// The kind of string that a prefix selects, and true if backslashes are ordinary characters in it.
fn prefix(word: &[u8]) -> Option<(TokenKind, bool)> {
    match word {
        b"r" | b"R" => Some((TokenKind::String, true)),
        b"b" | b"B" => Some((TokenKind::Bytes, false)),
        [b'b' | b'B', b'r' | b'R'] => Some((TokenKind::Bytes, true)),
        _ => None,
    }
}

fn number(rest: &[u8]) -> (TokenKind, usize) {
    let digits = digits(rest, 0);
    let hexadecimal = rest.get(2..).filter(|_| rest.starts_with(b"0x"));
    let hexadecimal =
        hexadecimal.map_or(0, |rest| rest.iter().take_while(|it| it.is_ascii_hexdigit()).count());
    let integer = if hexadecimal > 0 { hexadecimal + 2 } else { digits };
    if hexadecimal == 0
        && let Some(length) = fraction(rest, digits)
    {
        return (TokenKind::Double, length);
    }
    match rest.get(integer) {
        Some(b'u' | b'U') => (TokenKind::Uint, integer + 1),
        _ => (TokenKind::Int, integer),
    }
}

/// The length of a number with a fraction or an exponent behind its first digits.
// CEL.g4, NUM_FLOAT: a point without digits after it does not belong to the number, as in `1.size()`
fn fraction(rest: &[u8], digits_before: usize) -> Option<usize> {
    let mut length = digits_before;
    if rest.get(length) == Some(&b'.') && rest.get(length + 1).is_some_and(u8::is_ascii_digit) {
        length += 1;
        length += digits(rest, length);
    }
    if matches!(rest.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(rest, length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    (length > digits_before).then_some(length)
}

fn digits(rest: &[u8], from: usize) -> usize {
    rest.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count()
}

/// The length of a string with its quotation marks; `None` if it is not closed or has an unknown escape.
fn quoted(rest: &[u8], raw: bool) -> Option<usize> {
    let quote = *rest.first()?;
    let triple = rest.get(1) == Some(&quote) && rest.get(2) == Some(&quote);
    let marks = if triple { 3 } else { 1 };
    let mut index = marks;
    loop {
        let byte = *rest.get(index)?;
        if byte == quote && (!triple || rest.get(index..)?.starts_with(&[quote; 3])) {
            return Some(index + marks);
        }
        index += match byte {
            b'\\' if !raw => escape_length(rest.get(index..)?)?,
            b'\n' | b'\r' if !triple => return None,
            _ => 1,
        };
    }
}

/// The length of an escape sequence, if the grammar has it.
// CEL.g4, ESC_SEQ; an octal escape is three digits, of which the first is at most 3
fn escape_length(rest: &[u8]) -> Option<usize> {
    let (length, valid): (usize, fn(&u8) -> bool) = match rest.get(1)? {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`' => {
            return Some(2);
        }
        b'x' | b'X' => (4, u8::is_ascii_hexdigit),
        b'u' => (6, u8::is_ascii_hexdigit),
        b'U' => (10, u8::is_ascii_hexdigit),
        b'0'..=b'3' => (4, |byte| matches!(byte, b'0'..=b'7')),
        _ => return None,
    };
    rest.get(2..length)?.iter().all(valid).then_some(length)
}
