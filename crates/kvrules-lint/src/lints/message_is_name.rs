//! KV702 `message_is_name`: a message that says no more than the rule's name.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::Key;

use crate::{
    LintCheck, RuleView,
    message::{message_node, repeats_name},
    message_text::code,
};

pub static LINT: Lint = Lint {
    code: "KV702",
    name: "message_is_name",
    level: Level::Warning,
    summary: "a message has only words of the rule's name",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(node) = message_node(rule).filter(|node| repeats_name(rule, node.text())) else { return };
    let Some(name) = rule.key_value(Key::Name) else { return };
    let message = format!("the message {} only repeats the name of the rule", code(node.text()));
    found.push(
        LINT.diagnostic_at(node.span(), message)
            .with_secondary_label(name.span(), "the name")
            .with_help("write which value is invalid, and which are allowed"),
    );
}
