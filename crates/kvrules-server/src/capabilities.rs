//! Abilities of the client and of the server.

use gen_lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProvider, CompletionOptions,
    DefinitionProvider, DocumentFormattingProvider, DocumentSymbolProvider, HoverProvider, InitializeResult,
    PositionEncodingKind, Save, ServerCapabilities, ServerInfo, TextDocumentSync, TextDocumentSyncKind,
    TextDocumentSyncOptions,
};

use crate::positions::PositionEncoding;

/// The abilities of the client that answers depend on.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an ability of its own")]
pub(crate) struct ClientSupport {
    /// The unit of columns.
    pub(crate) encoding: PositionEncoding,
    /// True if diagnostics may have other places.
    pub(crate) related_information: bool,
    /// True if edits may name the version of the file that they are for.
    pub(crate) versioned_edits: bool,
    /// True if the client asks for the edits of a code action when it is chosen.
    pub(crate) resolves_edits: bool,
    /// True if the client watches files that the server asks for.
    pub(crate) watches_files: bool,
}

impl ClientSupport {
    pub(crate) fn from_capabilities(capabilities: &ClientCapabilities) -> Self {
        let encodings = capabilities.general.as_ref().and_then(|it| it.position_encodings.as_ref());
        // Offsets in bytes need no counting, and UTF-16 is what clients have unless they say otherwise.
        let has_utf8 = encodings.is_some_and(|kinds| kinds.contains(&PositionEncodingKind::UTF8));
        let text = capabilities.text_document.as_ref();
        let diagnostics = text.and_then(|it| it.publish_diagnostics.as_ref());
        let action = text.and_then(|it| it.code_action.as_ref());
        let resolve = action.and_then(|it| it.resolve_support.as_ref());
        let workspace_edit = capabilities.workspace.as_ref().and_then(|it| it.workspace_edit.as_ref());
        let watching = capabilities.workspace.as_ref().and_then(|it| it.did_change_watched_files.as_ref());
        Self {
            encoding: if has_utf8 { PositionEncoding::Utf8 } else { PositionEncoding::Utf16 },
            related_information: diagnostics
                .is_some_and(|it| it.diagnostics_capabilities.related_information == Some(true)),
            versioned_edits: workspace_edit.is_some_and(|it| it.document_changes == Some(true)),
            resolves_edits: resolve.is_some_and(|it| it.properties.iter().any(|name| name == "edit"))
                && action.is_some_and(|it| it.data_support == Some(true)),
            watches_files: watching.is_some_and(|it| it.dynamic_registration == Some(true)),
        }
    }
}

/// Characters after which a client asks for completions by itself: before a field, a value and a quoted key.
const TRIGGERS: [&str; 3] = [".", "'", "\""];

/// The answer to `initialize`.
pub(crate) fn initialize_result(client: &ClientSupport) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        save: Some(Save::Bool(true)),
        ..TextDocumentSyncOptions::default()
    };
    let encoding = match client.encoding {
        PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QuickFix, CodeActionKind::SourceFixAll]),
        resolve_provider: Some(client.resolves_edits),
        ..CodeActionOptions::default()
    };
    let completion = CompletionOptions {
        trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
        ..CompletionOptions::default()
    };
    let capabilities = ServerCapabilities {
        code_action_provider: Some(CodeActionProvider::CodeActionOptions(actions)),
        hover_provider: Some(HoverProvider::Bool(true)),
        completion_provider: Some(completion),
        document_symbol_provider: Some(DocumentSymbolProvider::Bool(true)),
        definition_provider: Some(DefinitionProvider::Bool(true)),
        document_formatting_provider: Some(DocumentFormattingProvider::Bool(true)),
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSync::Options(sync)),
        ..ServerCapabilities::default()
    };
    let version = Some(kvrules::VERSION.to_owned());
    InitializeResult { capabilities, server_info: Some(ServerInfo { name: "kvrules".to_owned(), version }) }
}
