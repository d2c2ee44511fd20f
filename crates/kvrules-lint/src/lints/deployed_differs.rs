//! KV903 `deployed_differs`: the deployed validator interprets a rule differently from its meaning.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_syntax::Node;
use kvrules_template_validator::divergence::DifferenceEffect;

use crate::{LintCheck, RuleView, deployed::report_effect};

pub static LINT: Lint = Lint {
    code: "KV903",
    name: "deployed_differs",
    level: Level::Info,
    summary: "the deployed validator interprets a rule differently from its meaning",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let says = |rule: &str, because: &str| {
        format!("the deployed validator interprets {rule} differently from its meaning: {because}")
    };
    found.extend(unread_annotation(rule));
    report_effect(&LINT, DifferenceEffect::Differs, says, rule, found);
}

/// The first rule of an annotation with the name of version 201901, which the validator does not read.
// ssp-operator validation/rules.go, getValidationRulesForVM
fn unread_annotation(rule: &RuleView<'_>) -> Option<Diagnostic> {
    let key = rule.annotation.key.filter(|key| key.text() == "validation")?;
    if rule.annotation.rules().next().map(Node::span) != Some(rule.node.span()) {
        return None;
    }
    let message = "the deployed validator does not read the annotation `validation`";
    let help = "write `validations`, or move the rules to version 201902 with `kvrules migrate`";
    Some(LINT.diagnostic_at(key.span(), message).with_help(help))
}
