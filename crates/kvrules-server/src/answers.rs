//! Requests and notifications by their methods.

use std::io;

use gen_lsp_types::{
    CompletionParams, DefinitionParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    DocumentFormattingParams, DocumentSymbolParams, HoverParams, InitializeParams, PublishDiagnosticsParams,
    Uri,
};
use kvrules::fmt::format_file;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::capabilities::{ClientSupport, initialize_result};
use crate::documents::Document;
use crate::edits::replace_text;
use crate::messages::{ErrorKind, RequestError, notification, request, response, to_value};
use crate::server::{Server, SessionState, WaitingRequest};
use crate::uris::path_of_uri;

/// The files whose changes matter to others, as a glob of the protocol.
const WATCHED: &str = "**/*.{yaml,yml,json,toml}";

impl Server<'_> {
    /// Answers a request.
    pub(crate) fn handle_request(&mut self, id: Value, method: String, params: Value) -> io::Result<()> {
        let answer = match (self.state, method.as_str()) {
            (SessionState::New, "initialize") => self.initialize(params),
            (SessionState::New, _) => {
                Err(RequestError::new(ErrorKind::NotInitialized, "`initialize` must be the first request"))
            }
            (SessionState::Running, "shutdown") => {
                self.state = SessionState::ShutDown;
                Ok(Value::Null)
            }
            (SessionState::Running, "initialize") => {
                Err(RequestError::new(ErrorKind::InvalidRequest, "the server is initialized already"))
            }
            (SessionState::Running, _) => match self.unchecked_file(&method, &params) {
                Some(uri) => {
                    self.waiting.push(WaitingRequest { id, method, params, uri });
                    return Ok(());
                }
                None => self.answer_request(&method, params),
            },
            _ => Err(RequestError::new(ErrorKind::InvalidRequest, "the server is shut down")),
        };
        self.send(&response(&id, answer))
    }

    /// The file whose findings a request has to wait for.
    fn unchecked_file(&self, method: &str, params: &Value) -> Option<String> {
        let uri = params.pointer("/textDocument/uri")?.as_str()?;
        let is_unchecked = |document: &Document| document.current_check().is_none();
        let waits = ["textDocument/codeAction", "textDocument/hover"].contains(&method)
            && self.documents.find(uri).is_some_and(is_unchecked);
        waits.then(|| uri.to_owned())
    }

    fn answer_request(&self, method: &str, params: Value) -> Result<Value, RequestError> {
        match method {
            "textDocument/codeAction" => Ok(self.code_actions(&read_params(params)?)),
            "codeAction/resolve" => self.resolve_action(read_params(params)?),
            "textDocument/hover" => {
                let at = read_params::<HoverParams>(params)?.text_document_position_params;
                Ok(self.hover(&at.text_document.uri.0, at.position))
            }
            "textDocument/completion" => {
                let at = read_params::<CompletionParams>(params)?.text_document_position_params;
                Ok(self.complete(&at.text_document.uri.0, at.position))
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = read_params(params)?;
                Ok(self.document_symbols(&params.text_document.uri.0))
            }
            "textDocument/definition" => {
                let at = read_params::<DefinitionParams>(params)?.text_document_position_params;
                Ok(self.find_definition(&at.text_document.uri.0, at.position))
            }
            "textDocument/formatting" => Ok(self.format_document(&read_params(params)?)),
            _ => Err(RequestError::new(ErrorKind::UnknownMethod, format!("unknown method `{method}`"))),
        }
    }

    /// Formats a file as `kvrules fmt` does.
    fn format_document(&self, params: &DocumentFormattingParams) -> Value {
        let Some(document) = self.documents.find(&params.text_document.uri.0) else { return Value::Null };
        let formatted = self.checker.run(|| format_file(&document.source));
        to_value(&replace_text(document, &formatted.text, &self.client))
    }

    fn initialize(&mut self, params: Value) -> Result<Value, RequestError> {
        let params: InitializeParams = read_params(params)?;
        self.client = ClientSupport::from_capabilities(&params.capabilities);
        self.state = SessionState::Running;
        Ok(to_value(&initialize_result(&self.client)))
    }

    /// Reacts to a notification. Those that are unknown are ignored, as the protocol says.
    pub(crate) fn handle_notification(&mut self, method: &str, params: Value) -> io::Result<()> {
        let done = match (self.state, method) {
            (state, "exit") => {
                self.state = SessionState::Over { was_requested: state == SessionState::ShutDown };
                Ok(())
            }
            (SessionState::Running, "initialized") => return self.watch_files(),
            (SessionState::Running, "textDocument/didOpen") => read_params(params).map(|it| self.open(it)),
            (SessionState::Running, "textDocument/didChange") => {
                read_params(params).map(|it| self.change(it))
            }
            (SessionState::Running, "textDocument/didClose") => match read_params(params) {
                Ok(closed) => return self.close(&closed),
                Err(error) => Err(error),
            },
            (SessionState::Running, "textDocument/didSave") => {
                read_params(params).map(|it: DidSaveTextDocumentParams| {
                    self.check_others_than(&it.text_document.uri.0);
                })
            }
            (SessionState::Running, "workspace/didChangeWatchedFiles") => {
                read_params(params).map(|it: DidChangeWatchedFilesParams| self.note_changed_files(&it))
            }
            _ => Ok(()),
        };
        match done {
            Ok(()) => Ok(()),
            Err(error) => {
                let message = format!("{method}: {}", error.message);
                self.send(&notification("window/logMessage", &json!({"type": 1, "message": message})))
            }
        }
    }

    /// Asks the client to report changes of files that are not open.
    fn watch_files(&mut self) -> io::Result<()> {
        if !self.client.watches_files {
            return Ok(());
        }
        let method = "workspace/didChangeWatchedFiles";
        let options = json!({"watchers": [{"globPattern": WATCHED}]});
        let registration = json!({"id": "files", "method": method, "registerOptions": options});
        let params = json!({"registrations": [registration]});
        self.send(&request("watch-files", "client/registerCapability", &params))
    }

    fn open(&mut self, DidOpenTextDocumentParams { text_document }: DidOpenTextDocumentParams) {
        let uri = text_document.uri.0;
        self.documents.open_file(&uri, text_document.version, text_document.text);
        self.check_dependents(&uri);
    }

    fn change(&mut self, changed: DidChangeTextDocumentParams) {
        let DidChangeTextDocumentParams { text_document, content_changes } = changed;
        let (uri, version) = (text_document.text_document_identifier.uri.0, text_document.version);
        if self.documents.change_file(&uri, version, content_changes, self.client.encoding) {
            self.check_dependents(&uri);
        }
    }

    fn close(&mut self, closed: &DidCloseTextDocumentParams) -> io::Result<()> {
        let uri = &closed.text_document.uri.0;
        if self.documents.close_file(uri).is_none() {
            return Ok(());
        }
        self.check_dependents(uri);
        let waiting = std::mem::take(&mut self.waiting);
        let (of_file, others) = waiting.into_iter().partition(|request| request.uri == *uri);
        self.waiting = others;
        let of_file: Vec<_> = of_file;
        for request in of_file {
            let error = RequestError::new(ErrorKind::Failed, "file was closed");
            self.send(&response(&request.id, Err(error)))?;
        }
        let none =
            PublishDiagnosticsParams { uri: Uri::from(uri.as_str()), version: None, diagnostics: Vec::new() };
        self.send(&notification("textDocument/publishDiagnostics", &none))
    }

    /// Has the open files checked again that name a file.
    fn check_dependents(&mut self, uri: &str) {
        let Some(path) = path_of_uri(uri) else { return };
        for dependent in self.documents.dependents_of(&path) {
            self.documents.renew(&dependent);
        }
    }

    /// Has all other open files checked again: the configuration of any of them may name a file that was saved.
    fn check_others_than(&mut self, uri: &str) {
        for other in self.documents.others_than(path_of_uri(uri).as_deref()) {
            self.documents.renew(&other);
        }
    }

    /// Has open files checked again after changes on disk. What is open is known by its changes in the editor.
    fn note_changed_files(&mut self, changed: &DidChangeWatchedFilesParams) {
        let is_closed = |uri: &Uri| self.documents.find(&uri.0).is_none();
        if changed.changes.iter().any(|change| is_closed(&change.uri)) {
            for uri in self.documents.others_than(None) {
                self.documents.renew(&uri);
            }
        }
    }
}

/// Reads the parameters of a method.
pub(crate) fn read_params<T: DeserializeOwned>(params: Value) -> Result<T, RequestError> {
    serde_json::from_value(params)
        .map_err(|error| RequestError::new(ErrorKind::InvalidParams, format!("invalid parameters: {error}")))
}
