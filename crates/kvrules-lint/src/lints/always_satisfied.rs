//! KV606 `always_satisfied`: a rule that nothing can violate.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{
    LintCheck, RuleView,
    presence::has_no_argument,
    relations::{RuleRelation, is_reported, report_relations},
};

pub static LINT: Lint = Lint {
    code: "KV606",
    name: "always_satisfied",
    level: Level::Warning,
    summary: "a rule can never be violated",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let mut own = Vec::new();
    report_relations(&LINT, RuleRelation::AlwaysHolds, relation_message, rule, &mut own);
    if own.is_empty() || is_reported(rule, &[super::negative_length::CHECK, super::idle_bound::CHECK]) {
        return;
    }
    // Another lint reports a rule without arguments that can be read.
    if rule.understood().is_some_and(|(read, _)| !has_no_argument(read)) {
        found.append(&mut own);
    }
}

fn relation_message(own: &str, _: &str, thing: &str) -> (String, String, String) {
    (
        format!("{own} requires nothing: no {thing} can violate it"),
        String::new(),
        "remove the rule, or write what it requires".to_owned(),
    )
}
