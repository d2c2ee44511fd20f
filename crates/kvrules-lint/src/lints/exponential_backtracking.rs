//! KV506 `exponential_backtracking`: patterns such as `^(a+)+$`.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_regex::AmbiguitySearch;

use crate::{LintCheck, RuleView, message_text::code, patterns::parsed_pattern};

pub static LINT: Lint = Lint {
    code: "KV506",
    name: "exponential_backtracking",
    level: Level::Warning,
    summary: "a backtracking engine takes exponential time",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((pattern, regex)) = parsed_pattern(rule) else { return };
    let worst = match regex.exponential_ambiguity() {
        AmbiguitySearch::Found(worst) => worst,
        AmbiguitySearch::Nothing => return,
        AmbiguitySearch::TooLarge => {
            let message = "pattern too large to decide if backtracking engines take exponential time";
            let help = "use smaller counts, or split the pattern into several rules";
            let finding = LINT.diagnostic_at(pattern.whole(rule), message).with_help(help);
            found.push(Diagnostic { level: Level::Info, ..finding });
            return;
        }
    };
    let message = format!(
        "backtracking engines take at least twice as long for each {} more in strings such as {}",
        code(&worst.pump),
        code(&worst.pumped_text(6))
    );
    let help = "write the repetition so that each string matches in one way only: `a+` for `(a+)+`";
    found.push(LINT.diagnostic_at(pattern.whole(rule), message).with_help(help));
}
