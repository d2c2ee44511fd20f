//! KV207 `list_without_brackets`: a field of a list, where one of its items is meant.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, Origin};
use kvrules_elaborate::{UnresolvedReason, catalog::CatalogField, path::parse, resolve_path};
use kvrules_ir::ValueType;

use crate::{
    LintCheck, RuleView,
    fields::field_at,
    message_text::{code, vm_path},
    paths::up_to,
    repair,
};

pub static LINT: Lint = Lint {
    code: "KV207",
    name: "list_without_brackets",
    level: Level::Error,
    summary: "a path continues after a list without `[*]`",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for written in rule.paths() {
        let Some(UnresolvedReason::UnknownField { step, name, parent, parent_type: ValueType::List, .. }) =
            &written.unresolved
        else {
            continue;
        };
        let message = format!("unknown field {}: {} is a list", code(name), vm_path(parent));
        let path =
            with_brackets(rule, &written.text, *step).unwrap_or_else(|| as_far_as_known(rule, parent, name));
        let help = format!("write {} to check every item", code(&path));
        let title = format!("write {}, which checks every item", code(&path));
        let edit = repair::path_that_resolves(rule, written, &path);
        let finding = LINT.diagnostic_at(written.span_of_step(rule, *step), message).with_help(help);
        found.push(finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))));
    }
}

/// The path with `[*]` behind each list that lacks it, if it leads somewhere then.
fn with_brackets(rule: &RuleView<'_>, text: &str, step: usize) -> Option<String> {
    let list = up_to(text, step.checked_sub(1)?);
    let path = format!("{list}[*]{}", text.get(list.len()..)?);
    match resolve_path(&parse(&path, Origin::default()).ok()?, rule.catalog) {
        Ok(_) => Some(path),
        // Each recursion resolves at least one more step, so this ends.
        Err(UnresolvedReason::UnknownField { step: next, parent_type: ValueType::List, .. })
            if next > step =>
        {
            with_brackets(rule, &path, next)
        }
        Err(_) => None,
    }
}

/// The list's items, and the field of them if they have it.
fn as_far_as_known(rule: &RuleView<'_>, list: &str, name: &str) -> String {
    let items = format!("{list}[*]");
    let has_field = field_at(rule.catalog, &items)
        .is_some_and(|field: CatalogField<'_>| field.child_field(name).is_some());
    if has_field { format!("{items}.{name}") } else { items }
}
