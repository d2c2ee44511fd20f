//! Problems that a parser found, before they are worded.

use kvrules_diagnostics::Span;

use crate::Notation;

/// Kind of a problem in a text. The lints give it a code, a sentence and a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// The YAML parser stopped here; the rest of the document is not read.
    Yaml,
    /// A block is indented under a key that already has a value on its line.
    YamlIndentation,
    /// A key stands twice in one mapping or object; `related` is its first place.
    DuplicateKey,
    /// Lists and mappings nest too deeply.
    TooDeep,
    /// Aliases multiply into more nodes than any real document has, or an alias contains itself.
    AliasExpansion,
    /// Text where JSON has a value, a key or an end.
    JsonUnexpected,
    /// A typographic quotation mark where JSON has `"`.
    JsonCurlyQuote,
    /// `'…'` where JSON has `"…"`.
    JsonSingleQuote,
    /// A key or a value without quotation marks.
    JsonUnquoted,
    /// A quotation mark inside a string that needs a backslash.
    JsonInnerQuote,
    /// No comma between two entries.
    JsonMissingComma,
    /// A comma with nothing behind or before it.
    JsonExtraComma,
    /// No colon between a key and its value.
    JsonMissingColon,
    /// A key with no value.
    JsonMissingValue,
    /// A comment, which JSON does not have.
    JsonComment,
    /// A list, an object or a string is not closed; `related` is where the end was missed.
    JsonUnclosed,
    /// A number as other languages write it: `+1`, `.5`, `01`, `0x10`.
    JsonNumber,
    /// A word as other languages write it: `True`, `None`, `NaN`.
    JsonWord,
    /// A backslash before a character that JSON does not escape.
    JsonEscape,
    /// A line break or another control character inside a string.
    JsonControl,
    /// More text after the value has ended.
    JsonTrailing,
    /// No JSON at all: the text is empty.
    JsonEmpty,
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Kind of the problem.
    pub kind: ProblemKind,
    /// Location of the problem.
    pub span: Span,
    /// Another place that matters: the first key of two, the missed end of a bracket.
    pub related: Option<Span>,
    /// The notation of the text around it.
    pub notation: Notation,
    /// The text meant, or the parser's own words, if there are any.
    pub detail: String,
}

impl Problem {
    /// Returns the reason why a text cannot be read, for a reader without lints.
    ///
    /// ```
    /// let stream = kvrules_syntax::parse_stream(kvrules_diagnostics::FileId(0), "{a: 1, a: 2}");
    /// assert_eq!(stream.documents[0].problems()[0].describe(), "duplicate key");
    /// ```
    pub fn describe(&self) -> String {
        match self.kind {
            ProblemKind::DuplicateKey => "duplicate key".to_owned(),
            ProblemKind::TooDeep => "lists and maps nest too deep".to_owned(),
            ProblemKind::AliasExpansion => "aliases expand too far".to_owned(),
            ProblemKind::JsonComment => "comment in JSON, which allows none".to_owned(),
            ProblemKind::JsonExtraComma => "unexpected `,` in JSON, without an entry after it".to_owned(),
            ProblemKind::JsonMissingComma => "missing `,` between two entries".to_owned(),
            _ if self.detail.is_empty() => "this is neither YAML nor JSON".to_owned(),
            _ => format!("this is neither YAML nor JSON: {}", self.detail),
        }
    }
}
