//! KV406 `argument_of_many`: an argument whose path runs through a list.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::resolve_path;
use kvrules_ir::{PathSlice, PathStep};

use crate::{LintCheck, RuleView, arguments::path_arguments, message_text::code, paths::with_step};

pub static LINT: Lint = Lint {
    code: "KV406",
    name: "argument_of_many",
    level: Level::Warning,
    summary: "an argument is a path that can yield more than one value, so targets omit the rule",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for argument in path_arguments(rule) {
        if resolve_path(argument.path, rule.catalog).is_ok_and(|selector| selector.lists.is_empty()) {
            continue;
        }
        let steps = argument.path.steps.iter();
        let many =
            |step: &PathStep| matches!(step, PathStep::Wildcard) || *step == PathStep::Slice(PathSlice::ALL);
        let lists: Vec<_> = steps.enumerate().filter(|(_, step)| many(step)).map(|(at, _)| at).collect();
        let (Some(first), Some(written)) = (lists.first(), rule.written(argument.node)) else { continue };
        // A path that cannot be resolved has a finding of its own.
        if written.unresolved.is_some() {
            continue;
        }
        let message = format!(
            "{} can yield more than one value, and `{}` needs exactly one",
            code(&argument.path.text),
            argument.key.as_str()
        );
        let one = lists.iter().try_fold(written.text.clone(), |text, at| with_step(&text, *at, "[0]"));
        let finding = LINT.diagnostic_at(written.span_of_step(rule, *first), message);
        found.push(match one {
            Some(one) => finding.with_help(format!("name one item, such as {}", code(&one))),
            None => finding,
        });
    }
}
