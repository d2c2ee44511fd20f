//! KV204 `unsupported_path`: a path that means something, but nothing that targets could say.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::UnresolvedReason;

use crate::{LintCheck, RuleView};

pub static LINT: Lint = Lint {
    code: "KV204",
    name: "unsupported_path",
    level: Level::Warning,
    summary: "a path uses a construct that cannot be compiled, so targets omit the rule",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for written in rule.paths() {
        if let Some(UnresolvedReason::Unsupported { step, construct }) = &written.unresolved {
            let message = format!("{construct} cannot be compiled: targets omit the rule");
            let help = "use names, `[*]` and indices such as `[0]`";
            found.push(LINT.diagnostic_at(written.span_of_step(rule, *step), message).with_help(help));
        }
    }
}
