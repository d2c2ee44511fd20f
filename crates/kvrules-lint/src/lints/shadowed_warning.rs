//! KV603 `shadowed_warning`: a warning that an error always comes with.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{
    LintCheck, RuleView,
    relations::{RuleRelation, report_relations},
};

pub static LINT: Lint = Lint {
    code: "KV603",
    name: "shadowed_warning",
    level: Level::Warning,
    summary: "a warning shows only on objects that an error rejects anyway",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    report_relations(&LINT, RuleRelation::Shadowed, relation_message, rule, found);
}

fn relation_message(own: &str, other: &str, thing: &str) -> (String, String, String) {
    (
        format!("the warning of {own} shows only on {thing}s that {other} rejects"),
        "this rule rejects them".to_owned(),
        "require more in the warning than in the error, or remove it".to_owned(),
    )
}
