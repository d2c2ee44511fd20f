//! Values of keywords that the meta-schema of the dialect does not allow.

use kvrules_diagnostics::Diagnostic;
use kvrules_kubernetes::keywords::SchemaDialect::{Draft4, OpenApi30, Swagger20};
use kvrules_syntax::{Entry, SyntaxKind};

use crate::lints::INVALID_KEYWORD_VALUE;
use crate::tree::SchemaSite;
use crate::value_form::{find_invalid_values, is_unreadable};

/// Checks the values of the keywords of one schema.
pub(super) fn check_values(site: &SchemaSite<'_>, findings: &mut Vec<Diagnostic>) {
    // A Reference Object of OpenAPI has no keywords but `$ref`.
    let is_reference = site.is_mere_reference() && matches!(site.dialect, OpenApi30 | Swagger20);
    for Entry { key, value } in site.node.entries_with_merged() {
        if is_reference && key.text() != "$ref" {
            continue;
        }
        for invalid in find_invalid_values(key.text(), value, site.dialect, site.is_parameter) {
            let found = INVALID_KEYWORD_VALUE.diagnostic_at(invalid.span, invalid.message);
            findings.push(found.help_if(invalid.help));
        }
    }
    if !is_reference {
        check_companions(site, findings);
    }
}

/// Keywords that need another one next to them.
fn check_companions(site: &SchemaSite<'_>, findings: &mut Vec<Diagnostic>) {
    let node = site.node;
    for (strict, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(entry) = node.entry(strict).filter(|_| site.dialect == Draft4 && node.get(bound).is_none())
        else {
            continue;
        };
        let is_boolean = matches!(entry.value.kind(), SyntaxKind::True | SyntaxKind::False);
        if is_boolean {
            let message = format!("`{strict}` needs `{bound}` next to it");
            findings.push(INVALID_KEYWORD_VALUE.diagnostic_at(entry.key.span(), message));
        }
    }
    let needs_items = site.dialect == OpenApi30 || (site.dialect == Swagger20 && site.is_parameter);
    let is_array = node.get("type").filter(|kind| kind.as_str() == Some("array") && !is_unreadable(*kind));
    if let Some(kind) = is_array.filter(|_| needs_items && node.get("items").is_none() && !node.is_open()) {
        let found =
            INVALID_KEYWORD_VALUE.diagnostic_at(kind.span(), "`type: array` needs `items` next to it");
        findings.push(found.with_help("add the schema of the items; `items: {}` allows every value"));
    }
}
