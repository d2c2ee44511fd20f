//! KV301 `guard_never_false`: a guard on something that every machine has.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::annotation::Key;

use crate::{
    Check, Lint, RuleView,
    paths::up_to,
    presence::{guard, subject},
    shape::prefix,
    words::{code, place},
};

pub(crate) static LINT: Lint = Lint {
    code: "KV301",
    name: "guard_never_false",
    level: Level::Warning,
    summary: "`valid` names something that every VirtualMachine has, so that the rule is never skipped",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let Some(guard) = guard(read, meaning).filter(|guard| guard.last_optional().is_none()) else { return };
    let Some(written) = rule.value(Key::Valid).and_then(|node| rule.written(node)) else { return };
    // That there is no path is a mistake of its own.
    if written.text.is_empty() {
        return;
    }
    let thing = rule.thing();
    let message =
        format!("every {thing} has {}, so that `valid` never skips the rule", place(&guard.path.text));
    let help = match subject(read, meaning).last_optional() {
        Some(step) => format!(
            "write {}, which skips {thing}s without {}",
            code(&format!("{}{}", prefix(rule.dialect()), read.path.text)),
            code(up_to(&read.path.text, step))
        ),
        None => format!("remove `valid`: every {thing} has what `path` names too"),
    };
    found.push(LINT.at(written.span_of(rule, 0..written.text.len()), message).help(help));
}
