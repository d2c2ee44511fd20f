//! Reasons that keep an annotation where it is, and the facts about a location that decide it.

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_syntax::{Entry, Node};

use crate::lines::FileLines;

/// The reason why an annotation cannot be moved.
pub(crate) struct MoveObstacle {
    /// Location; `None` for the annotation's key.
    pub(crate) span: Option<Span>,
    /// The reason.
    pub(crate) why: String,
    /// Instruction for the user.
    pub(crate) help: &'static str,
}

impl MoveObstacle {
    pub(crate) fn at(span: Span, why: impl Into<String>, help: &'static str) -> Self {
        Self { span: Some(span), why: why.into(), help }
    }
}

/// True if a mapping is written as lines and not in brackets.
pub(crate) fn is_block(source: &SourceFile, map: Node<'_>) -> bool {
    map.is_map() && !source.span_text(map.span()).starts_with('{')
}

/// True if the value of an entry has an anchor on the line of its key that is used somewhere.
pub(crate) fn is_referred_to(source: &SourceFile, entry: Entry<'_>) -> bool {
    let lines = FileLines::new(source);
    let end = entry.key.span().end as usize;
    let head = lines.slice(end, lines.end(end));
    let mut words = head.split([' ', '\t', ',', '{', '}']).skip_while(|word| *word == ":" || word.is_empty());
    let name = words
        .next()
        .and_then(|word| word.trim_start_matches(':').strip_prefix('&'))
        .filter(|name| !name.is_empty());
    let ends =
        |rest: &str| rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ']' | '}'));
    name.is_some_and(|name| {
        let alias = format!("*{name}");
        source
            .text()
            .match_indices(&alias)
            .any(|(at, _)| source.text().get(at + alias.len()..).is_some_and(ends))
    })
}
