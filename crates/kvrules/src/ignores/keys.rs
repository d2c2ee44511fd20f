//! `"x-kvrules-ignore"` inside a rule.

use kvrules_lint::Annotated;
use kvrules_syntax::{Entry, Kind, Node};

use super::{Fault, Ignore, Item, listed};

/// The key.
const KEY: &str = "x-kvrules-ignore";

/// Those of every rule.
pub(super) fn find(annotations: &[Annotated<'_>]) -> Vec<Ignore> {
    let rules = annotations.iter().flat_map(|annotated| annotated.annotation.rules());
    let entries = rules.flat_map(|rule| rule.entries().map(move |entry| (rule, entry)));
    // A hole has a finding of its own.
    let ours = entries.filter(|(_, entry)| entry.key.text() == KEY && entry.value.kind() != Kind::Hole);
    ours.map(|(rule, entry)| ignore(rule, entry)).collect()
}

fn ignore(rule: Node<'_>, Entry { key, value }: Entry<'_>) -> Ignore {
    let items = items(value);
    let fault = items.is_none().then(|| Fault {
        message: format!("the value of `{KEY}` is not a list of codes"),
        help: format!("write it as in `\"{KEY}\": [\"KV301\"]`"),
    });
    Ignore { span: key.span(), items: items.unwrap_or_default(), covers: Some(rule.span()), fault }
}

/// The entries of a list or of a text; none if the value is neither.
fn items(value: Node<'_>) -> Option<Vec<Item>> {
    match value.kind() {
        Kind::String => Some(of_text(value)),
        Kind::List => {
            let texts = value.items().map(|item| item.as_str().map(|_| of_text(item)));
            Some(texts.collect::<Option<Vec<_>>>()?.concat())
        }
        Kind::Null => Some(Vec::new()),
        _ => None,
    }
}

fn of_text(node: Node<'_>) -> Vec<Item> {
    listed(node.text(), |range| node.span_of(range))
}
