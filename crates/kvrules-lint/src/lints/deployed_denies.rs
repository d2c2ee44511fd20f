//! KV901 `deployed_denies`: the deployed validator denies every VirtualMachine that a rule applies to, regardless of its fields.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_divergence::DifferenceEffect;

use crate::{LintCheck, RuleView, deployed::report_effect};

pub static LINT: Lint = Lint {
    code: "KV901",
    name: "deployed_denies",
    level: Level::Warning,
    summary: "the deployed validator denies every VirtualMachine that a rule applies to, regardless of its fields",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let says = |rule: &str, because: &str| {
        format!("the deployed validator denies every VirtualMachine that {rule} applies to: {because}")
    };
    report_effect(&LINT, DifferenceEffect::Denies, says, rule, found);
}
