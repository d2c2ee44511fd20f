//! KV903 `deployed_differs`: the deployed validator interprets a rule differently from its meaning.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_divergence::DifferenceEffect;

use crate::{LintCheck, RuleView, deployed::report_effect};

pub static LINT: Lint = Lint {
    code: "KV903",
    name: "deployed_differs",
    level: Level::Info,
    summary: "the deployed validator interprets a rule differently from its meaning",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let says = |rule: &str, because: &str| {
        format!("the deployed validator interprets {rule} differently from its meaning: {because}")
    };
    report_effect(&LINT, DifferenceEffect::Differs, says, rule, found);
}
