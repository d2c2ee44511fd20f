//! KV508 `matches_everything`: `.*`.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_solver::always_holds;

use crate::{LintCheck, RuleView, patterns::parsed_pattern};

pub static LINT: Lint = Lint {
    code: "KV508",
    name: "matches_everything",
    level: Level::Warning,
    summary: "a pattern matches every string",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((pattern, regex)) = parsed_pattern(rule) else { return };
    let Some((_, meaning)) = rule.understood() else { return };
    // Another lint reports a rule that nothing can violate.
    if regex.matches_everything() == Some(true) && !always_holds(meaning).is_yes() {
        let message = "every string matches, so the rule only requires a value";
        let help = "write what the string must contain, with `^` and `$` to match all of it";
        found.push(LINT.diagnostic_at(pattern.whole(rule), message).with_help(help));
    }
}
