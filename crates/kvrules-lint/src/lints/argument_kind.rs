//! KV407 `argument_kind`: an argument whose path leads to something of a type that it cannot be.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::{annotation::Key, resolve_path};

use crate::{
    LintCheck, RuleView,
    arguments::path_arguments,
    message_text::{of_type, vm_path},
    values::can_be_integer,
};

pub static LINT: Lint = Lint {
    code: "KV407",
    name: "argument_kind",
    level: Level::Error,
    summary: "an argument is a path to a field of an unsupported type",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for argument in path_arguments(rule) {
        let Ok(selector) = resolve_path(argument.path, rule.catalog) else { continue };
        let value_type = selector.leaf.value_type;
        let (fits, needed) = match argument.key {
            Key::Values | Key::Included => (value_type.is_scalar(), "a string, a number or a boolean"),
            _ => (can_be_integer(value_type), "an integer"),
        };
        let (false, Some(written)) = (fits, rule.written(argument.node)) else { continue };
        let (field, what) = (vm_path(&argument.path.text), of_type(value_type));
        let message = format!("{field} is {what}, and `{}` needs {needed}", argument.key.as_str());
        let last = argument.path.steps.len().saturating_sub(1);
        let help = match argument.key {
            Key::Values | Key::Included => "name a field that is a string, a number or a boolean",
            _ => "name a field that is an integer or a quantity",
        };
        found.push(LINT.diagnostic_at(written.span_of_step(rule, last), message).with_help(help));
    }
}
