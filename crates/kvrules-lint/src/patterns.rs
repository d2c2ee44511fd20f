//! The pattern of a `regex` rule, and where parts of it are in the file.

use std::{borrow::Cow, ops::Range};

use kvrules_diagnostics::Span;
use kvrules_elaborate::annotation::{Key, RuleKind};
use kvrules_regex::{Regex, RegexError};
use kvrules_syntax::Node;

use crate::{RuleView, escaped_spans};

/// The pattern of a rule.
pub(crate) struct PatternView<'a> {
    node: Node<'a>,
    /// As it is written.
    written: &'a str,
    /// With the template's parameters put in.
    text: Cow<'a, str>,
}

impl PatternView<'_> {
    /// The place of some bytes of the pattern, as narrow as it can be had.
    pub(crate) fn span(&self, rule: &RuleView<'_>, range: Range<usize>) -> Span {
        if self.text == self.written {
            escaped_spans::span_of(rule.source, self.node, range)
        } else {
            self.node.span()
        }
    }

    /// The place of the whole pattern.
    pub(crate) fn whole(&self, rule: &RuleView<'_>) -> Span {
        self.span(rule, 0..self.text.len())
    }

    /// Reads it.
    pub(crate) fn parse(&self) -> Result<Regex, RegexError> {
        kvrules_regex::parse(&self.text)
    }
}

/// The pattern of a rule that has one.
pub(crate) fn rule_pattern<'a>(rule: &RuleView<'a>) -> Option<PatternView<'a>> {
    if rule.kind() != Some(RuleKind::Regex) {
        return None;
    }
    let node = rule.key_value(Key::Regex)?;
    let written = node.as_str()?;
    Some(PatternView { node, written, text: rule.fill_parameters(written)? })
}

/// The pattern of a rule with its parsed expression. `None` if it is empty, invalid or uncertain.
pub(crate) fn parsed_pattern<'a>(rule: &RuleView<'a>) -> Option<(PatternView<'a>, Regex)> {
    let view = rule_pattern(rule).filter(|view| !rule.uncertain && !view.text.is_empty())?;
    let regex = view.parse().ok()?;
    Some((view, regex))
}

/// A few texts for a message, the rest counted.
pub(crate) fn some_of(texts: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<_> = texts.iter().take(SHOWN).map(|text| crate::message_text::code(text)).collect();
    match (texts.len().checked_sub(SHOWN + 1), shown.split_last()) {
        (Some(more), _) => format!("{} and {} more", shown.join(", "), more + 1),
        (None, Some((last, []))) => last.clone(),
        (None, Some((last, rest))) => format!("{} and {last}", rest.join(", ")),
        (None, None) => String::new(),
    }
}
