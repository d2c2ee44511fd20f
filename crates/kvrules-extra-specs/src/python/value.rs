//! JSON as Python reads it, with whole numbers of any size, and how Python shows it.

use kvrules_syntax::{Node, SyntaxKind};
use num_bigint::BigInt;

use super::float_text;

/// A value that Python's `json.loads` gives.
#[derive(Clone, Debug, PartialEq)]
pub enum PyValue {
    /// `null`.
    None,
    /// `true` or `false`.
    Bool(bool),
    /// A number without point and exponent.
    Int(BigInt),
    /// Any other number.
    Float(f64),
    /// A string.
    Str(String),
    /// An array.
    List(Vec<PyValue>),
    /// An object. A key that stands twice keeps its first place and its last value.
    Dict(Vec<(String, PyValue)>),
}

impl PyValue {
    /// The value of a JSON node; none if it could not be read.
    pub fn from_json(node: Node<'_>) -> Option<Self> {
        Some(match node.kind() {
            SyntaxKind::Null => Self::None,
            SyntaxKind::True => Self::Bool(true),
            SyntaxKind::False => Self::Bool(false),
            SyntaxKind::Number => parse_number(node.text())?,
            SyntaxKind::String | SyntaxKind::Parameter => Self::Str(node.text().to_owned()),
            SyntaxKind::List => Self::List(node.items().map(Self::from_json).collect::<Option<_>>()?),
            SyntaxKind::Map => {
                let mut dict: Vec<(String, Self)> = Vec::new();
                for entry in node.entries() {
                    let (key, value) = (entry.key.text(), Self::from_json(entry.value)?);
                    // A Python dict keeps the place of a key that is assigned again.
                    match dict.iter_mut().find(|(other, _)| other == key) {
                        Some((_, old)) => *old = value,
                        None => dict.push((key.to_owned(), value)),
                    }
                }
                Self::Dict(dict)
            }
            SyntaxKind::Hole | SyntaxKind::Alias => return None,
        })
    }

    /// Returns the result of `repr`.
    pub fn to_repr(&self) -> String {
        match self {
            Self::None => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Int(number) => number.to_string(),
            Self::Float(number) => float_text(*number),
            Self::Str(text) => string_repr(text),
            Self::List(items) => format!("[{}]", join_texts(items.iter().map(Self::to_repr))),
            Self::Dict(entries) => {
                let pair =
                    |(key, value): &(String, Self)| format!("{}: {}", string_repr(key), value.to_repr());
                format!("{{{}}}", join_texts(entries.iter().map(pair)))
            }
        }
    }

    /// Returns the result of `str`.
    pub fn to_str(&self) -> String {
        match self {
            Self::Str(text) => text.clone(),
            other => other.to_repr(),
        }
    }
}

// Python's json decides by a point or an exponent, not by the value: `1.0` is a float, and its text `1.0`.
fn parse_number(text: &str) -> Option<PyValue> {
    if text.contains(['.', 'e', 'E']) {
        return text.parse().ok().map(PyValue::Float);
    }
    text.parse().ok().map(PyValue::Int)
}

fn join_texts(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the result of `repr` for a string: single quotation marks, unless only the string has some.
// CPython Objects/unicodeobject.c, unicode_repr.
pub fn string_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if char == quote => out.extend(['\\', quote]),
            ' '..='~' => out.push(char),
            _ if is_printable(char) => out.push(char),
            _ => out.push_str(&escape_code(u32::from(char))),
        }
    }
    out.push(quote);
    out
}

fn escape_code(code: u32) -> String {
    match code {
        0..=0xFF => format!("\\x{code:02x}"),
        0x100..=0xFFFF => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    }
}

/// True if Python prints a character as itself: control characters, separators and unassigned ones are escaped.
// CPython Objects/unicodectype.c, _PyUnicode_IsPrintable.
fn is_printable(char: char) -> bool {
    static PATTERN: std::sync::OnceLock<Option<kvrules_regex::Matcher>> = std::sync::OnceLock::new();
    let matcher = PATTERN.get_or_init(|| {
        let pattern = kvrules_regex::parse(r"^[\pL\pM\pN\pP\pS]$").ok()?;
        pattern.compile_matcher().ok()
    });
    matcher.as_ref().is_some_and(|matcher| matcher.is_match(char.encode_utf8(&mut [0; 4])))
}
