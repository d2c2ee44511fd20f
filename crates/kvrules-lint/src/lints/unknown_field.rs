//! KV205 `unknown_field`: a path to a field that a VirtualMachine does not have.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, find_nearest};
use kvrules_elaborate::UnresolvedReason;
use kvrules_ir::ValueType;

use crate::{
    LintCheck, RuleView,
    fields::find_elsewhere,
    message_text::{code, of_type, vm_path},
    paths::{WrittenPath, up_to},
    repair,
};

pub static LINT: Lint = Lint {
    code: "KV205",
    name: "unknown_field",
    level: Level::Error,
    summary: "a path names a field that a VirtualMachine does not have",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for written in rule.paths() {
        let Some(UnresolvedReason::UnknownField { step, name, parent, parent_type, known }) =
            &written.unresolved
        else {
            continue;
        };
        // Another lint reports a field of a list.
        if *parent_type == ValueType::List {
            continue;
        }
        let finding = LINT.diagnostic_at(
            written.span_of_step(rule, *step),
            unknown_message(rule, name, parent, *parent_type),
        );
        found.push(match suggest_field(rule, name, parent, known) {
            Some(path) => finding
                .with_help(format!("did you mean {}?", code(&path)))
                .fix_if(field_fix(rule, written, *step, &path)),
            None => finding,
        });
    }
}

/// The suggested field, and the rest of the path.
fn field_fix(rule: &RuleView<'_>, written: &WrittenPath<'_>, step: usize, corrected: &str) -> Option<Fix> {
    let rest = written.text.get(up_to(&written.text, step).len()..)?;
    let path = format!("{corrected}{rest}");
    let edit = repair::path_that_resolves(rule, written, &path)?;
    Some(Fix::not_safe(format!("read {}, which gives the rule a meaning", code(&path)), [edit]))
}

fn unknown_message(rule: &RuleView<'_>, name: &str, parent: &str, parent_type: ValueType) -> String {
    let is_root = parent.is_empty() && !rule.catalog.subject().is_virtual_machine();
    let root = || format!("the {} that paths begin at", rule.catalog.subject().kind_noun());
    let (name, place) = (code(name), if is_root { root() } else { vm_path(parent) });
    if parent_type == ValueType::Object {
        return format!("unknown field {name} of {place}");
    }
    format!("unknown field {name}: {place} is {}", of_type(parent_type))
}

fn suggest_field(rule: &RuleView<'_>, name: &str, parent: &str, known: &[String]) -> Option<String> {
    find_elsewhere(rule.catalog, parent, name)
        .or_else(|| Some(format!("{parent}.{}", find_nearest(name, known.iter().map(String::as_str))?)))
}
