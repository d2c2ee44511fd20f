//! Tags of templates in messages, such as `{{ .Values.most }}`, which a file is read without.

use kvrules_diagnostics::SourceFile;
use kvrules_import::ImportedRuleSet;
use kvrules_rule_set::to_message;
use kvrules_syntax::templated::Template;
use serde_json::Value;

/// Start of the text that stands for a tag while a file is read.
const MASK: &str = "${_";

/// The texts of a file with and without its tags, at the same offsets.
pub(super) struct TagTexts<'s> {
    written: &'s str,
    template: Template,
}

impl<'s> TagTexts<'s> {
    /// Finds the tags of a file; `None` if it has none.
    pub(super) fn of_source(source: &'s SourceFile) -> Option<Self> {
        Some(Self { written: source.text(), template: Template::from_source(source.text())? })
    }

    /// Puts tags back into the messages of a RuleSet. A message whose tags are not certain is left out.
    pub(super) fn restore_messages(&self, set: &mut ImportedRuleSet) {
        let rules = set.document.pointer_mut("/spec/rules").and_then(Value::as_array_mut);
        for entry in rules.into_iter().flatten().filter_map(Value::as_object_mut) {
            let Some(message) = entry.get("message").and_then(Value::as_str) else { continue };
            if !message.contains(MASK) {
                continue;
            }
            match self.restore_text(message).as_deref().and_then(to_message) {
                Some(restored) => _ = entry.insert("message".to_owned(), restored.into()),
                None => _ = entry.shift_remove("message"),
            }
        }
    }

    /// The text as it is written, if all places that read like it without tags agree.
    fn restore_text(&self, text: &str) -> Option<String> {
        let masked = self.template.masked_text();
        let mut found =
            masked.match_indices(text).filter_map(|(at, _)| self.written.get(at..at + text.len()));
        let first = found.next()?;
        found.all(|other| other == first).then(|| first.to_owned())
    }
}
