//! KV301 `guard_never_false`: a guard on something that every machine has.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_syntax::Node;

use crate::{
    LintCheck, RuleView,
    message_text::{code, vm_path},
    paths::up_to,
    presence::{ResolvedPath, guard_path, subject_path},
    repair,
    shape::path_prefix,
};

pub static LINT: Lint = Lint {
    code: "KV301",
    name: "guard_never_false",
    level: Level::Warning,
    summary: "`valid` names something that every VirtualMachine has, so that the rule is never skipped",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let Some(guard) = guard_path(read, meaning) else { return };
    if guard.last_optional().is_some() {
        found.extend(default_of_items(rule, guard));
        return;
    }
    let Some(written) = rule.key_value(Key::Valid).and_then(|node| rule.written(node)) else { return };
    // Another lint reports a missing path.
    if written.text.is_empty() {
        return;
    }
    let thing = rule.thing();
    let message =
        format!("every {thing} has {}, so that `valid` never skips the rule", vm_path(&guard.path.text));
    let finding = LINT.diagnostic_at(written.span_of(rule, 0..written.text.len()), message);
    found.push(if let Some(step) = subject_path(read, meaning).last_optional() {
        let lacking = code(up_to(&read.path.text, step));
        let own = code(&format!("{}{}", path_prefix(rule.dialect()), read.path.text));
        let title = format!("write {own} in `valid`, which skips {thing}s without {lacking}");
        let edit = repair::text(rule, written.node, rule.key_value(Key::Path).map_or("", Node::text));
        finding
            .with_help(format!("write {own}, which skips {thing}s without {lacking}"))
            .fix_if(edit.map(|edit| Fix::not_safe(title, [edit])))
    } else {
        let edit = repair::remove_entry(rule, Key::Valid);
        finding
            .with_help(format!("remove `valid`: every {thing} has what `path` names too"))
            .fix_if(edit.map(|edit| Fix::safe_fix("remove `valid`", [edit])))
    });
}

/// A guard on a field of list items that has a default: it skips no item that leaves the field out.
// Template validation annotations 201902, the optional key `valid`
fn default_of_items(rule: &RuleView<'_>, guard: ResolvedPath<'_>) -> Option<Diagnostic> {
    if !guard.is_default_of_items() {
        return None;
    }
    let written = rule.key_value(Key::Valid).and_then(|node| rule.written(node))?;
    let message = format!(
        "every item has {} by default, so that `valid` skips the rule only if there are no items",
        vm_path(&guard.path.text)
    );
    let finding = LINT.diagnostic_at(written.span_of(rule, 0..written.text.len()), message);
    let help = "let the rule accept the default too, or leave out `valid`";
    Some(Diagnostic { level: Level::Info, ..finding.with_help(help) })
}
