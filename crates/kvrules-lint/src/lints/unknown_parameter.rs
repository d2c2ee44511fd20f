//! KV114 `unknown_parameter`: a reference to a parameter that the template does not declare.

use std::collections::HashMap;

use kvrules_diagnostics::{Diagnostic, Level, Lint, find_nearest};
use kvrules_elaborate::template::{Template, TemplateKind};

use crate::{
    LintCheck, LintedFile,
    message_text::code,
    templates::{ExaminedTemplate, ParameterReference, parameters_path},
};

pub static LINT: Lint = Lint {
    code: "KV114",
    name: "unknown_parameter",
    level: Level::Error,
    summary: "a template refers to a parameter that it does not declare",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// Maximum number of parameters, and of unknown names, for which similar names are searched.
const MOST_COMPARED: usize = 200;

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let templates = file.examined_templates().iter();
    for examined in templates.filter(|examined| !examined.template.has_open_parameters()) {
        let ExaminedTemplate { template, declared: known, references, .. } = examined;
        let template = *template;
        let mut names: Vec<_> = known.keys().copied().filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.truncate(MOST_COMPARED);
        // For each unknown name: the parameter with a similar name, and true if the name is reported.
        let mut unknown: HashMap<&str, (Option<&str>, bool)> = HashMap::new();
        for reference in references.iter().filter(|found| !known.contains_key(found.name)) {
            let is_few = unknown.len() < MOST_COMPARED;
            let (near, is_reported) = unknown.entry(reference.name).or_insert_with(|| {
                let near = find_nearest(reference.name, names.iter().copied().filter(|_| is_few));
                (near, false)
            });
            // In an OpenShift template, a later occurrence may be the first that is clearly a reference.
            let is_intended = template.kind() == TemplateKind::KubeVirt || is_intended(reference, *near);
            if is_intended && !*is_reported {
                *is_reported = true;
                found.push(parameter_diagnostic(template, reference, *near));
            }
        }
    }
}

/// OpenShift leaves such a reference as it stands, as a script in a string of several lines may want it. References in
/// rules are for KV113.
fn is_intended(reference: &ParameterReference<'_>, near: Option<&str>) -> bool {
    let text = reference.node.text();
    let is_rules = text.trim_start().starts_with('[') && text.contains("\"path\"");
    !is_rules && (near.is_some() || !text.trim_end().contains('\n'))
}

fn parameter_diagnostic(
    template: Template<'_>,
    reference: &ParameterReference<'_>,
    near: Option<&str>,
) -> Diagnostic {
    let span = reference.node.place_of(reference.range.clone());
    let name = reference.name;
    let (level, message) = match template.kind() {
        TemplateKind::KubeVirt => (Level::Error, format!("unknown parameter {}", code(name))),
        TemplateKind::OpenShift => {
            let written = code(reference.node.text().get(reference.range.clone()).unwrap_or(name));
            (Level::Warning, format!("unknown parameter {}: {written} is not replaced", code(name)))
        }
    };
    let finding = Diagnostic { level, ..LINT.diagnostic_at(span, message) };
    match near {
        Some(near) => finding.with_help(format!("did you mean {}?", code(near))),
        None => finding.with_help(format!("declare it in `{}`", parameters_path(template))),
    }
}
