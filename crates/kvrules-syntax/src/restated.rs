//! Trees that are made of parts of another tree. The parts keep their locations, so that whoever reads the new tree reports
//! locations in the text of the first one.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_syntax::parse_stream;
//! use kvrules_syntax::restated::{TreePart, restate_document};
//!
//! let text = "rules: [a > 1]\n";
//! let stream = parse_stream(FileId(0), text);
//! let rules = stream.documents[0].root().unwrap().get("rules").unwrap();
//! let part = TreePart::made_map([("spec", TreePart::made_map([("validations", TreePart::Written(rules))], rules.span()))], rules.span());
//! let restated = restate_document(&stream.documents[0], &part).unwrap();
//! let found = restated.root().unwrap().get("spec").unwrap().get("validations").unwrap().items().next().unwrap();
//! assert_eq!((found.text(), &text[found.span().to_range()]), ("a > 1", "a > 1"));
//! assert!(restated.is_restated());
//! ```

use std::borrow::Cow;

use kvrules_diagnostics::Span;
use serde_json::Value;

use crate::document::{NodeData, NodePayload, NodeText};
use crate::offset::to_offset;
use crate::{Document, Node, NodeStyle, SyntaxKind};

/// Limit of the nodes of a restated tree. Aliases repeat what they stand for, so that a small text may have a large tree.
const MOST_NODES: usize = 400_000;

/// A part of a tree.
#[derive(Clone, Debug)]
pub enum TreePart<'d> {
    /// A part of the first tree, with the locations in it.
    Written(Node<'d>),
    /// A scalar of this kind that is not written in the text, and the location that stands for it.
    Scalar(SyntaxKind, String, Span),
    /// A list, with the location that stands for it.
    List(Vec<TreePart<'d>>, Span),
    /// A map, with the location that stands for it: keys and values.
    Map(Vec<(TreePart<'d>, TreePart<'d>)>, Span),
}

impl<'d> TreePart<'d> {
    /// A string that is not written in the text.
    pub fn made_text(text: impl Into<String>, span: Span) -> Self {
        Self::Scalar(SyntaxKind::String, text.into(), span)
    }

    /// A map whose keys are not written in the text.
    pub fn made_map<'k>(entries: impl IntoIterator<Item = (&'k str, TreePart<'d>)>, span: Span) -> Self {
        let entries = entries.into_iter().map(|(key, value)| {
            let at = value.span();
            (Self::made_text(key, at), value)
        });
        Self::Map(entries.collect(), span)
    }

    /// A value that is not written in the text.
    pub fn of_value(value: &Value, span: Span) -> Self {
        let scalar = |kind, text: &str| Self::Scalar(kind, text.to_owned(), span);
        match value {
            Value::Null => scalar(SyntaxKind::Null, "null"),
            Value::Bool(true) => scalar(SyntaxKind::True, "true"),
            Value::Bool(false) => scalar(SyntaxKind::False, "false"),
            Value::Number(number) => scalar(SyntaxKind::Number, &number.to_string()),
            Value::String(text) => Self::made_text(text.as_str(), span),
            Value::Array(items) => {
                Self::List(items.iter().map(|item| Self::of_value(item, span)).collect(), span)
            }
            Value::Object(fields) => Self::made_map(
                fields.iter().map(|(key, value)| (key.as_str(), Self::of_value(value, span))),
                span,
            ),
        }
    }

    /// A part of the first tree in which strings are replaced. A string that the function returns `None` for stays as it is.
    pub fn with_texts(node: Node<'d>, replace: &dyn Fn(&str) -> Option<String>) -> Self {
        match node.kind() {
            SyntaxKind::List => {
                Self::List(node.items().map(|item| Self::with_texts(item, replace)).collect(), node.span())
            }
            SyntaxKind::Map => {
                let entries = node.entries_with_merged();
                let entries =
                    entries.map(|entry| (Self::Written(entry.key), Self::with_texts(entry.value, replace)));
                Self::Map(entries.collect(), node.span())
            }
            SyntaxKind::String => match replace(node.text()) {
                Some(text) => Self::made_text(text, node.span()),
                None => Self::Written(node),
            },
            _ => Self::Written(node),
        }
    }

    /// The location of the part, or the one that stands for it.
    pub fn span(&self) -> Span {
        match self {
            Self::Written(node) => node.span(),
            Self::Scalar(_, _, span) | Self::List(_, span) | Self::Map(_, span) => *span,
        }
    }
}

/// Returns a document that consists of parts of another one; `None` if it would be too large.
pub fn restate_document<'s>(original: &Document<'s>, root: &TreePart<'_>) -> Option<Document<'s>> {
    let text = match &original.text {
        Cow::Borrowed(text) => Cow::Borrowed(*text),
        Cow::Owned(text) => Cow::Owned(text.clone()),
    };
    let mut copy = TreeCopy { side: original.side.clone(), nodes: Vec::new() };
    copy.add_part(root)?;
    Some(Document {
        file: original.file,
        notation: original.notation,
        text,
        map: original.map.clone(),
        side: copy.side,
        nodes: copy.nodes,
        problems: original.problems.clone(),
        template: original.template,
        obscured: original.obscured,
        unrendered: original.unrendered.clone(),
        is_restated: true,
    })
}

/// Returns a copy of a document; `None` if it would be too large.
pub fn copy_document<'s>(original: &Document<'s>) -> Option<Document<'s>> {
    let mut copied = match original.root() {
        Some(root) => restate_document(original, &TreePart::Written(root))?,
        None => restate_document(original, &TreePart::List(Vec::new(), Span::default()))?,
    };
    if original.root().is_none() {
        copied.nodes.clear();
    }
    copied.is_restated = original.is_restated;
    Some(copied)
}

struct TreeCopy {
    side: String,
    nodes: Vec<NodeData>,
}

impl TreeCopy {
    fn add_part(&mut self, part: &TreePart<'_>) -> Option<()> {
        match part {
            TreePart::Written(node) => self.add_written(*node),
            TreePart::Scalar(kind, text, span) => {
                let start = to_offset(self.side.len());
                self.side.push_str(text);
                let text = NodeText::Side { start, len: to_offset(text.len()) };
                self.add_node(*kind, *span, NodePayload::Text(text))
            }
            TreePart::List(items, span) => self.add_container(SyntaxKind::List, *span, false, |copy| {
                items.iter().try_for_each(|item| copy.add_part(item))
            }),
            TreePart::Map(entries, span) => self.add_container(SyntaxKind::Map, *span, false, |copy| {
                entries.iter().try_for_each(|(key, value)| {
                    copy.add_part(key)?;
                    copy.add_part(value)
                })
            }),
        }
    }

    /// Adds a node of the first tree. What an alias stands for is added in its place, with the location of the alias.
    fn add_written(&mut self, node: Node<'_>) -> Option<()> {
        let data = node.data();
        if let NodePayload::Container { merges, .. } = data.payload {
            return self.add_container(data.kind, node.span(), merges, |copy| {
                node.items().try_for_each(|item| copy.add_written(item))?;
                node.entries().try_for_each(|entry| {
                    copy.add_written(entry.key)?;
                    copy.add_written(entry.value)
                })
            });
        }
        let span = node.span();
        self.push(NodeData { start: span.start, end: span.end, ..data })
    }

    fn add_container(
        &mut self,
        kind: SyntaxKind,
        span: Span,
        merges: bool,
        add_children: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        let index = self.nodes.len();
        self.add_node(kind, span, NodePayload::Container { past: 0, merges })?;
        add_children(self)?;
        let past = to_offset(self.nodes.len());
        let may_refer = self.nodes.iter().skip(index + 1).any(|node| node.may_refer);
        let node = self.nodes.get_mut(index)?;
        node.payload = NodePayload::Container { past, merges };
        node.may_refer = may_refer;
        Some(())
    }

    fn add_node(&mut self, kind: SyntaxKind, span: Span, payload: NodePayload) -> Option<()> {
        let may_refer = match payload {
            NodePayload::Text(NodeText::Side { start, len }) => {
                let text = self.side.get(start as usize..(start + len) as usize);
                text.is_some_and(|text| text.contains('$'))
            }
            _ => false,
        };
        // A plain scalar could be read as another type.
        let style = if kind == SyntaxKind::String { NodeStyle::Double } else { NodeStyle::Plain };
        self.push(NodeData { kind, style, may_refer, start: span.start, end: span.end, payload })
    }

    fn push(&mut self, node: NodeData) -> Option<()> {
        (self.nodes.len() < MOST_NODES).then(|| self.nodes.push(node))
    }
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;
    use serde_json::json;

    use super::*;
    use crate::parse_stream;
    use crate::value::ValueReader;

    fn read(document: &Document<'_>) -> Value {
        ValueReader::for_kubernetes().read_value(document.root().expect("a root")).expect("a value")
    }

    #[test]
    fn aliases_and_merges_are_kept() {
        let text = "a: &a {x: 1, y: on}\nb: {<<: *a, y: \"2\"}\nc: *a\n";
        let stream = parse_stream(FileId(0), text);
        let document = stream.documents.first().expect("a document");
        let copied = copy_document(document).expect("a copy");
        assert_eq!(read(&copied), read(document));
        let alias = copied.root().and_then(|root| root.get("c")).expect("an alias");
        assert_eq!(text.get(alias.span().to_range()), Some("*a"));
    }

    #[test]
    fn values_and_replaced_texts_are_read() {
        let text = "spec: {a: [object.spec.x, 1]}\n";
        let stream = parse_stream(FileId(0), text);
        let document = stream.documents.first().expect("a document");
        let spec = document.root().and_then(|root| root.get("spec")).expect("a map");
        let replaced = TreePart::with_texts(spec, &|text| {
            text.contains("spec").then(|| text.replace("spec", "spec.template"))
        });
        let value = json!({"n": 1, "t": "yes", "l": [true, null]});
        let part = TreePart::made_map(
            [("spec", replaced), ("own", TreePart::of_value(&value, spec.span()))],
            spec.span(),
        );
        let restated = restate_document(document, &part).expect("a document");
        assert_eq!(read(&restated), json!({"spec": {"a": ["object.spec.template.x", 1]}, "own": value}));
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let first = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        let line = |level: usize| {
            let items = vec![format!("*a{}", level - 1); 10].join(", ");
            format!("a{level}: &a{level} [{items}]\n")
        };
        let text: String = std::iter::once(first).chain((1..6).map(line)).collect();
        let stream = parse_stream(FileId(0), &text);
        assert!(stream.documents.first().is_none_or(|document| copy_document(document).is_none()));
    }
}
