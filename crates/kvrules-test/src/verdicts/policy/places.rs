//! Locations of the fields of policies and bindings.

use std::collections::BTreeMap;

use kvrules_diagnostics::{Position, SourceFile, Span};
use kvrules_syntax::Node;

/// Nesting of fields that have locations.
const DEPTH: usize = 6;

/// The file of a document, and the locations of its fields.
#[derive(Clone, Debug)]
pub(super) struct FieldPlaces {
    pub(super) file: String,
    start: FieldPlace,
    fields: BTreeMap<String, FieldPlace>,
}

/// The location of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldPlace {
    pub(super) span: Span,
    pub(super) at: Position,
}

impl FieldPlaces {
    pub(super) fn new(source: &SourceFile, node: Node<'_>) -> Self {
        let mut fields = BTreeMap::new();
        if let Some(spec) = node.get("spec") {
            collect_places(source, spec, "spec", DEPTH, &mut fields);
        }
        let start = field_place(source, node.get("kind").unwrap_or(node));
        Self { file: source.name().to_owned(), start, fields }
    }

    /// The location of a field, or of the nearest one around it.
    pub(super) fn find_place(&self, field: &str) -> FieldPlace {
        let mut path = field;
        loop {
            if let Some(found) = self.fields.get(path) {
                return *found;
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = path.get(..end).unwrap_or_default(),
                None => return self.start,
            }
        }
    }
}

fn collect_places(
    source: &SourceFile,
    node: Node<'_>,
    path: &str,
    depth: usize,
    fields: &mut BTreeMap<String, FieldPlace>,
) {
    fields.insert(path.to_owned(), field_place(source, node));
    if depth == 0 {
        return;
    }
    for entry in node.entries() {
        collect_places(source, entry.value, &format!("{path}.{}", entry.key.text()), depth - 1, fields);
    }
    for (index, item) in node.items().enumerate() {
        collect_places(source, item, &format!("{path}[{index}]"), depth - 1, fields);
    }
}

fn field_place(source: &SourceFile, node: Node<'_>) -> FieldPlace {
    FieldPlace { span: node.span(), at: source.position_at(text_start(node)) }
}

/// The first character of a text, which in a block is below its indicator.
fn text_start(node: Node<'_>) -> u32 {
    let Some(text) = node.as_str() else { return node.span().start };
    let blank = text.len() - text.trim_start().len();
    if blank == text.len() { node.span().start } else { node.span_of(blank..blank + 1).start }
}
