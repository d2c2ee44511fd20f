//! KV302 `guard_too_short`: a guard that holds where the path may find nothing.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::{annotation::Key, resolve_path};

use crate::{
    LintCheck, RuleView,
    arguments::path_arguments,
    message_text::code,
    paths::up_to,
    presence::{ResolvedPath, asks_for_more_than_nothing, guard_path, has_no_argument, subject_path},
    repair,
    shape::path_prefix,
};

pub static LINT: Lint = Lint {
    code: "KV302",
    name: "guard_too_short",
    level: Level::Warning,
    summary: "`valid` includes machines in which `path` finds nothing, and which then violate the rule",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let (Some(guard), subject) = (guard_path(read, meaning), subject_path(read, meaning)) else { return };
    let Some(step) = subject.not_granted_by(guard) else { return };
    // Another lint reports a guard that never fails. A positive lower bound requires the field anyway.
    if guard.last_optional().is_none() || has_no_argument(read) || asks_for_more_than_nothing(read, meaning) {
        return;
    }
    if grants_an_argument(rule, guard) {
        return;
    }
    let written = |key| rule.key_value(key).and_then(|node| rule.written(node));
    let (Some(valid), Some(path)) = (written(Key::Valid), written(Key::Path)) else { return };
    let lacking = code(up_to(&read.path.text, step));
    let article = if subject.selector.lists.is_empty() { "" } else { "any " };
    let message =
        format!("`valid` lets in {}s without {article}{lacking}, and they violate the rule", rule.thing());
    let own = code(&format!("{}{}", path_prefix(rule.dialect()), read.path.text));
    let finding = LINT.diagnostic_at(valid.span_of(rule, 0..valid.text.len()), message);
    let finding = finding.with_secondary_label(
        path.span_of_step(rule, step),
        format!("{} {} may have none", if rule.thing() == "machine" { "a" } else { "an" }, rule.thing()),
    );
    let finding =
        finding.with_help(format!("write {own} in `valid`, to skip the rule if there is nothing to check"));
    let edit = repair::text(rule, valid.node, path.node.text());
    let title = format!("write {own} in `valid`, which skips {}s without it", rule.thing());
    found.push(finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))));
}

/// True if the guard is needed for an argument that is a path. A rule has no second guard for what it evaluates.
fn grants_an_argument(rule: &RuleView<'_>, guard: ResolvedPath<'_>) -> bool {
    path_arguments(rule).iter().any(|argument| {
        resolve_path(argument.path, rule.catalog).is_ok_and(|selector| {
            let argument = ResolvedPath { path: argument.path, selector: &selector };
            argument.last_optional().is_some() && argument.not_granted_by(guard).is_none()
        })
    })
}
