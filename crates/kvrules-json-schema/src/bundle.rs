//! Schemas in files next to a document, put into it, so that all references lead into one text.

use std::collections::HashSet;
use std::ops::Range;

use kvrules_diagnostics::{FileId, SourceFile, Span};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Node, NodeStyle, SyntaxKind, parse_stream, source_stream};
use serde_json::Value;

use crate::dialect::{detect_dialect, identifier_keyword};
use crate::language::{SchemaLanguage, schema_language};
use crate::tree::SchemaTree;

/// Number of files that are put into a document.
const MOST_FILES: usize = 50;
/// Size of a document with the files in it, in bytes.
const LARGEST_BUNDLE: usize = 10_000_000;

/// A document with the files that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaBundle {
    /// The text of the document, with the files among its definitions.
    pub text: String,
    /// The files, in the order in which they were found.
    pub files: Vec<String>,
    inserted: Range<usize>,
    first_reference: Span,
}

impl SchemaBundle {
    /// Returns the place in the document of a place in the bundle, and true if that is in a file: then it is the place of the first
    /// reference to a file.
    pub fn document_span(&self, span: Span) -> (Span, bool) {
        let (start, end) = (span.start as usize, span.end as usize);
        let length = u32::try_from(self.inserted.len()).unwrap_or(u32::MAX);
        if start >= self.inserted.end {
            let moved = |offset: u32| offset.saturating_sub(length);
            return (Span { start: moved(span.start), end: moved(span.end), ..span }, false);
        }
        if start >= self.inserted.start && end <= self.inserted.end {
            return (self.first_reference, true);
        }
        let end = if end >= self.inserted.end { span.end.saturating_sub(length) } else { span.end };
        (Span { end, ..span }, false)
    }
}

/// Puts the files that a JSON Schema refers to into its definitions, by their URIs; `None` if it refers to none that can be read.
/// The name of a file is the rest of its URI behind the folder of the document's own URI, and never leads out of the folder.
// JSON Schema core 2020-12, 9.3: a compound document has its resources below `$defs`, each with its `$id`.
///
/// ```
/// use kvrules_diagnostics::{FileId, SourceFile};
/// use kvrules_json_schema::bundle_files;
///
/// let file = SourceFile::new(FileId(0), "a.json", r#"{"properties": {"b": {"$ref": "b.json"}}}"#);
/// let bundle = bundle_files(&file, &mut |name| (name == "b.json").then(|| r#"{"type": "string"}"#.to_owned())).unwrap();
/// assert!(bundle.text.contains(r#""definitions":{"b.json":{"type":"string","$id":"json-schema:///b.json"}}"#));
/// ```
pub fn bundle_files(
    source: &SourceFile,
    read: &mut dyn FnMut(&str) -> Option<String>,
) -> Option<SchemaBundle> {
    let [document] = source_stream(source).documents.as_slice() else { return None };
    let root = document.root().filter(|root| root.is_map() && !document.has_unread_parts())?;
    let outer = external_references(root)?;
    let first_reference = outer.references.first()?.1;
    let folder = outer.base.rsplit_once('/')?.0.to_owned() + "/";
    let mut wanted: Vec<String> = outer.references.into_iter().map(|(uri, _)| uri).collect();
    wanted.reverse();
    let mut known = HashSet::new();
    let (mut files, mut definitions, mut size) = (Vec::new(), Vec::new(), 0);
    while let Some(uri) = wanted.pop() {
        let name = uri.strip_prefix(&folder).filter(|name| is_inside(name)).map(str::to_owned);
        let Some(name) = name.filter(|_| known.insert(uri.clone()) && files.len() < MOST_FILES) else {
            continue;
        };
        let Some((schema, inner)) = read(&name).and_then(|text| read_schema(&text, &uri)) else { continue };
        size += schema.len();
        if size > LARGEST_BUNDLE {
            return None;
        }
        wanted.extend(inner);
        definitions.push(format!("{}:{schema}", Value::from(name.as_str())));
        files.push(name);
    }
    let (at, part) = place_definitions(source.text(), root, &definitions.join(","))?;
    let mut text = source.text().to_owned();
    text.insert_str(at, &part);
    (!files.is_empty()).then_some(SchemaBundle {
        text,
        files,
        inserted: at..at + part.len(),
        first_reference,
    })
}

/// True for a path that stays in the folder.
fn is_inside(name: &str) -> bool {
    !name.is_empty()
        && name.split('/').all(|part| !part.is_empty() && part != ".." && part != ".")
        && !name.contains(['\\', ':', '?'])
}

/// References of a document to others.
struct ExternalReferences {
    /// URI of the document itself.
    base: String,
    /// The URIs without fragments, and the places of the references.
    references: Vec<(String, Span)>,
}

fn external_references(root: Node<'_>) -> Option<ExternalReferences> {
    if schema_language(root) == Some(SchemaLanguage::OpenApi) {
        return None;
    }
    let tree = SchemaTree::read_document(root, SchemaLanguage::JsonSchema, detect_dialect(root).ok()?);
    let external = tree
        .references
        .iter()
        .filter_map(|reference| Some((reference.external_uri()?.to_owned(), reference.node.span())));
    Some(ExternalReferences { references: external.collect(), base: tree.base })
}

/// The schema of a file with its URI as identifier, as JSON, and the other documents that it refers to.
fn read_schema(text: &str, uri: &str) -> Option<(String, Vec<String>)> {
    let stream = parse_stream(FileId(0), text);
    let [document] = stream.documents.as_slice() else { return None };
    let root = document.root().filter(|root| root.is_map() && !document.has_unread_parts())?;
    let keyword = identifier_keyword(detect_dialect(root).ok()?)?;
    let mut schema = ValueReader::for_yaml12().with_lenient_reading().read_value(root).ok()?;
    schema.as_object_mut()?.insert(keyword.to_owned(), Value::from(uri));
    let written = schema.to_string();
    let stream = parse_stream(FileId(0), &written);
    let inner =
        stream.documents.first().and_then(kvrules_syntax::Document::root).and_then(external_references)?;
    let inner = inner.references.into_iter().map(|(uri, _)| uri).collect();
    Some((written, inner))
}

/// The place for definitions in a document, and the text to insert there.
fn place_definitions(text: &str, root: Node<'_>, definitions: &str) -> Option<(usize, String)> {
    let keyword = "definitions";
    let is_flow = |node: Node<'_>| node.source_text().starts_with('{') && node.source_text().ends_with('}');
    let known = root.entry(keyword).map(|entry| entry.value);
    let inside = |node: Node<'_>| {
        let comma = if node.entries().next().is_some() { "," } else { "" };
        (node.span().to_range().end - 1, comma)
    };
    match known {
        Some(known) if is_flow(known) && !known.is_alias() => {
            let (at, comma) = inside(known);
            Some((at, format!("{comma}{definitions}")))
        }
        None if is_flow(root) => {
            let (at, comma) = inside(root);
            Some((at, format!("{comma}\"{keyword}\":{{{definitions}}}")))
        }
        // A block ends with the text; a marker of the end of the document would be before it.
        None if root.kind() == SyntaxKind::Map
            && root.style() != NodeStyle::Double
            && !text.contains("\n...") =>
        {
            let break_before = if text.ends_with('\n') { "" } else { "\n" };
            Some((text.len(), format!("{break_before}{keyword}: {{{definitions}}}\n")))
        }
        _ => None,
    }
}
