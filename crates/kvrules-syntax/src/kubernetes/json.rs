//! From a tree with places to the value that the server would see, and no larger than it would take.

use std::collections::BTreeSet;

use kvrules_diagnostics::Span;
use serde_json::{Map, Number, Value};

use super::plain;
use crate::{Node, Notation, SyntaxKind};

/// The most bytes a request to the server can have.
pub const REQUEST_BYTES: usize = 3 << 20;

/// The value of a node without the entries and items whose values are in `dropped`; none if it is larger than a request.
pub fn node_to_json(node: Node<'_>, dropped: &BTreeSet<Span>) -> Option<Value> {
    Reader { left: REQUEST_BYTES, dropped }.read_value(node)
}

/// The value of a node of any size.
pub fn any_size_to_json(node: Node<'_>) -> Value {
    // A limit that no text in memory can reach.
    Reader { left: usize::MAX, dropped: &BTreeSet::new() }.read_value(node).unwrap_or_default()
}

/// True if a node, with all that aliases repeat, is larger than a request.
pub fn is_too_large(node: Node<'_>) -> bool {
    let repeated = || subtract_size(node, &mut { REQUEST_BYTES }).is_none();
    node.size_without_aliases().map_or_else(repeated, |size| size > REQUEST_BYTES)
}

/// Subtracts the size of a node from what is left; none if there is not enough.
fn subtract_size(node: Node<'_>, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(node.text().len() + 1)?;
    for item in node.items() {
        subtract_size(item, left)?;
    }
    for entry in node.entries() {
        subtract_size(entry.key, left)?;
        subtract_size(entry.value, left)?;
    }
    Some(())
}

struct Reader<'a> {
    left: usize,
    dropped: &'a BTreeSet<Span>,
}

impl Reader<'_> {
    fn read_value(&mut self, node: Node<'_>) -> Option<Value> {
        self.left = self.left.checked_sub(node.text().len() + 1)?;
        Some(match plain::kind(node) {
            SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Alias => Value::Null,
            SyntaxKind::True => Value::Bool(true),
            SyntaxKind::False => Value::Bool(false),
            SyntaxKind::Number => {
                number_to_json(node).map_or_else(|| Value::from(node.text()), Value::Number)
            }
            SyntaxKind::String | SyntaxKind::Parameter => Value::from(node.text()),
            SyntaxKind::List => {
                let items = node.items().filter(|item| !self.dropped.contains(&item.span()));
                items.map(|item| self.read_value(item)).collect::<Option<Vec<_>>>()?.into()
            }
            SyntaxKind::Map => Value::Object(self.map(node)?),
        })
    }

    /// A map with what it merges in: its own keys win, and of several maps the first.
    fn map(&mut self, node: Node<'_>) -> Option<Map<String, Value>> {
        let merged = node.entries().find(|entry| node.has_merges() && entry.key.text() == "<<");
        let mut fields = Map::with_capacity(node.entries().count());
        if let Some(merged) = merged {
            let maps: Vec<_> = merged.value.items().collect();
            let maps = if maps.is_empty() { vec![merged.value] } else { maps };
            for map in maps.into_iter().rev() {
                fields.extend(self.map(map)?);
            }
        }
        for entry in node.entries() {
            let (key, value) = (entry.key.text(), entry.value);
            let is_merge = merged.is_some() && key == "<<";
            let is_dropped = !self.dropped.is_empty() && self.dropped.contains(&value.span());
            if !is_merge && !is_dropped {
                self.left = self.left.checked_sub(key.len() + 1)?;
                let value = self.read_value(value)?;
                fields.insert(key.to_owned(), value);
            }
        }
        Some(fields)
    }
}

/// A number as the server reads it; none for one that JSON has no form for.
pub fn number_to_json(node: Node<'_>) -> Option<Number> {
    let number = plain::resolve_number(node)?;
    // YAML is converted to JSON before it is sent, which turns `3.0` into `3`. JSON is sent unchanged.
    let is_yaml = node.notation() == Notation::Yaml;
    let whole = number.as_f64().filter(|float| is_yaml && float.fract() == 0.0 && float.abs() < 1e15);
    #[expect(clippy::cast_possible_truncation, reason = "the number is whole and small enough")]
    let whole = whole.filter(|_| number.is_f64()).map(|whole| Number::from(whole as i64));
    Some(whole.unwrap_or(number))
}
