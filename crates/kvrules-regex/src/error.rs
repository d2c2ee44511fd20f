//! Errors of a pattern: once in Go's words, because engines report those, and once for the rule's author.

use std::fmt;
use std::ops::Range;

/// A pattern that Go's `regexp` does not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexError {
    /// Kind of the invalid construct.
    pub kind: RegexErrorKind,
    /// The part of the pattern that Go quotes; for some kinds the whole pattern, or everything from a point on.
    pub fragment: String,
    /// The bytes of the pattern that the offending construct takes up, as narrow as is known.
    pub span: Range<usize>,
    construct: String,
}

/// The constructs and faults for which a pattern is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RegexErrorKind {
    /// `(?=`, `(?!`.
    LookAhead,
    /// `(?<=`, `(?<!`.
    LookBehind,
    /// `\1`, `\k<n>`, `\g1`, `(?P=n)`.
    BackReference,
    /// `(?>`.
    AtomicGroup,
    /// `a++`, `a*+`, `a?+`, `a{2}+`.
    PossessiveQuantifier,
    /// `(?(1)a|b)`.
    Conditional,
    /// `(?#`.
    Comment,
    /// `(?R)`, `(?1)`, `(?&n)`, `(?P>n)`.
    Recursion,
    /// `(?|`.
    BranchReset,
    /// `(?'n'a)`.
    QuotedGroupName,
    /// A flag other than `i`, `m`, `s`, `U`.
    InvalidFlag,
    /// `(?i-)`, or a group that ends inside its flags.
    IncompleteFlags,
    /// A group name that is empty, not closed, or not made of ASCII letters, digits and `_`.
    BadGroupName,
    /// A backslash before a letter or digit that means nothing in RE2.
    UnknownEscape,
    /// `\xZZ`, `\x{110000}`.
    BadCodePoint,
    /// A backslash at the end of the pattern.
    TrailingBackslash,
    /// `a**`, `a{1}{2}`.
    NestedRepeat,
    /// A quantifier with nothing before it.
    MissingRepeatArgument,
    /// A count above 1000, or nested counts that together exceed it.
    RepeatTooLarge,
    /// `{2,1}`.
    RepeatOutOfOrder,
    /// A class without its `]`.
    MissingBracket,
    /// A group without its `)`.
    MissingParen,
    /// A `)` without its group.
    UnexpectedParen,
    /// `[z-a]`.
    BadClassRange,
    /// `[[:foo:]]`.
    UnknownPosixClass,
    /// `\p{Foo}`, `\pQ`.
    UnknownUnicodeClass,
    /// More than Go is ready to compile.
    TooLarge,
    /// More nesting than Go is ready to compile.
    TooDeep,
}

use RegexErrorKind as Kind;

impl RegexError {
    /// The error about the construct at `span`, where Go quotes `fragment`.
    pub(crate) fn new(kind: Kind, pattern: &str, fragment: Range<usize>, span: Range<usize>) -> Self {
        let text = |range: Range<usize>| pattern.get(range).unwrap_or_default().to_owned();
        Self { kind, fragment: text(fragment), construct: text(span.clone()), span }
    }

    /// Exactly the text that Go's `regexp.Compile` returns.
    pub fn go_text(&self) -> String {
        format!("error parsing regexp: {}: `{}`", self.go_code(), self.fragment)
    }

    /// True if Perl's dialect has the construct, so that the pattern may well be valid elsewhere.
    pub fn is_of_another_dialect(&self) -> bool {
        match self.kind {
            Kind::LookAhead
            | Kind::LookBehind
            | Kind::BackReference
            | Kind::AtomicGroup
            | Kind::PossessiveQuantifier
            | Kind::Conditional
            | Kind::Comment
            | Kind::Recursion
            | Kind::BranchReset
            | Kind::QuotedGroupName => true,
            Kind::InvalidFlag => {
                self.construct.chars().any(|flag| matches!(flag, 'x' | 'n' | 'a' | 'u' | 'l' | 'J'))
            }
            Kind::UnknownEscape => matches!(
                self.construct.as_str(),
                r"\K" | r"\Z" | r"\G" | r"\h" | r"\H" | r"\R" | r"\N" | r"\X" | r"\e" | r"\V" | r"\o" | r"\c"
            ),
            _ => false,
        }
    }

    /// Returns how to express it in RE2, if there is a way.
    pub fn help_text(&self) -> Option<&'static str> {
        Some(match self.kind {
            Kind::LookAhead | Kind::LookBehind => "split the condition into several rules, one pattern each",
            Kind::BackReference => "write out what the group may have matched, or split the rule",
            Kind::Conditional => "write both cases as branches: `(?:a|b)`",
            Kind::Comment => "remove it, and put the remark into the rule's message",
            Kind::Recursion => "write the nesting out as deep as it is needed",
            Kind::BranchReset => "write `(?:`: rules do not use what groups matched",
            Kind::AtomicGroup => "write `(?:`: RE2 never backtracks",
            Kind::PossessiveQuantifier => "remove the last `+`: RE2 never backtracks",
            Kind::QuotedGroupName => "write `(?P<name>`",
            Kind::BadCodePoint => "write two hexadecimal digits, or up to `10FFFF` in braces",
            Kind::NestedRepeat => "put the inner repetition in a group `(?:…)`",
            Kind::TrailingBackslash => r"write `\\` for a backslash",
            Kind::UnexpectedParen => r"write `\)` for a parenthesis",
            Kind::MissingParen => r"close it, or write `\(` for a parenthesis",
            Kind::MissingBracket => r"close it, or write `\[` for a bracket",
            Kind::MissingRepeatArgument => "put a backslash before it to mean the character",
            Kind::UnknownEscape => return escape_help(&self.construct),
            _ => return None,
        })
    }

    fn go_code(&self) -> &'static str {
        match self.kind {
            Kind::LookBehind | Kind::BadGroupName => "invalid named capture",
            Kind::BackReference if self.fragment.starts_with('\\') => "invalid escape sequence",
            Kind::UnknownEscape | Kind::BadCodePoint => "invalid escape sequence",
            Kind::TrailingBackslash => "trailing backslash at end of expression",
            Kind::NestedRepeat | Kind::PossessiveQuantifier => "invalid nested repetition operator",
            Kind::MissingRepeatArgument => "missing argument to repetition operator",
            Kind::RepeatTooLarge | Kind::RepeatOutOfOrder => "invalid repeat count",
            Kind::MissingBracket => "missing closing ]",
            Kind::MissingParen => "missing closing )",
            Kind::UnexpectedParen => "unexpected )",
            Kind::BadClassRange | Kind::UnknownPosixClass | Kind::UnknownUnicodeClass => {
                "invalid character class range"
            }
            Kind::TooLarge => "expression too large",
            Kind::TooDeep => "expression nests too deeply",
            _ => "invalid or unsupported Perl syntax",
        }
    }
}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let it = &self.construct;
        match self.kind {
            Kind::LookAhead => write!(f, "look-ahead `{it}` is not part of RE2"),
            Kind::LookBehind => write!(f, "look-behind `{it}` is not part of RE2"),
            Kind::BackReference => write!(f, "back-reference `{it}` is not part of RE2"),
            Kind::AtomicGroup => write!(f, "atomic group `{it}` is not part of RE2"),
            Kind::PossessiveQuantifier => write!(f, "possessive quantifier `{it}` is not part of RE2"),
            Kind::Conditional => write!(f, "conditional `{it}` is not part of RE2"),
            Kind::Comment => write!(f, "comment `{it}` is not part of RE2"),
            Kind::Recursion => write!(f, "recursion `{it}` is not part of RE2"),
            Kind::BranchReset => write!(f, "branch reset `{it}` is not part of RE2"),
            Kind::QuotedGroupName => write!(f, "a group name in quotes `{it}` is not part of RE2"),
            Kind::InvalidFlag => write!(f, "`{it}` does not begin a group or set flags that RE2 knows"),
            Kind::IncompleteFlags => write!(f, "the flags `{it}` are not complete"),
            Kind::BadGroupName => write!(f, "`{it}` does not name a group with letters, digits and `_`"),
            Kind::UnknownEscape => write!(f, "`{it}` is not an escape of RE2"),
            Kind::BadCodePoint => write!(f, "`{it}` is not a code point"),
            Kind::TrailingBackslash => write!(f, "the pattern ends with a lone `\\`"),
            Kind::NestedRepeat => write!(f, "`{it}` repeats a repetition"),
            Kind::MissingRepeatArgument => write!(f, "`{it}` has nothing to repeat"),
            Kind::RepeatTooLarge => {
                write!(f, "`{it}` repeats more than 1000 times, nested counts multiplied")
            }
            Kind::RepeatOutOfOrder => write!(f, "`{it}` has its least count above its greatest"),
            Kind::MissingBracket => write!(f, "the class `{it}` has no closing `]`"),
            Kind::MissingParen => write!(f, "the group `{it}` has no closing `)`"),
            Kind::UnexpectedParen => write!(f, "`{it}` closes no group"),
            Kind::BadClassRange => write!(f, "the range `{it}` ends before it begins"),
            Kind::UnknownPosixClass => write!(f, "`{it}` is not a POSIX class"),
            Kind::UnknownUnicodeClass => write!(f, "`{it}` is not a Unicode category or script"),
            Kind::TooLarge => write!(f, "the pattern is too large to compile"),
            Kind::TooDeep => write!(f, "the pattern nests more than 1000 levels deep"),
        }
    }
}

impl std::error::Error for RegexError {}

fn escape_help(escape: &str) -> Option<&'static str> {
    Some(match escape {
        r"\Z" => r"write `\z` for the end of the text",
        r"\G" => r"write `\A` for the start of the text",
        r"\h" => r"write `[\t ]` for horizontal space",
        r"\H" => r"write `[^\t ]` for all except horizontal space",
        r"\R" => r"write `\r?\n` for a line ending",
        r"\N" => r"write `[^\n]` for all except a line feed",
        r"\X" | r"\C" => "write `(?s:.)` for any character",
        r"\K" => r"remove it: where the match begins makes no difference to a rule",
        r"\V" => r"write `[^\n\x0B\f\r]` for all except vertical space",
        r"\e" => r"write `\x1B` for escape",
        r"\u" => r"write `\x{…}` for a code point",
        r"\b" => r"write `\x08` for a backspace",
        r"\d" | r"\D" | r"\s" | r"\S" | r"\w" | r"\W" => "a class cannot be the end of a range",
        _ => return None,
    })
}
