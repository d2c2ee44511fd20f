//! KV601 `contradiction`: two rules that nothing satisfies together.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{
    LintCheck, RuleView,
    relations::{RuleRelation, report_relations, undecided_reason},
};

pub static LINT: Lint = Lint {
    code: "KV601",
    name: "contradiction",
    level: Level::Error,
    summary: "no object satisfies two rules that both apply to it",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    report_relations(&LINT, RuleRelation::Contradicts, relation_message, rule, found);
    found.extend(undecided_reason(rule).map(|reason| {
        let message = format!("too large to decide how {} and other rules relate", rule.message_title());
        let help = format!("{}; split the pattern, or the rules", reason.as_str());
        Diagnostic { level: Level::Info, ..LINT.diagnostic_at(rule.head_span(), message).with_help(help) }
    }));
}

fn relation_message(own: &str, other: &str, thing: &str) -> (String, String, String) {
    (
        format!("{own} contradicts {other}: no {thing} to which both apply satisfies both"),
        "the other rule".to_owned(),
        "change one of the two so that both can be satisfied".to_owned(),
    )
}
