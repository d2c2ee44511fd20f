//! KV206 `not_a_list`: brackets behind something that is no list.

use kvrules_diagnostics::{Diagnostic, Level, Origin};
use kvrules_elaborate::{Unresolved, path::parse, resolve};

use crate::{
    Check, Lint, RuleView,
    paths::with_step,
    words::{code, of_type, place},
};

pub(crate) static LINT: Lint = Lint {
    code: "KV206",
    name: "not_a_list",
    level: Level::Error,
    summary: "a path takes items of what is no list",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for written in rule.paths() {
        let Some(Unresolved::NotAList { step, parent, parent_type }) = &written.unresolved else { continue };
        let message = format!("{} is {} and no list", place(parent), of_type(*parent_type));
        let help = without(rule, &written.text, *step)
            .map_or_else(|| "remove the brackets".to_owned(), |path| format!("write {}", code(&path)));
        found.push(LINT.at(written.span_of_step(rule, *step), message).help(help));
    }
}

/// The path without the brackets, if it leads somewhere then.
fn without(rule: &RuleView<'_>, text: &str, step: usize) -> Option<String> {
    let path = with_step(text, step, "")?;
    resolve(&parse(&path, Origin::default()).ok()?, rule.catalog).ok()?;
    Some(path)
}
