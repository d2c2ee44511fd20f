//! KV602 `implied_rule`: a rule that another rule makes superfluous.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{
    LintCheck, RuleView,
    relations::{RuleRelation, report_relations},
};

pub static LINT: Lint = Lint {
    code: "KV602",
    name: "implied_rule",
    level: Level::Warning,
    summary: "a rule is implied by another rule",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    report_relations(&LINT, RuleRelation::Implied, relation_message, rule, found);
}

fn relation_message(own: &str, other: &str, thing: &str) -> (String, String, String) {
    (
        format!("{own} is redundant: every {thing} that satisfies {other} satisfies it"),
        "this rule requires at least as much".to_owned(),
        format!("remove {own}, or make it stricter than {other}"),
    )
}
