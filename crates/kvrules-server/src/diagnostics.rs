//! Findings in the form of the protocol.

use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Message,
    PublishDiagnosticsParams, Range, Uri,
};
use kvrules::Level;
use kvrules::check::CheckSettings;
use kvrules_diagnostics::render::lint_page_address;

use crate::capabilities::ClientSupport;
use crate::documents::Document;

/// Name of the program that found something.
const SOURCE: &str = "kvrules";

/// Returns the findings about a file that was checked; none if it was not.
pub(crate) fn file_diagnostics(
    uri: &str,
    document: &Document,
    client: &ClientSupport,
) -> PublishDiagnosticsParams {
    let diagnostics = match document.current_check().map(|checked| &checked.result) {
        None => Vec::new(),
        Some(Err(reason)) => vec![unchecked_diagnostic(reason)],
        Some(Ok((settings, checked))) => checked
            .findings
            .iter()
            .map(|found| to_diagnostic(found, (uri, document), settings, client))
            .collect(),
    };
    PublishDiagnosticsParams { uri: Uri::from(uri), version: Some(document.version), diagnostics }
}

/// The finding that a file cannot be checked, at its start.
fn unchecked_diagnostic(reason: &str) -> Diagnostic {
    Diagnostic {
        range: Range::default(),
        severity: Some(DiagnosticSeverity::Error),
        source: Some(SOURCE.to_owned()),
        message: Message::String(format!("this file is not checked: {reason}")),
        ..Diagnostic::default()
    }
}

/// Returns a finding in the form of the protocol.
pub(crate) fn to_diagnostic(
    found: &kvrules::Diagnostic,
    (uri, document): (&str, &Document),
    settings: &CheckSettings,
    client: &ClientSupport,
) -> Diagnostic {
    let range = |span| document.lines.range_of(document.source.text(), span, client.encoding);
    let page = settings.page_url.as_ref().map(|url| lint_page_address(url, found.code, found.name));
    let others = found.secondary.iter().filter(|label| label.span.file == document.source.id());
    let related = others.map(|label| DiagnosticRelatedInformation {
        location: Location { uri: Uri::from(uri), range: range(label.span) },
        message: if label.text.is_empty() { "see here".to_owned() } else { label.text.clone() },
    });
    let related: Vec<_> = related.filter(|_| client.related_information).collect();
    Diagnostic {
        range: range(found.primary.span),
        severity: Some(severity_of(found.level)),
        code: Some(Code::String(found.code.to_owned())),
        code_description: page.map(|page| CodeDescription { href: Uri::from(page) }),
        source: Some(SOURCE.to_owned()),
        message: Message::String(message_of(found)),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

fn severity_of(level: Level) -> DiagnosticSeverity {
    match level {
        Level::Error => DiagnosticSeverity::Error,
        Level::Warning => DiagnosticSeverity::Warning,
        Level::Info => DiagnosticSeverity::Information,
    }
}

/// The message, the words at its place, and the help, a line each: editors show nothing else.
fn message_of(found: &kvrules::Diagnostic) -> String {
    let label = Some(&found.primary.text).filter(|text| !text.is_empty()).cloned();
    let help = found.help.as_ref().map(|help| format!("help: {help}"));
    let lines = std::iter::once(found.message.clone()).chain(label).chain(help);
    lines.collect::<Vec<_>>().join("\n")
}
