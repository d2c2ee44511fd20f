//! `"x-kvrules-ignore"` inside a rule.

use kvrules_lint::LintedAnnotation;
use kvrules_syntax::{Entry, Node, SyntaxKind};

use super::{IgnoreDirective, IgnoreEntry, IgnoreFault, parse_list};

/// The key.
const KEY: &str = "x-kvrules-ignore";

/// Those of every rule.
pub(super) fn find_key_ignores(annotations: &[LintedAnnotation<'_>]) -> Vec<IgnoreDirective> {
    let rules = annotations.iter().flat_map(|annotated| annotated.annotation.rules());
    let entries = rules.flat_map(|rule| rule.entries().map(move |entry| (rule, entry)));
    // A missing value has a finding of its own.
    let ours = entries.filter(|(_, entry)| entry.key.text() == KEY && entry.value.kind() != SyntaxKind::Hole);
    ours.map(|(rule, entry)| to_ignore(rule, entry)).collect()
}

fn to_ignore(rule: Node<'_>, Entry { key, value }: Entry<'_>) -> IgnoreDirective {
    let items = read_items(value);
    let fault = items.is_none().then(|| IgnoreFault {
        message: format!("the value of `{KEY}` is not a list of codes"),
        help: format!("write it as in `\"{KEY}\": [\"KV301\"]`"),
    });
    IgnoreDirective { span: key.span(), items: items.unwrap_or_default(), covers: Some(rule.span()), fault }
}

/// The entries of a list or of a text; none if the value is neither.
fn read_items(value: Node<'_>) -> Option<Vec<IgnoreEntry>> {
    match value.kind() {
        SyntaxKind::String => Some(of_text(value)),
        SyntaxKind::List => {
            let texts = value.items().map(|item| item.as_str().map(|_| of_text(item)));
            Some(texts.collect::<Option<Vec<_>>>()?.concat())
        }
        SyntaxKind::Null => Some(Vec::new()),
        _ => None,
    }
}

fn of_text(node: Node<'_>) -> Vec<IgnoreEntry> {
    parse_list(node.text(), |range| node.span_of(range))
}
