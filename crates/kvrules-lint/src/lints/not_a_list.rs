//! KV206 `not_a_list`: brackets behind something that is not a list.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, Origin};
use kvrules_elaborate::{UnresolvedReason, path::parse, resolve_path};

use crate::{
    LintCheck, RuleView,
    message_text::{code, of_type, vm_path},
    paths::with_step,
    repair,
};

pub static LINT: Lint = Lint {
    code: "KV206",
    name: "not_a_list",
    level: Level::Error,
    summary: "a path takes items of a field that is not a list",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for written in rule.paths() {
        let Some(UnresolvedReason::NotAList { step, parent, parent_type }) = &written.unresolved else {
            continue;
        };
        let message = format!("{} is {}, not a list", vm_path(parent), of_type(*parent_type));
        let finding = LINT.diagnostic_at(written.span_of_step(rule, *step), message);
        found.push(match path_without_brackets(rule, &written.text, *step) {
            Some(path) => {
                let title = format!("write {}, which gives the rule a meaning", code(&path));
                let edit = repair::path_that_resolves(rule, written, &path);
                let finding = finding.with_help(format!("write {}", code(&path)));
                finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit])))
            }
            None => finding.with_help("remove the brackets"),
        });
    }
}

/// The path without the brackets, if it leads somewhere then.
fn path_without_brackets(rule: &RuleView<'_>, text: &str, step: usize) -> Option<String> {
    let path = with_step(text, step, "")?;
    resolve_path(&parse(&path, Origin::default()).ok()?, rule.catalog).ok()?;
    Some(path)
}
