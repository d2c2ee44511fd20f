//! Facts about what the pointer is on.

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};
use kvrules::check::{PlaceFacts, RuleFacts};
use kvrules::crd::{FieldFacts, NameFacts, NamedFunction, format_thousands, share_percent};
use serde_json::Value;

use crate::checks::CheckOutcome;
use crate::messages::to_value;
use crate::server::Server;

impl Server<'_> {
    /// Answers `textDocument/hover`.
    pub(crate) fn hover(&self, uri: &str, position: Position) -> Value {
        let Some(document) = self.documents.find(uri) else { return Value::Null };
        let Some(CheckOutcome { result: Ok((settings, checked)), .. }) = document.current_check() else {
            return Value::Null;
        };
        let text = document.source.text();
        let offset = document.lines.offset_at(text, position, self.client.encoding);
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let facts = self.checker.run(|| settings.facts_at(&document.source, Some(&checked.reading), offset));
        let Some((span, facts)) = facts else { return Value::Null };
        let value = match facts {
            PlaceFacts::Name(NameFacts::Field(field)) => describe_field(&field),
            PlaceFacts::Name(NameFacts::Function(function)) => describe_function(&function),
            PlaceFacts::Name(NameFacts::Variable(variable)) => {
                paragraphs([code_block(&format!("variables.{} = {}", variable.name, variable.expression))])
            }
            PlaceFacts::Rule(rule) => describe_rule(&rule),
        };
        let contents = Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value });
        let range = document.lines.range_of(text, span, self.client.encoding);
        to_value(&Hover { contents, range: Some(range) })
    }
}

fn describe_field(field: &FieldFacts) -> String {
    let default = field.default.as_ref().map(|value| format!("Default: {}", code(value)));
    let limits = (!field.limits.is_empty()).then(|| format!("Limits: {}", field.limits.join("; ")));
    let description = Some(field.description.clone()).filter(|text| !text.is_empty());
    let title = code_block(&format!("{}: {}", field.name, field.value_type));
    paragraphs(std::iter::once(title).chain(default).chain(limits).chain(description))
}

fn describe_function(function: &NamedFunction) -> String {
    let since = match function.since {
        Some(since) => format!("Kubernetes {since} and newer"),
        None => "All Kubernetes versions that kvrules knows".to_owned(),
    };
    paragraphs([code_block(&function.signatures.join("\n")), since])
}

fn describe_rule(rule: &RuleFacts) -> String {
    let name = Some(format!("**{}**", escape_markdown(&rule.name))).filter(|_| !rule.name.is_empty());
    let sentences = rule.sentences.iter().map(|sentence| escape_markdown(sentence));
    let unknown = rule.unknown.as_ref().filter(|_| rule.sentences.is_empty());
    let unknown = unknown.map(|reason| format!("Meaning unknown: {}", escape_markdown(reason)));
    let cost = rule.cost.map(|(cost, limit)| {
        format!("Estimated cost: {} ({} of the limit)", format_thousands(cost), share_percent(cost, limit))
    });
    let since = rule.since.map(|since| format!("Needs Kubernetes {since} or newer"));
    paragraphs(name.into_iter().chain(sentences).chain(unknown).chain(cost).chain(since))
}

fn paragraphs(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join("\n\n")
}

/// Code on lines of its own, in a fence that is longer than any in it.
fn code_block(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{text}\n{fence}")
}

/// Code in a line.
fn code(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let mark = "`".repeat(longest + 1);
    if longest > 0 { format!("{mark} {text} {mark}") } else { format!("{mark}{text}{mark}") }
}

/// A text in which Markdown has no meaning.
fn escape_markdown(text: &str) -> String {
    let is_mark = |char: char| "\\`*_[]<>#&|~".contains(char);
    text.chars().flat_map(|char| is_mark(char).then_some('\\').into_iter().chain([char])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_authors_is_no_markup() {
        assert_eq!(escape_markdown("a < b[*]"), "a \\< b\\[\\*\\]");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code_block("```"), "````\n```\n````");
    }
}
