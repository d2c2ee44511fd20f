//! The text of a rule that could not be read, so that a later one can be compared with it.

use std::fmt::Write as _;

use kvrules_ir::OmittedRuleContent;
use kvrules_syntax::{Node, SyntaxKind};

use super::Parameters;

/// The key of the message for users who violate the rule.
const MESSAGE: &str = "message";
/// The nodes that a text is made of at most: aliases of YAML may repeat a few of them without end.
const MAX_NODES: usize = 10_000;

/// The keys and values of a rule, in an order and a notation of their own: what only looks different gives the same text.
pub(super) fn left_out_content(rule: Node<'_>, parameters: Parameters<'_>) -> OmittedRuleContent {
    let mut writer =
        ContentWriter { parameters, is_templated: rule.is_templated() || rule.is_open(), nodes: 0 };
    let message = writer.message(rule);
    let keys = writer.text(rule, message.is_some());
    if writer.nodes > MAX_NODES {
        OmittedRuleContent::Unknown
    } else {
        OmittedRuleContent::Text { keys, message }
    }
}

struct ContentWriter<'d> {
    parameters: Parameters<'d>,
    /// True if template tags affect the rule; then the tags are a part of the text.
    is_templated: bool,
    nodes: usize,
}

impl ContentWriter<'_> {
    /// The message of a rule, if it is a plain text that stands once and that no template tag decides about.
    fn message(&self, rule: Node<'_>) -> Option<String> {
        let mut messages =
            rule.entries().filter(|entry| entry.key.text() == MESSAGE).map(|entry| entry.value);
        let message = messages.next().filter(|_| messages.next().is_none())?;
        let is_plain = message.kind() == SyntaxKind::String && message.tags_around().is_none();
        is_plain.then(|| self.parameters.fill_known(&message.text_with_tags()))
    }

    /// The parser bounds how deep nodes nest. The message of the outermost map may be skipped.
    fn text(&mut self, node: Node<'_>, without_message: bool) -> String {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return String::new();
        }
        let mut text = match node.kind() {
            SyntaxKind::Map => {
                let mut entries: Vec<(&str, String)> = Vec::new();
                let is_reported = |key: &str| !(without_message && key == MESSAGE);
                for entry in node.entries().filter(|entry| is_reported(entry.key.text())) {
                    let value = self.text(entry.value, false);
                    entries.push((entry.key.text(), format!("{:?}: {value}", entry.key.text_with_tags())));
                }
                // The sort is stable, so the order of duplicate keys, of which the last counts, is part of the
                // text.
                entries.sort_by_key(|(key, _)| *key);
                let entries: Vec<String> = entries.into_iter().map(|(_, entry)| entry).collect();
                format!("{{{}}}", entries.join(", "))
            }
            SyntaxKind::List => {
                let items: Vec<String> = node.items().map(|item| self.text(item, false)).collect();
                format!("[{}]", items.join(", "))
            }
            // A hole has no text to compare, so the whole content is unknown: the count exceeds its limit.
            SyntaxKind::Hole => {
                self.nodes += MAX_NODES;
                String::new()
            }
            SyntaxKind::String => format!("{:?}", self.parameters.fill_known(&node.text_with_tags())),
            kind => format!("{kind:?} {:?}", self.parameters.fill_known(&node.text_with_tags())),
        };
        if let Some(tags) = node.tags_around().filter(|_| self.is_templated) {
            let _ = write!(text, " {tags:?}");
        }
        text
    }
}
