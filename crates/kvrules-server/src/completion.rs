//! Names that may be written next.

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTextEdit, CompletionList, Documentation, Position,
    Range, TextEdit,
};
use kvrules::crd::{OfferedKind, OfferedName};
use serde_json::Value;

use crate::messages::to_value;
use crate::server::Server;

impl Server<'_> {
    /// Answers `textDocument/completion`. The text need not be checked yet, for it changes with every letter: subjects
    /// of RuleSets are those of the last text that could be read.
    pub(crate) fn complete(&self, uri: &str, position: Position) -> Value {
        let Some(document) = self.documents.find(uri) else { return Value::Null };
        let Some((settings, _)) = document.checked.as_ref().and_then(|it| it.result.as_ref().ok()) else {
            return Value::Null;
        };
        let offset = document.lines.offset_at(document.source.text(), position, self.client.encoding);
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let offered = self.checker.run(|| settings.offers_at(&document.source, &document.rule_sets, offset));
        let Some((span, offered)) = offered else { return Value::Null };
        let range = document.lines.range_of(document.source.text(), span, self.client.encoding);
        let items = offered.into_iter().map(|name| to_item(name, range)).collect();
        to_value(&CompletionList { is_incomplete: false, item_defaults: None, apply_kind: None, items })
    }
}

fn to_item(offered: OfferedName, range: Range) -> CompletionItem {
    let kind = match offered.kind {
        OfferedKind::Field => CompletionItemKind::Field,
        OfferedKind::Function => CompletionItemKind::Function,
        OfferedKind::Variable => CompletionItemKind::Variable,
        OfferedKind::Value => CompletionItemKind::EnumMember,
    };
    let new_text = offered.name.clone();
    CompletionItem {
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit { range, new_text })),
        label: offered.name,
        kind: Some(kind),
        detail: Some(offered.detail).filter(|detail| !detail.is_empty()),
        documentation: Some(offered.documentation).filter(|text| !text.is_empty()).map(Documentation::String),
        ..CompletionItem::default()
    }
}
