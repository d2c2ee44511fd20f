//! KV411 `optional_argument`: an argument that a machine may lack.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_elaborate::resolve_path;
use kvrules_syntax::edit::ScalarEdit;

use crate::{
    LintCheck, RuleView,
    arguments::path_arguments,
    message_text::code,
    paths::up_to,
    presence::{ResolvedPath, guard_path, subject_path},
    repair,
    shape::path_prefix,
};

pub static LINT: Lint = Lint {
    code: "KV411",
    name: "optional_argument",
    level: Level::Warning,
    summary: "an argument is a path that finds nothing in some machines, which then violate the rule",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    for argument in path_arguments(rule) {
        let Ok(selector) = resolve_path(argument.path, rule.catalog) else { continue };
        let way = ResolvedPath { path: argument.path, selector: &selector };
        // A rule without a value is violated anyway, so its argument may assume that the value exists.
        let Some(step) = way.not_granted_by(subject_path(read, meaning)) else { continue };
        let granted = guard_path(read, meaning).is_some_and(|guard| way.not_granted_by(guard).is_none());
        let (false, Some(written)) = (granted, rule.written(argument.node)) else { continue };
        let lacking = code(up_to(&argument.path.text, step));
        let message = format!(
            "{}s without {lacking} violate the rule, for `{}` is missing",
            rule.thing(),
            argument.key.as_str()
        );
        let valid = code(&format!(r#""valid": "{}{}""#, path_prefix(rule.dialect()), argument.path.text));
        let help = format!("write {valid} to skip the rule on them");
        let title = format!("add {valid}, which skips the rule on them");
        let value = ScalarEdit::Text(argument.node.text());
        let unguarded = rule.find_entry(Key::Valid).is_none();
        let edit = unguarded.then(|| repair::insert_entry(rule, &[Key::Path], Key::Valid, value)).flatten();
        let finding = LINT.diagnostic_at(written.span_of_step(rule, step), message).with_help(help);
        found.push(finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))));
    }
}
