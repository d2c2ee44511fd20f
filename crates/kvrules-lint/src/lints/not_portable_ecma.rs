//! KV505 `not_portable_ecma`: line anchors.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{LintCheck, RuleView, patterns::parsed_pattern};

pub static LINT: Lint = Lint {
    code: "KV505",
    name: "not_portable_ecma",
    level: Level::Info,
    summary: "a pattern uses constructs that older ECMA-262 engines do not support",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((pattern, regex)) = parsed_pattern(rule) else { return };
    if regex.needs_look_behind_in_ecma() {
        let message =
            "the start of a line requires look-behind, which ECMA-262 engines before 2018 do not support";
        let help = r"remove the flag `m` if the string has one line, or write `(?:^|\n)` for the start";
        found.push(LINT.diagnostic_at(pattern.whole(rule), message).with_help(help));
    }
}
