//! KV202 `unexpected_prefix`: `jsonpath::` in an annotation that is otherwise of version 201901, or in an argument that is a literal.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint};
use kvrules_elaborate::annotation::{Key, PREFIX, has_prefix};
use kvrules_ir::AnnotationDialect;
use kvrules_syntax::Node;

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
    found.extend(path_arguments(rule));
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

/// Arguments that are literals for the deployed validator and for kvrules, although the specification allows paths.
fn path_arguments(rule: &RuleView<'_>) -> Vec<Diagnostic> {
    let literals = [Key::Regex, Key::Values, Key::Included];
    let entries = literals.into_iter().filter_map(|key| Some((key, rule.key_value(key)?)));
    let values = entries.flat_map(|(key, value)| {
        std::iter::once(value).chain(value.items()).map(move |value| (key, value)).collect::<Vec<_>>()
    });
    let paths = values.filter(|(_, value)| value.as_str().is_some_and(has_prefix));
    let finding = |(key, value): (Key, Node<'_>)| {
        let message = format!("`{}` is not read as a path: `{PREFIX}` is part of the text", key.as_str());
        let span = escaped_spans::span_of(rule.source, value, 0..PREFIX.len());
        let finding = LINT.diagnostic_at(span, message);
        let help = "write the text itself; only `min`, `max`, `minLength` and `maxLength` take a path";
        Diagnostic { level: Level::Warning, ..finding.with_help(help) }
    };
    paths.map(finding).collect()
}
