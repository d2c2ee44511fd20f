//! KV706 `prefix_in_message`: a message that shows users the prefix of paths.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint};
use kvrules_elaborate::annotation::PREFIX;

use crate::{LintCheck, RuleView, escaped_spans, message::message_node};

pub static LINT: Lint = Lint {
    code: "KV706",
    name: "prefix_in_message",
    level: Level::Warning,
    summary: "a message contains `jsonpath::`, which is shown to users and never replaced",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(node) = message_node(rule) else { return };
    let Some(at) = node.text().find(PREFIX) else { return };
    let span = escaped_spans::span_of(rule.source, node, at..at + PREFIX.len());
    let message = "`jsonpath::` in a message is shown to users literally, and never replaced";
    let alone = rule.source.span_text(span) == PREFIX;
    let fix = alone
        .then(|| Fix::safe_fix(format!("remove `{PREFIX}` from the message"), [Edit::remove_span(span)]));
    found.push(LINT.diagnostic_at(span, message).with_help("name the field without it").fix_if(fix));
}
