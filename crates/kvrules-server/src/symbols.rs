//! Outlines of files, and the ways from a name to its declaration.

use gen_lsp_types::{DocumentSymbol, Location, Position, Range, SymbolKind, Uri};
use kvrules::{DeclaredPlace, OutlineEntry, OutlineKind, declared_place, outline_file};
use kvrules_diagnostics::Span;
use serde_json::Value;

use crate::documents::Document;
use crate::messages::to_value;
use crate::server::Server;
use crate::uris::{normalize_path, uri_of_path};

impl Server<'_> {
    /// Answers `textDocument/documentSymbol`.
    pub(crate) fn document_symbols(&self, uri: &str) -> Value {
        let Some(document) = self.documents.find(uri) else { return Value::Null };
        let outline = self.checker.run(|| outline_file(&document.source));
        let symbols: Vec<_> = outline.into_iter().map(|entry| self.to_symbol(entry, document)).collect();
        to_value(&symbols)
    }

    fn to_symbol(&self, entry: OutlineEntry, document: &Document) -> DocumentSymbol {
        let range = |span: Span| document.lines.range_of(document.source.text(), span, self.client.encoding);
        let children: Vec<_> =
            entry.children.into_iter().map(|child| self.to_symbol(child, document)).collect();
        #[expect(deprecated, reason = "the type has the field, and nothing else makes its values")]
        DocumentSymbol {
            // Editors ignore symbols without a name.
            name: if entry.name.is_empty() { "(unnamed)".to_owned() } else { entry.name },
            detail: Some(entry.detail).filter(|detail| !detail.is_empty()),
            kind: symbol_kind(entry.kind),
            tags: None,
            deprecated: None,
            range: range(entry.span.cover_with(entry.name_span)),
            selection_range: range(entry.name_span),
            children: (!children.is_empty()).then_some(children),
        }
    }

    /// Answers `textDocument/definition`: the variable or the schema of a field in the same file, or a file that a RuleSet or a suite
    /// names.
    pub(crate) fn find_definition(&self, uri: &str, position: Position) -> Value {
        let Some(document) = self.documents.find(uri) else { return Value::Null };
        let text = document.source.text();
        let offset = document.lines.offset_at(text, position, self.client.encoding);
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let location = match self.checker.run(|| declared_place(&document.source, offset)) {
            Some(DeclaredPlace::Span(span)) => Location {
                uri: Uri::from(uri),
                range: document.lines.range_of(text, span, self.client.encoding),
            },
            Some(DeclaredPlace::File(named)) => {
                let Some(folder) = document.path.parent() else { return Value::Null };
                let path = normalize_path(&folder.join(named));
                Location { uri: Uri::from(uri_of_path(&path)), range: Range::default() }
            }
            None => return Value::Null,
        };
        to_value(&location)
    }
}

fn symbol_kind(kind: OutlineKind) -> SymbolKind {
    match kind {
        OutlineKind::Resource => SymbolKind::Module,
        OutlineKind::Version => SymbolKind::Namespace,
        OutlineKind::Rule => SymbolKind::Function,
        OutlineKind::Variable => SymbolKind::Variable,
        OutlineKind::Condition => SymbolKind::Operator,
        OutlineKind::Example => SymbolKind::Event,
    }
}
