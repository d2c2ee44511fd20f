//! KV502 `pcre_construct`: a construct of Perl's dialect that RE2 leaves out.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{LintCheck, RuleView, patterns::rule_pattern};

pub static LINT: Lint = Lint {
    code: "KV502",
    name: "pcre_construct",
    level: Level::Error,
    summary: "a regular expression uses a Perl construct that RE2 does not support",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(pattern) = rule_pattern(rule) else { return };
    let Some(error) = pattern.parse().err().filter(kvrules_regex::RegexError::is_of_another_dialect) else {
        return;
    };
    let help = error.help_text().unwrap_or("write the pattern without it: rules use RE2 syntax");
    found.push(LINT.diagnostic_at(pattern.span(rule, error.span.clone()), error.to_string()).with_help(help));
}
