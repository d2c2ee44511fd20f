//! Code actions: the fixes of findings, all safe fixes at once, and ignores.

use gen_lsp_types::{CodeAction, CodeActionContext, CodeActionKind, CodeActionParams};
use kvrules::check::CheckSettings;
use kvrules::{Applicability, Fix, ignore_comment, is_offered};
use serde_json::{Value, json};

use crate::capabilities::ClientSupport;
use crate::checks::CheckOutcome;
use crate::diagnostics::to_diagnostic;
use crate::documents::Document;
use crate::edits::{replace_text, to_text_edits, workspace_edit};
use crate::messages::{ErrorKind, RequestError, to_value};
use crate::server::Server;

impl Server<'_> {
    /// Answers `textDocument/codeAction` about a file whose findings are known.
    pub(crate) fn code_actions(&self, params: &CodeActionParams) -> Value {
        let uri = params.text_document.uri.0.as_str();
        let Some(document) = self.documents.find(uri) else { return Value::Null };
        let Some(CheckOutcome { result: Ok((settings, checked)), .. }) = document.current_check() else {
            return Value::Null;
        };
        let mut actions = Vec::new();
        if is_wanted(&params.context, &CodeActionKind::QuickFix) {
            let text = document.source.text();
            let start = document.lines.offset_at(text, params.range.start, self.client.encoding);
            let end = document.lines.offset_at(text, params.range.end, self.client.encoding);
            let touches = |found: &&kvrules::Diagnostic| {
                let span = found.primary.span.to_range();
                span.start <= end && span.end >= start
            };
            for found in checked.findings.iter().filter(touches) {
                actions.extend(finding_actions(found, (uri, document), settings, &self.client));
            }
        }
        if is_wanted(&params.context, &CodeActionKind::SourceFixAll)
            && checked.findings.iter().any(|found| is_offered(found, false))
        {
            actions.push(self.fix_all_action(uri, document, settings));
        }
        to_value(&actions)
    }

    /// The action that applies all safe fixes. A client that can ask for its edits later does so.
    fn fix_all_action(&self, uri: &str, document: &Document, settings: &CheckSettings) -> CodeAction {
        let data = json!({"uri": uri, "version": document.version});
        let is_lazy = self.client.resolves_edits;
        let edit = || {
            let edits = self.fix_edits(document, settings);
            workspace_edit(edits, (uri, document), &self.client)
        };
        CodeAction {
            title: "Apply all safe fixes of kvrules".to_owned(),
            kind: Some(CodeActionKind::SourceFixAll),
            edit: (!is_lazy).then(edit),
            data: is_lazy.then_some(data),
            ..CodeAction::default()
        }
    }

    fn fix_edits(&self, document: &Document, settings: &CheckSettings) -> Vec<gen_lsp_types::TextEdit> {
        let fixed =
            self.checker.fix_file((&document.source, &document.path), self.documents.texts(), settings);
        replace_text(document, &fixed, &self.client)
    }

    /// Answers `codeAction/resolve` with the edits of an action.
    pub(crate) fn resolve_action(&self, mut action: CodeAction) -> Result<Value, RequestError> {
        let Some(data) = &action.data else { return Ok(to_value(&action)) };
        let uri = data.get("uri").and_then(Value::as_str).unwrap_or_default();
        let outdated = || RequestError::new(ErrorKind::ContentModified, "the file has changed");
        let document = self.documents.find(uri).ok_or_else(outdated)?;
        if data.get("version") != Some(&json!(document.version)) {
            return Err(outdated());
        }
        let Some(CheckOutcome { result: Ok((settings, _)), .. }) = document.current_check() else {
            return Err(outdated());
        };
        let edits = self.fix_edits(document, settings);
        action.edit = Some(workspace_edit(edits, (uri, document), &self.client));
        Ok(to_value(&action))
    }
}

/// True if the client asks for actions of a kind: for all, or for this kind or one that it belongs to.
fn is_wanted(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let name = |kind: &CodeActionKind| String::from(kind.clone());
    let kind = name(kind);
    let covers = |wanted: &CodeActionKind| {
        let wanted = name(wanted);
        kind == wanted || kind.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('.'))
    };
    context.only.as_ref().is_none_or(|only| only.iter().any(covers))
}

/// The actions for one finding: its fix, and a comment that ignores it.
fn finding_actions(
    found: &kvrules::Diagnostic,
    (uri, document): (&str, &Document),
    settings: &CheckSettings,
    client: &ClientSupport,
) -> Vec<CodeAction> {
    let diagnostic = to_diagnostic(found, (uri, document), settings, client);
    let action = |title: String, edits: &[kvrules::Edit], is_preferred: bool| {
        let edits = to_text_edits(edits, document, client);
        CodeAction {
            title,
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: Some(vec![diagnostic.clone()]),
            is_preferred: is_preferred.then_some(true),
            edit: Some(workspace_edit(edits, (uri, document), client)),
            ..CodeAction::default()
        }
    };
    let fix = found.fix.as_ref().filter(|fix| fix.applicability > Applicability::DisplayOnly);
    let fix = fix.map(|fix| action(fix_title(fix), &fix.edits, fix.applicability == Applicability::Safe));
    let ignore = ignore_comment(&document.source, found.primary.span, found.code).map(|edit| {
        let title = format!("Ignore {} ({}) here", found.code, found.name.replace('_', "-"));
        action(title, &[edit], false)
    });
    fix.into_iter().chain(ignore).collect()
}

/// The title of a fix as a sentence; an unsafe one says so.
fn fix_title(fix: &Fix) -> String {
    let mut letters = fix.title.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let title = first + letters.as_str();
    match fix.applicability {
        Applicability::Unsafe => format!("{title} (unsafe: may change the meaning)"),
        _ => title,
    }
}
