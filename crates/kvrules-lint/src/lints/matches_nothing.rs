//! KV509 `matches_nothing`: `a^`.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{LintCheck, RuleView, patterns::parsed_pattern};

pub static LINT: Lint = Lint {
    code: "KV509",
    name: "matches_nothing",
    level: Level::Error,
    summary: "a pattern matches no string",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((pattern, regex)) = parsed_pattern(rule) else { return };
    if regex.matches_nothing() == Some(true) {
        let message = "no string matches, so no value satisfies the rule";
        let help = r"put a backslash before literal characters, as in `\^` and `\$`";
        found.push(LINT.diagnostic_at(pattern.whole(rule), message).with_help(help));
    }
}
