//! KV202 `unexpected_prefix`: `jsonpath::` in an annotation that is otherwise of version 201901, or in an argument that is a literal.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint};
use kvrules_elaborate::annotation::{Key, PREFIX, has_prefix};
use kvrules_ir::AnnotationDialect;

use crate::{LintCheck, RuleView, escaped_spans, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV202",
    name: "unexpected_prefix",
    level: Level::Error,
    summary: "`jsonpath::` begins a path of version 201901, or an argument that is not read as a path",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    found.extend(path_argument(rule));
    let form = rule.annotation.form();
    if form.dialect != AnnotationDialect::Annotation201901 || form.mixture.is_some() {
        return;
    }
    for key in [Key::Path, Key::Valid] {
        let Some(value) = rule.key_value(key) else { continue };
        let Some(text) = value.as_str().filter(|text| has_prefix(text)) else { continue };
        let message =
            format!("`{}` begins with `{PREFIX}`, which version 201901 does not support", key.as_str());
        let bare = text.strip_prefix(PREFIX).unwrap_or(text);
        let help = format!("write {}, or move the annotation to version 201902", code(bare));
        let span = escaped_spans::span_of(rule.source, value, 0..PREFIX.len());
        let alone = rule.source.span_text(span) == PREFIX;
        let fix = alone.then(|| Fix::safe_fix(format!("remove `{PREFIX}`"), [Edit::remove_span(span)]));
        found.push(LINT.diagnostic_at(span, message).with_help(help).fix_if(fix));
    }
}

/// A `regex` that is a literal for the deployed validator and for kvrules, although the specification allows paths.
fn path_argument(rule: &RuleView<'_>) -> Option<Diagnostic> {
    let value = rule.key_value(Key::Regex).filter(|value| value.as_str().is_some_and(has_prefix))?;
    let message =
        format!("`{}` is not read as a path: `{PREFIX}` is part of the expression", Key::Regex.as_str());
    let span = escaped_spans::span_of(rule.source, value, 0..PREFIX.len());
    let help = "write the expression itself; only bounds, lengths and listed values can be paths";
    Some(Diagnostic { level: Level::Warning, ..LINT.diagnostic_at(span, message).with_help(help) })
}
