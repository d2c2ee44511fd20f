//! Additions to what is written between brackets, in the notation of JSON.

use kvrules_diagnostics::render::json_text;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::{Entry as Member, Node};
use serde_json::Value;

use super::super::entry::ValidationEntry;
use super::edit::TextInsertion;
use super::{line_break, text_before};

/// New members of a map, after one of its members.
pub(super) fn insert_members(
    text: &str,
    anchor: Member<'_>,
    keywords: &[(&'static str, &Value)],
    entries: &[&ValidationEntry],
) -> Option<TextInsertion> {
    let layout = MemberLayout::of(text, anchor.key.span().start as usize);
    let mut members: Vec<(&str, Value)> =
        keywords.iter().map(|(keyword, value)| (*keyword, (*value).clone())).collect();
    if !entries.is_empty() {
        members.push((VALIDATIONS, entries.iter().map(|entry| entry.value()).collect()));
    }
    let texts = members.iter().map(|(name, value)| {
        format!(",{}{}: {}", layout.separator(), Value::from(*name), layout.value(value))
    });
    let added: String = texts.collect();
    (!members.is_empty()).then(|| TextInsertion { at: anchor.value.span().end as usize, text: added })
}

/// New items of a list, after its last one.
pub(super) fn insert_items(text: &str, list: Node<'_>, entries: &[&ValidationEntry]) -> TextInsertion {
    let values = entries.iter().map(|entry| entry.value());
    if let Some(neighbour) = list.items().last() {
        let layout = MemberLayout::of(text, neighbour.span().start as usize);
        let texts = values.map(|value| format!(",{}{}", layout.separator(), layout.value(&value)));
        return TextInsertion { at: neighbour.span().end as usize, text: texts.collect() };
    }
    let texts: Vec<_> = values.map(|value| value.to_string()).collect();
    TextInsertion { at: list.span().start as usize + 1, text: texts.join(", ") }
}

/// Layout of members next to another.
struct MemberLayout {
    /// The line break and blanks before a member, where each has lines of its own.
    line: Option<String>,
}

impl MemberLayout {
    fn of(text: &str, at: usize) -> Self {
        let before = text_before(text, at);
        let own_line = !before.is_empty() && before.chars().all(|c| c == ' ' || c == '\t');
        Self { line: own_line.then(|| format!("{}{before}", line_break(text, at))) }
    }

    fn separator(&self) -> &str {
        self.line.as_deref().unwrap_or(" ")
    }

    fn value(&self, value: &Value) -> String {
        match (&self.line, serde_json::to_string_pretty(value)) {
            (Some(line), Ok(pretty)) => json_text(&pretty).replace('\n', line),
            _ => json_text(&value.to_string()).into_owned(),
        }
    }
}
