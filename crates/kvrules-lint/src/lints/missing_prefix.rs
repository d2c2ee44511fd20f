//! KV201 `missing_prefix`: a path without `jsonpath::` where version 201902 wants it.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::{Key, PREFIX, has_prefix, path_text};
use kvrules_ir::AnnotationDialect;

use crate::{LintCheck, RuleView, message_text::code, paths::without_misspelt_prefix, repair};

pub static LINT: Lint = Lint {
    code: "KV201",
    name: "missing_prefix",
    level: Level::Error,
    summary: "`path` or `valid` lacks `jsonpath::`",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.uncertain || rule.annotation.form().mixture.is_some() {
        return;
    }
    for key in [Key::Path, Key::Valid] {
        let Some(value) = rule.key_value(key) else { continue };
        let Some(text) = value.as_str().filter(|text| !text.is_empty() && !has_prefix(text)) else {
            continue;
        };
        let name = key.as_str();
        let (message, path) = match without_misspelt_prefix(text) {
            Some(path) => (format!("`{name}` does not begin with exactly `{PREFIX}`"), path.to_owned()),
            None if rule.dialect() == AnnotationDialect::Annotation201902 => {
                // The older form defines where a path without a prefix starts.
                let (path, _) = path_text(text, AnnotationDialect::Annotation201901);
                (format!("`{name}` does not begin with `{PREFIX}`"), path)
            }
            None => continue,
        };
        let help = format!("write {}", code(&format!("{PREFIX}{path}")));
        let edit = repair::text(rule, value, &format!("{PREFIX}{path}"));
        let fix =
            edit.map(|edit| Fix::safe_fix(format!("write {}", code(&format!("{PREFIX}{path}"))), [edit]));
        found.push(LINT.diagnostic_at(value.span(), message).with_help(help).fix_if(fix));
    }
}
