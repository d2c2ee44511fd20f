//! KV501 `regex_syntax`: a pattern that no dialect accepts, RE2 least of all.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{LintCheck, RuleView, patterns::rule_pattern};

pub static LINT: Lint = Lint {
    code: "KV501",
    name: "regex_syntax",
    level: Level::Error,
    summary: "a regular expression is invalid",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(pattern) = rule_pattern(rule) else { return };
    // Constructs of another dialect have a lint of their own.
    let Some(error) = pattern.parse().err().filter(|error| !error.is_of_another_dialect()) else { return };
    let finding = LINT.diagnostic_at(pattern.span(rule, error.span.clone()), error.to_string());
    found.push(match error.help_text() {
        Some(help) => finding.with_help(help),
        None => finding,
    });
}
