//! Files of suites: their documents as values, with the locations of their parts.

use std::collections::HashMap;

use kvrules_diagnostics::{FileId, Span};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node, ProblemKind, SyntaxKind, parse_stream};
use serde_json::Value;

/// Depth to which locations are kept.
const LOCATED_DEPTH: usize = 8;

/// A document of a file.
#[derive(Clone, Debug)]
pub struct SuiteDocument {
    /// Its value.
    pub value: Value,
    /// Location of the whole document.
    pub span: Span,
    spans: HashMap<String, Span>,
}

/// Part of a file that is not YAML or JSON.
#[derive(Clone, Debug)]
pub(crate) struct UnreadPart {
    /// Location.
    pub span: Span,
    /// The reason.
    pub message: String,
}

/// Parses every document of a text. Duplicate keys and anchors are accepted, as the runners of suites do.
///
/// # Errors
///
/// The parts that are neither YAML nor JSON, next to the documents that are.
pub(crate) fn parse_documents(file: FileId, text: &str) -> (Vec<SuiteDocument>, Vec<UnreadPart>) {
    let (mut documents, mut unread) = (Vec::new(), Vec::new());
    for document in &parse_stream(file, text).documents {
        match read_document(text, document) {
            Ok(Some(document)) => documents.push(document),
            Ok(None) => {}
            Err(part) => unread.push(part),
        }
    }
    (documents, unread)
}

fn read_document(text: &str, document: &Document<'_>) -> Result<Option<SuiteDocument>, UnreadPart> {
    let is_harmless = |kind: ProblemKind| kind == ProblemKind::DuplicateKey;
    if let Some(problem) = document.problems().iter().find(|problem| !is_harmless(problem.kind)) {
        return Err(UnreadPart { span: problem.span, message: problem.describe() });
    }
    let Some(root) = document.root() else { return Ok(None) };
    let value = ValueReader::for_kubernetes().read_value(root);
    let mut value = value.map_err(|error| UnreadPart { span: error.span, message: error.message })?;
    if value.is_null() {
        return Ok(None);
    }
    let mut locations = Locations { text, spans: HashMap::new(), colons: Vec::new() };
    locations.collect(root, String::new(), 0);
    for (pointer, scalar) in locations.colons {
        if let Some(place) = value.pointer_mut(&pointer) {
            *place = scalar.into();
        }
    }
    Ok(Some(SuiteDocument { value, span: root.span(), spans: locations.spans }))
}

/// Collector of the locations in a document.
struct Locations<'t> {
    text: &'t str,
    spans: HashMap<String, Span>,
    /// Scalars that end with a colon in a flow sequence, by their pointer.
    colons: Vec<(String, String)>,
}

impl Locations<'_> {
    fn collect(&mut self, node: Node<'_>, pointer: String, depth: usize) {
        if depth < LOCATED_DEPTH {
            for entry in node.entries() {
                self.collect(entry.value, format!("{pointer}/{}", entry.key.text()), depth + 1);
            }
            for (index, item) in node.items().enumerate() {
                let pointer = format!("{pointer}/{index}");
                if let Some(scalar) = self.scalar_with_colon(item) {
                    self.colons.push((pointer.clone(), scalar));
                }
                self.collect(item, pointer, depth + 1);
            }
        }
        self.spans.insert(pointer, node.span());
    }

    /// Returns the text of an item such as `fd00::` in `[fd00::]`. It is a mapping by YAML 1.2 and a scalar to Go's reader, for
    /// which a colon needs a blank after it.
    // goyaml scannerc.go, yaml_parser_scan_plain_scalar
    fn scalar_with_colon(&self, item: Node<'_>) -> Option<String> {
        let mut entries = item.entries();
        let (only, None) = (entries.next()?, entries.next()) else { return None };
        let key = self.text.get(only.key.span().to_range()).filter(|key| *key == only.key.text())?;
        let after = self.text.get(only.key.span().end as usize..)?;
        let is_scalar = only.value.kind() == SyntaxKind::Null && after.starts_with(':') && {
            let next = after.get(1..).unwrap_or_default();
            next.starts_with([']', ','])
        };
        is_scalar.then(|| format!("{key}:"))
    }
}

impl SuiteDocument {
    /// Returns the location of the value at a JSON pointer, or of the nearest one around it.
    pub fn span_at(&self, pointer: &str) -> Span {
        let mut pointer = pointer;
        loop {
            if let Some(span) = self.spans.get(pointer) {
                return *span;
            }
            match pointer.rsplit_once('/') {
                Some((outer, _)) => pointer = outer,
                None => return self.span,
            }
        }
    }

    /// Returns the text at a pointer; empty if it is not a string.
    pub fn text_at(&self, pointer: &str) -> &str {
        self.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Returns the items of a list; none if it is not a list.
pub(crate) fn list_items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns a field; null if it is missing.
pub(crate) fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// Returns the text of a field; empty if it is not a string.
pub(crate) fn text_field<'v>(value: &'v Value, name: &str) -> &'v str {
    field(value, name).as_str().unwrap_or_default()
}

/// Returns a text of `metadata`; empty if it is missing.
pub(crate) fn metadata_text<'v>(object: &'v Value, name: &str) -> &'v str {
    text_field(field(object, "metadata"), name)
}

/// True if a text has a value: some suites write empty ones.
pub(crate) fn is_present(text: &&str) -> bool {
    !text.trim().is_empty()
}
