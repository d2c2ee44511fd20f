//! KV605 `never_applicable`: a rule that cannot matter.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{
    LintCheck, RuleView,
    relations::{RuleRelation, report_relations},
};

pub static LINT: Lint = Lint {
    code: "KV605",
    name: "never_applicable",
    level: Level::Warning,
    summary: "a rule applies only to objects that another rule rejects anyway",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    report_relations(&LINT, RuleRelation::NeverApplies, relation_message, rule, found);
}

fn relation_message(own: &str, other: &str, thing: &str) -> (String, String, String) {
    (
        format!("{own} applies only to {thing}s that {other} rejects"),
        "nothing that has the field satisfies this rule".to_owned(),
        format!("remove {own}, or change {other}"),
    )
}
