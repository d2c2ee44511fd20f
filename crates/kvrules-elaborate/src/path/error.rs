//! Syntax errors of paths.

use std::{fmt, ops::Range};

/// Syntax error of a path, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    kind: PathErrorKind,
    /// The bytes of the path's text that are wrong.
    pub range: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathErrorKind {
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
    unclosed_action => PathErrorKind::UnclosedAction;
    unterminated_array => PathErrorKind::UnterminatedArray;
    unterminated_filter => PathErrorKind::UnterminatedFilter;
    unterminated_quote => PathErrorKind::UnterminatedQuote;
    unclosed_filter => PathErrorKind::UnclosedFilter;
    invalid_index(text: &str) => PathErrorKind::InvalidIndex(text.to_owned());
    index_not_a_number(text: &str) => PathErrorKind::IndexNotANumber(text.to_owned());
    multiple_descent => PathErrorKind::MultipleDescent;
    unrecognized(c: char) => PathErrorKind::UnrecognizedCharacter(c);
    number(text: &str) => PathErrorKind::Number(text.to_owned());
    unquote(text: &str) => PathErrorKind::Unquote(text.to_owned());
    too_deep => PathErrorKind::TooDeep;
}

impl PathError {
    pub(super) fn not_rooted(text: &str) -> Self {
        Self { kind: PathErrorKind::NotRooted, range: 0..text.len() }
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
            PathErrorKind::UnclosedAction => "unclosed action".to_owned(),
            PathErrorKind::UnterminatedArray => "unterminated array".to_owned(),
            PathErrorKind::UnterminatedFilter => "unterminated filter".to_owned(),
            PathErrorKind::UnterminatedQuote => "unterminated quoted string".to_owned(),
            PathErrorKind::UnclosedFilter => "unclosed array expect ]".to_owned(),
            PathErrorKind::InvalidIndex(text) => format!("invalid array index {text}"),
            PathErrorKind::IndexNotANumber(text) => format!("array index {text} is not a number"),
            PathErrorKind::MultipleDescent => "invalid multiple recursive descent".to_owned(),
            PathErrorKind::UnrecognizedCharacter(c) if c.is_control() => {
                format!("unrecognized character in action: U+{:04X}", u32::from(*c))
            }
            PathErrorKind::UnrecognizedCharacter(c) => {
                format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(*c))
            }
            PathErrorKind::Number(text) => format!("cannot parse number {text}"),
            PathErrorKind::Unquote(text) => format!("unquote string {text} error invalid syntax"),
            PathErrorKind::TooDeep => "too deep".to_owned(),
            PathErrorKind::NotRooted => "invalid JSONPath".to_owned(),
        }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            PathErrorKind::UnclosedAction => formatter.write_str("unexpected end of path"),
            PathErrorKind::UnterminatedArray => formatter.write_str("`[` is not closed"),
            PathErrorKind::UnterminatedFilter => formatter.write_str("the filter `[?(` is not closed"),
            PathErrorKind::UnterminatedQuote => formatter.write_str("unclosed quoted string"),
            PathErrorKind::UnclosedFilter => formatter.write_str("the filter must end in `)]`"),
            PathErrorKind::InvalidIndex(text) => {
                write!(formatter, "`[{text}]` is not an index, slice, quoted name or filter")
            }
            PathErrorKind::IndexNotANumber(text) => write!(formatter, "the index `{text}` is too large"),
            PathErrorKind::MultipleDescent => formatter.write_str("`..` cannot follow `..`"),
            PathErrorKind::UnrecognizedCharacter(c) if c.is_control() => {
                write!(formatter, "the character U+{:04X} is invalid in a path", u32::from(*c))
            }
            PathErrorKind::UnrecognizedCharacter(c) => write!(formatter, "unexpected `{c}`"),
            PathErrorKind::Number(text) => write!(formatter, "`{text}` is not a number"),
            PathErrorKind::Unquote(text) => write!(formatter, "invalid quoted string {text}"),
            PathErrorKind::TooDeep => formatter.write_str("brackets nest too deep"),
            PathErrorKind::NotRooted => formatter.write_str("a path must begin with `.` or `[`"),
        }
    }
}

impl std::error::Error for PathError {}
