//! KV604 `same_rule_twice`: the same rule under two names.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{
    LintCheck, RuleView,
    relations::{RuleRelation, report_relations},
};

pub static LINT: Lint = Lint {
    code: "KV604",
    name: "same_rule_twice",
    level: Level::Warning,
    summary: "two rules with different names are duplicates",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    report_relations(&LINT, RuleRelation::Same, relation_message, rule, found);
}

fn relation_message(own: &str, other: &str, thing: &str) -> (String, String, String) {
    (
        format!("{own} is a duplicate of {other}: the same {thing}s satisfy both"),
        "the first of the two".to_owned(),
        format!("remove {own}"),
    )
}
