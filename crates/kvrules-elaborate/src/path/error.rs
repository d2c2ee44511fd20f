//! Syntax errors of paths.

use std::{fmt, ops::Range};

/// Syntax error of a path, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    kind: Kind,
    /// The bytes of the path's text that are wrong.
    pub range: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    UnclosedAction,
    UnterminatedArray,
    UnterminatedFilter,
    UnterminatedQuote,
    UnclosedFilter,
    InvalidIndex(String),
    IndexNotANumber(String),
    MultipleDescent,
    UnrecognizedCharacter(char),
    Number(String),
    Unquote(String),
    TooDeep,
    NotRooted,
}

macro_rules! constructors {
    ($($name:ident $(($argument:ident: $type:ty))? => $kind:expr;)*) => {
        impl PathError {
            $(pub(super) fn $name($($argument: $type,)? range: Range<usize>) -> Self {
                Self { kind: $kind, range }
            })*
        }
    };
}

constructors! {
    unclosed_action => Kind::UnclosedAction;
    unterminated_array => Kind::UnterminatedArray;
    unterminated_filter => Kind::UnterminatedFilter;
    unterminated_quote => Kind::UnterminatedQuote;
    unclosed_filter => Kind::UnclosedFilter;
    invalid_index(text: &str) => Kind::InvalidIndex(text.to_owned());
    index_not_a_number(text: &str) => Kind::IndexNotANumber(text.to_owned());
    multiple_descent => Kind::MultipleDescent;
    unrecognized(c: char) => Kind::UnrecognizedCharacter(c);
    number(text: &str) => Kind::Number(text.to_owned());
    unquote(text: &str) => Kind::Unquote(text.to_owned());
    too_deep => Kind::TooDeep;
}

impl PathError {
    pub(super) fn not_rooted(text: &str) -> Self {
        Self { kind: Kind::NotRooted, range: 0..text.len() }
    }

    /// Moves the place from the pasted text to the path's own.
    pub(super) fn shifted(self, prefix: usize, dropped: usize, len: usize) -> Self {
        let shift = |at: usize| at.saturating_sub(prefix).min(len) + dropped;
        Self { range: shift(self.range.start)..shift(self.range.end), ..self }
    }

    /// Moves the place of an error inside brackets to the brackets.
    pub(super) fn within(self, range: &Range<usize>) -> Self {
        Self { range: range.clone(), ..self }
    }

    /// The text of `k8s.io/client-go` for it.
    pub fn go_text(&self) -> String {
        match &self.kind {
            Kind::UnclosedAction => "unclosed action".to_owned(),
            Kind::UnterminatedArray => "unterminated array".to_owned(),
            Kind::UnterminatedFilter => "unterminated filter".to_owned(),
            Kind::UnterminatedQuote => "unterminated quoted string".to_owned(),
            Kind::UnclosedFilter => "unclosed array expect ]".to_owned(),
            Kind::InvalidIndex(text) => format!("invalid array index {text}"),
            Kind::IndexNotANumber(text) => format!("array index {text} is not a number"),
            Kind::MultipleDescent => "invalid multiple recursive descent".to_owned(),
            Kind::UnrecognizedCharacter(c) if c.is_control() => {
                format!("unrecognized character in action: U+{:04X}", u32::from(*c))
            }
            Kind::UnrecognizedCharacter(c) => {
                format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(*c))
            }
            Kind::Number(text) => format!("cannot parse number {text}"),
            Kind::Unquote(text) => format!("unquote string {text} error invalid syntax"),
            Kind::TooDeep => "too deep".to_owned(),
            Kind::NotRooted => "invalid JSONPath".to_owned(),
        }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::UnclosedAction => formatter.write_str("unexpected end of path"),
            Kind::UnterminatedArray => formatter.write_str("`[` is not closed"),
            Kind::UnterminatedFilter => formatter.write_str("the filter `[?(` is not closed"),
            Kind::UnterminatedQuote => formatter.write_str("unclosed quoted string"),
            Kind::UnclosedFilter => formatter.write_str("the filter must end in `)]`"),
            Kind::InvalidIndex(text) => {
                write!(formatter, "`[{text}]` is not an index, slice, quoted name or filter")
            }
            Kind::IndexNotANumber(text) => write!(formatter, "the index `{text}` is too large"),
            Kind::MultipleDescent => formatter.write_str("`..` cannot follow `..`"),
            Kind::UnrecognizedCharacter(c) if c.is_control() => {
                write!(formatter, "the character U+{:04X} is invalid in a path", u32::from(*c))
            }
            Kind::UnrecognizedCharacter(c) => write!(formatter, "unexpected `{c}`"),
            Kind::Number(text) => write!(formatter, "`{text}` is not a number"),
            Kind::Unquote(text) => write!(formatter, "invalid quoted string {text}"),
            Kind::TooDeep => formatter.write_str("brackets nest too deep"),
            Kind::NotRooted => formatter.write_str("a path must begin with `.` or `[`"),
        }
    }
}

impl std::error::Error for PathError {}
