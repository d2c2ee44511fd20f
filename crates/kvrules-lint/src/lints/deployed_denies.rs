//! KV901 `deployed_denies`: the deployed validator denies every VirtualMachine that a rule applies to, regardless of its fields.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::{Key, has_prefix};
use kvrules_ir::AnnotationDialect;
use kvrules_syntax::Node;
use kvrules_template_validator::divergence::DifferenceEffect;

use crate::{LintCheck, RuleView, deployed::report_effect};

pub static LINT: Lint = Lint {
    code: "KV901",
    name: "deployed_denies",
    level: Level::Warning,
    summary: "the deployed validator denies every VirtualMachine that a rule applies to, regardless of its fields",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let says = |rule: &str, because: &str| {
        format!("the deployed validator denies every VirtualMachine that {rule} applies to: {because}")
    };
    found.extend(bare_paths(rule));
    report_effect(&LINT, DifferenceEffect::Denies, says, rule, found);
}

/// The first rule of an annotation of version 201901 that the validator reads: it takes no path without the prefix.
// ssp-operator validation/path/path.go, NewJSONPathFromString
fn bare_paths(rule: &RuleView<'_>) -> Option<Diagnostic> {
    let is_first = || rule.annotation.rules().next().map(Node::span) == Some(rule.node.span());
    if rule.dialect() != AnnotationDialect::Annotation201901
        || rule.annotation.key_text() != "validations"
        || !is_first()
    {
        return None;
    }
    let path = rule.key_value(Key::Path)?;
    if path.as_str().is_none_or(has_prefix) {
        return None;
    }
    let message = "the deployed validator denies every VirtualMachine: it accepts no path without `jsonpath::`, as \
                   version 201901 has them";
    let help = "move the rules to version 201902; `kvrules migrate` does so";
    Some(Diagnostic { level: Level::Info, ..LINT.diagnostic_at(path.span(), message).with_help(help) })
}
