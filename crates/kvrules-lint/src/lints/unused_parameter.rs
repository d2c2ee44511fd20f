//! KV115 `unused_parameter`: a parameter that nothing in the template refers to.

use std::collections::HashSet;

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_syntax::{Node, find_parameters};

use crate::{
    LintCheck, LintedFile,
    message_text::code,
    templates::{ExaminedTemplate, is_name},
};

pub static LINT: Lint = Lint {
    code: "KV115",
    name: "unused_parameter",
    level: Level::Warning,
    summary: "nothing in a template refers to one of its parameters",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    // Template tags may add a reference to any parameter.
    if file.template().is_some() {
        return;
    }
    let templates = file.examined_templates();
    if templates.is_empty() {
        return;
    }
    // A reference in a rule counts even if it has no effect there: KV113 reports that.
    let in_rules = file.annotations.iter().flat_map(|known| find_parameters(known.annotation.value.text()));
    let in_rules: HashSet<_> = in_rules.map(|parameter| parameter.name).collect();
    for ExaminedTemplate { template, references, .. } in templates {
        let referred = references.iter().map(|reference| reference.name);
        let mut seen: HashSet<_> = referred.chain(in_rules.iter().copied()).collect();
        for name in template.parameters().filter_map(|parameter| parameter.get("name")) {
            // KV118 reports invalid names and duplicates.
            if is_name(name.text()) && seen.insert(name.text()) {
                found.push(unused_diagnostic(name));
            }
        }
    }
}

fn unused_diagnostic(name: Node<'_>) -> Diagnostic {
    LINT.diagnostic_at(name.span(), format!("unused parameter {}", code(name.text())))
        .with_help(format!("refer to it as `${{{}}}`, or remove it", name.text()))
}
